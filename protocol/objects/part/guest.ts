/** Guests: ids that joined a session by writing, without being in `relay.yml`. spec/messages.md, "Guest". */
import { FileError } from "../format/file-error.ts";
import { formatFrontmatter, parseFrontmatter } from "../format/frontmatter.ts";

/** Who a guest is: the session it joined, and when (ISO 8601). */
export interface Guest {
  part: string;
  session: string;
  joinedAt: string;
}

/** Where the record of a guest lies: beside its inbox. */
export const guestPath = (part: string): string => `inbox/${part}/guest.md`;

/** Writes a guest's record. */
export const formatGuest = (guest: Guest): string =>
  formatFrontmatter({ part: guest.part, session: guest.session, joined_at: guest.joinedAt }, "");

/** Reads a guest's record. @throws FileError. */
export function parseGuest(source: string): Guest {
  const { header } = parseFrontmatter(source);
  const { part, session, joined_at: joinedAt } = header;
  if (typeof part !== "string" || typeof session !== "string" || typeof joinedAt !== "string") {
    throw new FileError('expected "part", "session" and "joined_at" in the header', 1);
  }
  return { part, session, joinedAt };
}
