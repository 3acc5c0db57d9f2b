/** Messages as a stranger writes them: the id is worked out of the text by the rule of SPEC.md, not by Relay's own code. */
import { createHash } from "node:crypto";

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const base32 = (value: bigint, length: number): string =>
  Array.from({ length }, (_, place) => ALPHABET[Number((value >> BigInt(5 * (length - 1 - place))) & 31n)]).join("");

/** What a message says; its id is left out. */
export interface Written {
  from: string;
  to: string[];
  subject?: string;
  body?: string;
  at?: string;
  n?: number;
  /** `t-<yyyymmdd>-<random>` */
  thread?: string;
}

/** A message whose name is that of its text. */
export interface Sealed {
  id: string;
  /** Path in the home. */
  path: string;
  text: string;
}

/** Makes a message of a text. @param unnamed its file without the line of its id */
export function sealText(unnamed: string, thread: string, n: number, ms: number): Sealed {
  const digest = createHash("sha256").update(unnamed).digest("hex").slice(0, 20);
  const token = base32(BigInt(ms), 9) + base32(BigInt(`0x${digest}`), 16);
  const [, day = "", random = ""] = thread.split("-");
  const id = `m-${day}-${random}-${n}-${token}`;
  const folder = `threads/${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}/${thread}`;
  return { id, path: `${folder}/${n}-${token}.md`, text: unnamed.replace("---\n", `---\nid: "${id}"\n`) };
}

/** Makes a message. */
export function seal(written: Written): Sealed {
  const { from, to, subject = "Hi", body = "Words.", at = "2026-01-31T09:30:00.000Z", n = 1, thread = "t-20260131-k3f9x2ab" } = written;
  const header = { thread, from, to, at, subject };
  const rows = Object.entries(header).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
  return sealText(`---\n${rows.join("")}---\n${body}\n`, thread, n, Date.parse(at));
}
