/** Words and paints of the board: times, and how a status is painted. */
import type { Style } from "../style.ts";
import type { Cell } from "../table.ts";
import { ago } from "../words.ts";

/** Times of the board's answers are Unix seconds. */
export const iso = (seconds: number): string => new Date(seconds * 1_000).toISOString();

/** How long ago; a task that a person wrote by hand may not say when. */
export const when = (seconds: number, style: Style): string => (seconds === 0 ? "-" : ago(iso(seconds), style.now));

/** How long ago, as a cell. */
export const since = (seconds: number, style: Style): Cell => ({ text: when(seconds, style), paint: style.dim });

/** Paints a text. */
export type Paint = (text: string) => string;

/** How a status is painted. */
export function statusPaint(status: string, style: Style): Paint {
  const paints: Record<string, Paint> = {
    in_progress: style.cyan,
    in_review: style.yellow,
    blocked: style.red,
    pending: style.yellow,
    done: style.green,
    approved: style.green,
    changes_requested: style.red,
  };
  return paints[status] ?? style.dim;
}
