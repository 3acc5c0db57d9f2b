/** Digests and dice of the system. Node's own module for them is loaded when first used, because most commands need neither. */

const crypto = (): typeof import("node:crypto") => process.getBuiltinModule("node:crypto");

/** The SHA-256 of a text (as UTF-8) or of bytes, in hexadecimal. */
export function sha256(content: string | Uint8Array): string {
  return crypto().hash("sha256", content, "hex");
}

/** So many bytes from the system's generator. */
export function randomBytes(length: number): Uint8Array {
  return crypto().randomBytes(length);
}
