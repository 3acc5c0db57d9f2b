/** Tells of one message of a folder whether its file alone is sound. spec/check.md, "Check". */
import { isSealed } from "../../objects/format/id.ts";
import { FILE_BYTES } from "../../objects/format/schema.ts";
import { nounOf } from "../../objects/index.ts";
import { placeOf } from "../../objects/tree/layout.ts";
import { readListed } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";
import { readFile } from "./check-text.ts";

/**
 * Who a message is to, where its name proves its text, its file has no fault, and it refers to nothing that could be missing. Null of
 * all else, and where it cannot be read: the check reads it then, and says what is wrong.
 * @param path in the home
 * @param size in bytes, as it was listed
 */
export function recipientsOfSound(store: Store, path: string, size: number): readonly string[] | null {
  const place = placeOf(path);
  if (place?.kind !== "message" || !isSealed(place.key.token)) return null;
  try {
    const text = readListed(store, path, size, FILE_BYTES.message);
    if (text === null) return null;
    const { parsed, findings } = readFile({ file: { path, kind: "file", size, same: "" }, place }, text, null);
    if (parsed?.kind !== "message" || findings.length > 0) return null;
    const references = nounOf("message").refersTo?.(place, parsed.value) ?? [];
    return references.some(({ code }) => code !== undefined) ? null : parsed.value.to;
  } catch {
    return null;
  }
}
