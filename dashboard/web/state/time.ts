/** Times as a reader sees them: in the reader's language, short, and whole in the title. */
import { signal } from "@preact/signals";

/** The clock of the page, in milliseconds since the epoch: one timer for all that counts down. */
export const nowMs = signal(Date.now());
let stoppedMs: number | null = null;
setInterval(() => {
  if (document.visibilityState === "visible") nowMs.value = stoppedMs ?? Date.now();
}, 1_000);

/** Stops the clock at an instant, in milliseconds since the epoch; null lets it go on. */
export function stopClock(atMs: number | null): void {
  stoppedMs = atMs;
  nowMs.value = atMs ?? Date.now();
}

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const weekday = new Intl.DateTimeFormat(undefined, { weekday: "short", hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { year: "numeric", month: "short", day: "numeric" });
const dayOfMonth = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });
const WEEK_MS = 6 * 86_400_000;

/** An instant: the time of today, the weekday of this week, else the date. */
export function shortTime(atMs: number): string {
  const at = new Date(atMs);
  if (Number.isNaN(atMs)) return "";
  if (at.toDateString() === new Date().toDateString()) return clock.format(at);
  return Math.abs(Date.now() - atMs) < WEEK_MS ? weekday.format(at) : day.format(at);
}

/** How long something is: `4 s`, `6 min`, `3 h`, `2 d`. */
export function span(ms: number): string {
  const s = Math.max(0, Math.round(ms / 1_000));
  if (s < 60) return `${s} s`;
  if (s < 3_600) return `${Math.floor(s / 60)} min`;
  return s < 86_400 ? `${Math.floor(s / 3_600)} h` : `${Math.floor(s / 86_400)} d`;
}

/** The time left, as `12:40` or `1:02:03`. @param ms milliseconds; below 0 counts as 0 */
export function countdown(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1_000));
  const two = (n: number): string => String(n).padStart(2, "0");
  const [hours, minutes] = [Math.floor(s / 3_600), Math.floor(s / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(s % 60)}` : `${minutes}:${two(s % 60)}`;
}

/** An instant of the board, in ISO 8601; empty for what is none. @param seconds since the epoch */
export function atSeconds(seconds: number): string {
  const at = new Date(seconds * 1_000);
  return Number.isNaN(at.getTime()) ? "" : at.toISOString();
}

const asDay = (key: string, format: Intl.DateTimeFormat): string => {
  const at = new Date(`${key}T12:00:00`);
  return Number.isNaN(at.getTime()) ? key : format.format(at);
};
/** A day, for the axis of a chart. @param key `yyyy-mm-dd` */
export const shortDay = (key: string): string => asDay(key, dayOfMonth);
/** A day, with its year where that is another one. @param key `yyyy-mm-dd` */
export const wholeDay = (key: string): string => asDay(key, key.startsWith(`${new Date().getFullYear()}-`) ? dayOfMonth : day);
