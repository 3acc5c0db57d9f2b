/** The activity of a part, in one of the words that the page has for it. */
import type { AnswerOf } from "./server.ts";
import { shortTime } from "./time.ts";

type Status = AnswerOf<"status">;
export type Part = Status["parts"][number];
type Story = Pick<AnswerOf<"wakes">["wakes"][number], "part" | "became">;

/** A state: its word, its mark, and its place in the list: the lower, the sooner it needs a person. */
export interface Doing {
  word: string;
  mark: "on" | "idle" | "off" | "lim" | "bad";
  rank: number;
}

/** A part that holds a task and made no call for so long is stuck. */
const STUCK_MS = 15 * 60_000;
/** So is one whose last wakes all came to nothing, when there are so many. */
const FAILED_WAKES = 3;
const FAILED = new Set(["failed", "released", "left"]);

/** @param stories wakes, newest first @param asking parts that wait for a person's answer @param nowMs since the epoch */
export function doingOf(part: Part, stories: readonly Story[], asking: ReadonlySet<string>, nowMs: number): Doing {
  const { limitedUntil, presence, online, unread, task, seenAt, quietSince } = part;
  const last = stories.filter((story) => story.part === part.part).slice(0, FAILED_WAKES);
  const isQuiet = task !== undefined && nowMs - Date.parse(quietSince ?? seenAt ?? "") >= STUCK_MS && presence !== "waiting";
  if (part.terminal !== undefined || (unread > 0 && part.wake?.reason === "dialog")) return { word: "at a prompt", mark: "bad", rank: 0 };
  if (limitedUntil !== undefined) return { word: `limited until ${shortTime(Date.parse(limitedUntil))}`, mark: "lim", rank: 3 };
  if ((isQuiet && !asking.has(part.part)) || (last.length === FAILED_WAKES && last.every(({ became }) => FAILED.has(became))))
    return { word: "stuck", mark: "bad", rank: 1 };
  if (asking.has(part.part)) return { word: "waiting for you", mark: "lim", rank: 2 };
  if (presence === "waiting") return { word: "waiting for mail", mark: "idle", rank: 6 };
  if (presence === "working") return { word: "working", mark: "on", rank: 5 };
  if (presence === "never") return { word: "never seen", mark: "off", rank: unread > 0 ? 4 : 9 };
  if (!online) return { word: "offline", mark: "off", rank: unread > 0 ? 4 : 8 };
  return unread > 0 ? { word: "idle with mail", mark: "idle", rank: 4 } : { word: "idle", mark: "idle", rank: 7 };
}
