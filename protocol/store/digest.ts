/** Digests and dice of the system. Node's own module for them is loaded when first used, because most commands need neither. */

let loaded: typeof import("node:crypto") | undefined;
function crypto(): typeof import("node:crypto") {
  loaded ??= process.getBuiltinModule("node:crypto");
  return loaded;
}

/** The SHA-256 of a text (as UTF-8) or of bytes, in hexadecimal. */
export const sha256 = (content: string | Uint8Array): string => crypto().hash("sha256", content, "hex");

/** The id that git gives a text. @param length characters of the repository's ids: 40, or 64 where it hashes with SHA-256 */
export function blobId(text: string, length: number): string {
  const bytes = Buffer.from(text);
  const whole = Buffer.concat([Buffer.from(`blob ${bytes.length}\0`), bytes]);
  return crypto().hash(length === 40 ? "sha1" : "sha256", whole, "hex");
}

/** So many bytes from the system's generator. */
export const randomBytes = (length: number): Uint8Array => crypto().randomBytes(length);
