/**
 * Digests and dice of the system. Node's own module for them is loaded where much is asked of it: that takes longer than most of what
 * a command does, and most commands ask for little.
 */
import fs from "node:fs";
import { shortSha256 } from "./sha256.ts";

let loaded: typeof import("node:crypto") | undefined;
function crypto(): typeof import("node:crypto") {
  loaded ??= process.getBuiltinModule("node:crypto");
  return loaded;
}

/** So many more bytes are digested by hand; whoever digests more has Node's module do it. */
let left = 8_192;

/** The SHA-256 of a text (as UTF-8) or of bytes, in hexadecimal. */
export function sha256(content: string | Uint8Array): string {
  if (loaded !== undefined) return loaded.hash("sha256", content, "hex");
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  if (bytes.length > left) return crypto().hash("sha256", bytes, "hex");
  left -= bytes.length;
  return shortSha256(bytes);
}

/** The id that git gives a text (as UTF-8) or bytes. @param length characters of the repository's ids: 40, or 64 where it hashes with SHA-256 */
export function blobId(content: string | Uint8Array, length: number): string {
  const bytes = Buffer.from(content);
  const whole = Buffer.concat([Buffer.from(`blob ${bytes.length}\0`), bytes]);
  return crypto().hash(length === 40 ? "sha1" : "sha256", whole, "hex");
}

/** So many bytes from the system's generator. */
export const randomBytes = (length: number): Uint8Array =>
  (loaded === undefined ? fromDevice(length) : null) ?? crypto().randomBytes(length);

/** Asked for at once for names: as many cost hardly more than a few. */
const AHEAD = 512;
let drawn: Uint8Array = new Uint8Array();

/** The same for names, of which a server makes many; no two calls get the same bytes. */
export function randomForNames(length: number): Uint8Array {
  if (loaded === undefined || length > AHEAD) return randomBytes(length);
  if (drawn.length < length) drawn = crypto().randomBytes(AHEAD);
  const bytes = drawn.subarray(0, length);
  drawn = drawn.subarray(length);
  return bytes;
}

/** The same from the device by which systems hand them out; null where there is none, as on Windows. */
function fromDevice(length: number): Uint8Array | null {
  try {
    const device = fs.openSync("/dev/urandom", "r");
    try {
      const bytes = Buffer.alloc(length);
      return fs.fstatSync(device).isCharacterDevice() && fs.readSync(device, bytes) === length ? bytes : null;
    } finally {
      fs.closeSync(device);
    }
  } catch {
    return null;
  }
}
