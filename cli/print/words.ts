/** Texts, times and numbers as people read them. */
import { seen } from "../../protocol/internal.ts";
import type { Style } from "./style.ts";

export { many } from "../../protocol/internal.ts";

/** Text that others wrote, made safe for a terminal: nothing that cannot be seen, or moves what is seen, but line breaks and tabs. */
export const plain = seen;

/** The same on one line. */
export const plainLine = (text: string): string => plain(text).replace(/\s+/g, " ").trim();

/** How long ago, in the shortest words; days and more as a date in the reader's zone. */
export function ago(iso: string, now: number): string {
  const seconds = Math.round((now - Date.parse(iso)) / 1000);
  if (Number.isNaN(seconds)) return "?";
  if (seconds < -60) return localTime(iso);
  if (seconds < 10) return "now";
  if (seconds < 60) return `${seconds}s ago`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)}h ago`;
  if (seconds < 7 * 86_400) return `${Math.floor(seconds / 86_400)}d ago`;
  return localTime(iso).slice(0, 10);
}

/** An instant in the reader's zone, `yyyy-mm-dd hh:mm`. */
export function localTime(iso: string): string {
  const at = new Date(iso);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** The same to the second. */
export const localSecond = (iso: string): string => `${localTime(iso)}:${String(new Date(iso).getSeconds()).padStart(2, "0")}`;

/** What people type of an id: the random characters of a thread, of a message the five after the time in its token. */
export function short(id: string): string {
  const last = id.split("-").at(-1) ?? id;
  return id.startsWith("m-") ? last.slice(9, 14) : last;
}

/** How to see what is older, where there is more. */
export const more = (answer: { cursor: string | null }, style: Style): string =>
  answer.cursor === null ? "" : `\n${style.dim(`older: --cursor ${answer.cursor}`)}`;

/** A sentence with its instants in the zone of who reads it, as all that is printed; one that is to be typed is one word. */
export const inLocalTime = (text: string): string =>
  text.replace(/(--[\w-]+ )?\b(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z)\b/g, (_all, flag: string | undefined, iso: string) =>
    flag === undefined ? localTime(iso) : `${flag}"${localTime(iso)}"`,
  );
