/** Requests to forget messages, because they hold what nobody should have: a person answers each on their machine. spec/removal.md, "Forget". */
import { FileError, orElse } from "../../core/format/file-error.ts";
import { formatFrontmatter, lineOfKey, parseFrontmatter, withoutUndefined } from "../../core/format/frontmatter.ts";
import { type MessageLocation, messageId, parseMessageId } from "../../core/format/id.ts";
import { besideOf } from "../../core/noun/merge-tree.ts";
import { messagePath } from "../../mail/nouns/message.ts";

/** Who asked for a message to be forgotten, or refused that, when (ISO 8601), and why. Nothing of what the message says. */
export interface Forgotten {
  id: string;
  by: string;
  at: string;
  reason?: string | undefined;
}

/** The folder of requests. */
export const FORGOTTEN_FOLDER = "forgotten";

/** Where a request lies, and where it is said that it was refused; each created once. A refused one asks for nothing. */
export const forgottenPath = (id: string): string => `${FORGOTTEN_FOLDER}/${id}.md`;
/** Where a refusal to forget a message lies. */
export const refusedPath = (id: string): string => `${FORGOTTEN_FOLDER}/${id}.refused.md`;
/** The inverse of the two paths; null for any other. */
export function locateForgotten(path: string): { kind: "forgotten" | "refused"; key: MessageLocation } | null {
  const match = /^forgotten\/(m-[^/.]+)(\.refused)?\.md$/.exec(path);
  const location = match === null ? null : parseMessageId(match[1] as string);
  if (match === null || location === null) return null;
  const found = { kind: match[2] === undefined ? ("forgotten" as const) : ("refused" as const), key: location };
  return (found.kind === "forgotten" ? forgottenPath : refusedPath)(messageId(location)) === path ? found : null;
}

/** Whether a path is that of a message: in its thread, in any inbox, read or not, or of what gave way beside one of these. */
export function namesMessage(path: string, location: MessageLocation): boolean {
  const of = besideOf(path);
  const [, day = location.day, id = ""] = /^inbox\/.+\/(?:new|read\/([^/]+))\/([^/]+)\.md$/.exec(of) ?? [];
  return of === messagePath(location) || (id === messageId(location) && day === location.day);
}

/** Writes a request, or its refusal. */
export const formatForgotten = ({ id, by, at, reason }: Forgotten): string => formatFrontmatter({ id, by, at, reason }, "");

/** Whether a file asks for what its path says. @param text null where it cannot be read */
export function isRequest(path: string, text: string | null): boolean {
  const located = locateForgotten(path);
  return orElse(false, () => located?.kind === "forgotten" && text !== null && parseForgotten(text).id === messageId(located.key));
}

/** Reads it. @throws FileError, with the line */
export function parseForgotten(source: string): Forgotten {
  const { header } = parseFrontmatter(source);
  const { id, by, at, reason } = header;
  if (typeof id !== "string" || typeof by !== "string")
    throw new FileError('expected "id" and "by" in the header, texts', lineOfKey(source, "id"));
  if (typeof at !== "string" || Number.isNaN(Date.parse(at))) throw new FileError('"at" is not a time', lineOfKey(source, "at"));
  return withoutUndefined({ id, by, at, reason: typeof reason === "string" ? reason : undefined });
}
