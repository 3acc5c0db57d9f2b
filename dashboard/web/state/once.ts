/**
 * Idempotency keys. An answer may get lost. So the page gives each text a key, and sends the same key with each try: the server then
 * does it once. The key is kept with the draft until the server answers that it is done, or the person changes the form:
 * the same words may be meant anew by then.
 */
import { keep, kept } from "./kept.ts";

const UUID = 36;

/**
 * The key for a try.
 * @param form which form it is; each sends one thing at a time
 * @param given what is sent; where it differs from the last try, it is something else and has another key
 */
export function keyFor(form: string, given: unknown): string {
  const text = JSON.stringify(given);
  const before = kept(`try ${form}`);
  if (before.slice(UUID) === text) return before.slice(0, UUID);
  const key = crypto.randomUUID();
  keep(`try ${form}`, key + text);
  return key;
}

/** Forgets the key of a form: what it sent is done, or is no longer what is in it. The same text is meant anew the next time. */
export const forgetKey = (form: string): void => keep(`try ${form}`, "");
