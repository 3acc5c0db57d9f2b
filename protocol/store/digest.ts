/** Digests and random bytes, by Node's own module. It is loaded when something first asks: not every command does. */
const crypto = (): typeof import("node:crypto") => process.getBuiltinModule("node:crypto");

/** The SHA-256 of a text (as UTF-8) or of bytes, in hexadecimal. */
export const sha256 = (content: string | Uint8Array): string => crypto().hash("sha256", content, "hex");

/** The id that git gives a text (as UTF-8) or bytes. @param length characters of the repository's ids: 40, or 64 where it hashes with SHA-256 */
export function blobId(content: string | Uint8Array, length: number): string {
  const bytes = Buffer.from(content);
  const whole = Buffer.concat([Buffer.from(`blob ${bytes.length}\0`), bytes]);
  return crypto().hash(length === 40 ? "sha1" : "sha256", whole, "hex");
}

/** A number of bytes from the system's generator. */
export const randomBytes = (length: number): Uint8Array => crypto().randomBytes(length);
