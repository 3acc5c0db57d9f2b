/** Notes that spare time and that nobody needs: each begins with the digest of the rest, so that one that is torn is none. */
import { orElse, succeeds } from "../core/format/file-error.ts";
import { sha256 } from "./digest.ts";
import { readBytes } from "./read/read-file.ts";
import type { Store } from "./root.ts";
import { place } from "./write/publish.ts";

/** What a note says; null where there is none, or it is not whole. @param mostBytes a larger one is none */
export function readNote(store: Store, path: string, mostBytes: number): unknown {
  return orElse(null, () => {
    const text = readBytes(store, path, mostBytes)?.toString("utf8") ?? "";
    const end = text.indexOf("\n");
    const body = text.slice(end + 1);
    return end === -1 || text.slice(0, end) !== sha256(body) ? null : JSON.parse(body);
  });
}

/** Writes a note. @returns whether it could be written: where not, nothing is lost but time */
export function writeNote(store: Store, path: string, value: unknown): boolean {
  const body = JSON.stringify(value);
  return succeeds(() => place({ ...store, durable: false }, path, `${sha256(body)}\n${body}`));
}
