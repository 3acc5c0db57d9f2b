/**
 * Paths as git has them: bytes, of which nobody promised that they are UTF-8. A byte that is none becomes half of a
 * surrogate pair, which no text of UTF-8 can hold, so that every path survives being read and written back.
 */
const FIRST = 0xdc00;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A path as text. */
export function decodePath(bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch {
    return [...bytes].map((byte) => String.fromCharCode(byte < 0x80 ? byte : FIRST + byte)).join("");
  }
}

/** The bytes of a path that was read. */
export function encodePath(path: string): Buffer {
  if (!/\p{Surrogate}/u.test(path)) return Buffer.from(path);
  return Buffer.from([...path].map((character) => character.charCodeAt(0) & 0xff));
}

/** The fields of what git printed with `-z`. */
export function zeroFields(out: Buffer): string[] {
  const text = out.toString("utf8");
  // A replacement character is what bytes that are no UTF-8 become.
  if (!text.includes("\ufffd")) return text.split("\0");
  const fields: string[] = [];
  let from = 0;
  for (let at = out.indexOf(0); at !== -1; at = out.indexOf(0, from)) {
    fields.push(decodePath(out.subarray(from, at)));
    from = at + 1;
  }
  return [...fields, decodePath(out.subarray(from))];
}
