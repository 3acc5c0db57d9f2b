/** Digests and dice of the system. Node's own module for them is loaded when first used, because most commands need neither. */

let loaded: typeof import("node:crypto") | undefined;
function crypto(): typeof import("node:crypto") {
  loaded ??= process.getBuiltinModule("node:crypto");
  return loaded;
}

/** The SHA-256 of a text (as UTF-8) or of bytes, in hexadecimal. */
export function sha256(content: string | Uint8Array): string {
  return crypto().hash("sha256", content, "hex");
}

/** So many bytes from the system's generator. */
export function randomBytes(length: number): Uint8Array {
  return crypto().randomBytes(length);
}
