/** Claims that a remote decides: one ref a task, and the record that it holds. spec/git.md, "Claims across machines". */
import { orElse } from "../../core/format/file-error.ts";
import { formatFrontmatter, type Header, parseFrontmatter } from "../../core/format/frontmatter.ts";
import { type ClaimRecord, fenceOf, formatClaim, parseClaim } from "./claim.ts";
import { isSessionId } from "./session.ts";
import { isTaskId } from "./task.ts";

/** Under which every ref of a claim lies. */
export const CLAIM_REFS = "refs/relay/claims/";
/** A lease that other machines judge by their silence is never shorter, in seconds. */
export const REMOTE_LEASE_S = 600;

/** Bytes of what a claim's ref may hold; more is no claim. */
export const CONTENT_BYTES = 8_192;

/** What a claim's ref holds. */
export interface RemoteClaim {
  record: ClaimRecord;
  /** How often it was renewed; every renewal makes another content, which is what others see. */
  renewed: number;
}

/** Refs are files on some servers, and some disks know no case: all but small letters and digits is written in hexadecimal. */
const encoded = (text: string): string =>
  text.replace(/[^a-z0-9-]/g, (character) => `_${character.charCodeAt(0).toString(16).padStart(2, "0")}`);
const decoded = (text: string): string =>
  text.replace(/_([0-9a-f]{2})/g, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** The ref that decides who holds a task. */
export const claimRef = (session: string, task: string): string => `${CLAIM_REFS}${encoded(session)}/${encoded(task)}`;

/** The inverse of `claimRef`; null for any other ref. */
export function locateClaimRef(ref: string): { session: string; task: string } | null {
  const [session = "", task = "", ...more] = ref.startsWith(CLAIM_REFS) ? ref.slice(CLAIM_REFS.length).split("/").map(decoded) : [];
  const isOne = more.length === 0 && isSessionId(session) && isTaskId(task) && claimRef(session, task) === ref;
  return isOne ? { session, task } : null;
}

/** Writes what a ref holds. */
export function formatRemoteClaim({ record, renewed }: RemoteClaim): string {
  const { header } = parseFrontmatter(formatClaim(record));
  return formatFrontmatter(renewed === 0 ? header : { ...header, renewed }, "");
}

/** Reads what a ref holds; null where it is no record of the task. */
export function parseRemoteClaim(source: string, task: string): RemoteClaim | null {
  return orElse(null, () => {
    const header: Header = parseFrontmatter(source).header;
    const { fence, renewed = 0 } = header;
    if (
      typeof fence !== "number" ||
      fenceOf(`${fence}.md`) !== fence ||
      typeof renewed !== "number" ||
      !/^[0-9a-z]{1,64}$/.test(String(header["nonce"]))
    )
      return null;
    return { record: parseClaim(source, task, fence), renewed };
  });
}
