/** Texts, times and numbers as people read them. */
import { seen } from "../../protocol/core/format/hidden.ts";
import { shortName, shortOf } from "../../protocol/core/format/id.ts";
import type { Style } from "./style.ts";

export { ageOf as ago } from "../../protocol/core/format/age.ts";
export { many } from "../../protocol/core/format/many.ts";

/** Text that others wrote, made safe for a terminal: nothing that cannot be seen, or moves what is seen, but line breaks and tabs. */
export const plain = seen;

/** The same on one line. */
export const plainLine = (text: string): string => plain(text).replace(/\s+/g, " ").trim();

/** An instant in the reader's zone, `yyyy-mm-dd hh:mm`. */
export function localTime(iso: string): string {
  const at = new Date(iso);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** The same to the second. */
export const localSecond = (iso: string): string => `${localTime(iso)}:${String(new Date(iso).getSeconds()).padStart(2, "0")}`;

/**
 * Short form of an id, the same in all texts: the random characters of a thread, of a message these and its number, of a task or a review
 * the first four of them, of an artifact the first four of its hash, of a session what follows its number.
 */
export function short(id: string): string {
  if (/^(task|review)-/.test(id)) return shortOf(id);
  const hash = /^artifact-([0-9a-f]{4})/.exec(id)?.[1];
  return hash ?? (/^[mt]-/.test(id) ? shortName(id) : (id.split("-").at(-1) ?? id));
}

/** How to see what is older, where there is more. */
export const more = (answer: { cursor: string | null }, style: Style): string =>
  answer.cursor === null ? "" : `\n${style.dim(`older: --cursor ${answer.cursor}`)}`;

/** A sentence with its instants in the zone of who reads it, as all that is printed; one that is to be typed is one word. */
export const inLocalTime = (text: string): string =>
  text.replace(/(--[\w-]+ )?\b(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z)\b/g, (_all, flag: string | undefined, iso: string) =>
    flag === undefined ? localTime(iso) : `${flag}"${localTime(iso)}"`,
  );
