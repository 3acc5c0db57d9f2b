/**
 * A message cannot change: the token in its id ends in a hash of its file, so that another text does not fit the name.
 *
 * What is hashed is the file without its second line, which is `id: "<id>"` and nothing else: so every byte of the file
 * follows from the name. SPEC.md, "Ids".
 */
import { type Digest, encodeTime, hashTail, isSealed, type MessageKey, messageId, tailOf } from "../format/id.ts";

const FIRST_LINE = "---\n";

/** The line of a message's file that its hash leaves out. */
const idLine = (id: string): string => `id: "${id}"\n`;

/**
 * The token of a message that is written.
 * @param unnamed its file without the line of its id
 * @param ms when it is written, in milliseconds since the epoch
 */
export const sealedToken = (unnamed: string, ms: number, digest: Digest): string => encodeTime(ms) + hashTail(digest(unnamed));

/** A message's file, from what its token hashes: the line of the id is put in. */
export const withId = (unnamed: string, id: string): string => FIRST_LINE + idLine(id) + unnamed.slice(FIRST_LINE.length);

/** The id that the second line of a message's file says; null where it says none. */
export const idIn = (source: string): string | null => /^---\nid: "([^"\n]*)"\n/.exec(source)?.[1] ?? null;

/** What a file's token hashes; null where the second line is not that of the id. */
function withoutId(source: string, id: string): string | null {
  const head = FIRST_LINE + idLine(id);
  return source.startsWith(head) ? FIRST_LINE + source.slice(head.length) : null;
}

/** Says why a text cannot be the message of a name; null where it can. An old token says nothing of its text. */
export function sealProblem(source: string, key: MessageKey, digest: Digest): string | null {
  if (!isSealed(key.token) || fits(source, key, digest)) return null;
  const lines =
    source.includes("\r\n") && fits(source.replaceAll("\r\n", "\n"), key, digest) ? " (its line ends were changed to CRLF)" : "";
  return `its text does not match its name${lines}`;
}

function fits(source: string, key: MessageKey, digest: Digest): boolean {
  const unnamed = withoutId(source, messageId(key));
  return unnamed !== null && hashTail(digest(unnamed)) === tailOf(key.token);
}
