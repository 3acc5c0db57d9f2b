/** The result of each wake, from the steps of its part. spec/waking.md, "The wake machine". */
import type { WakeRecord } from "../nouns/wake-record.ts";
import type { RungName } from "../nouns/wake-state.ts";

/**
 * How a wake ended, or where it stands. `failed`: no rung reached the part; `left`: still unread at the re-fire;
 * `withdrawn`: dealt with before anybody rang; `replaced`: nobody rang before another pager began the next one.
 */
export type Became =
  | "owed"
  | "replaced"
  | "ringing"
  | "rung"
  | "heard"
  | "acked"
  | "withdrawn"
  | "failed"
  | "released"
  | "kept_back"
  | "left";

/** One wake. */
export interface WakeStory {
  part: string;
  wakeId: string;
  /** When it was owed, and when its last step was; milliseconds since the epoch. */
  sinceMs: number;
  lastMs: number;
  became: Became;
  rung?: RungName | undefined;
  /** How long it took from being owed until it was rung. */
  tookMs?: number | undefined;
  reason?: string | undefined;
  detail?: string | undefined;
}

/** The wakes of a part, oldest first. @param steps oldest first */
export function wakeStories(part: string, steps: readonly WakeRecord[]): WakeStory[] {
  const stories: WakeStory[] = [];
  for (const { atMs, state } of steps) {
    if (state.kind === "idle") continue;
    const last = stories.at(-1);
    // What a rung could not do is written where the next wake begins.
    if (state.kind === "owed" && last !== undefined && last.wakeId !== state.wakeId && last.became === "ringing") {
      Object.assign(last, {
        became: state.tried.length > 0 ? "failed" : "released",
        reason: state.reason,
        detail: state.detail,
        lastMs: atMs,
      });
    } else if (last !== undefined && last.wakeId !== state.wakeId && last.became === "owed") {
      Object.assign(last, { became: "replaced", lastMs: atMs });
    }
    const story = last?.wakeId === state.wakeId ? last : begun(part, state.wakeId, atMs);
    if (story !== last) stories.push(story);
    story.lastMs = atMs;
    tell(story, state, atMs);
  }
  return stories;
}

const begun = (part: string, wakeId: string, atMs: number): WakeStory => ({ part, wakeId, sinceMs: atMs, lastMs: atMs, became: "owed" });

function tell(story: WakeStory, state: Exclude<WakeRecord["state"], { kind: "idle" }>, atMs: number): void {
  const rang = (became: "rung" | "heard"): void => {
    story.tookMs ??= atMs - story.sinceMs;
    story.became = became;
  };
  if ("rung" in state && state.rung !== null) story.rung = state.rung;
  if ("detail" in state && state.detail !== undefined) story.detail = state.detail;
  switch (state.kind) {
    case "owed":
      // Why the wake before it failed is no word about this one.
      story.detail = undefined;
      return;
    case "leased":
      Object.assign(story, { became: "ringing", reason: state.reason });
      return;
    case "typed":
      if (state.reported) rang("rung");
      else story.became = "ringing";
      story.reason = state.reason;
      return;
    case "noticed":
      rang("heard");
      return;
    case "settled":
      story.became = story.tookMs === undefined ? "withdrawn" : "acked";
      return;
    case "expired":
      // Otherwise it was heard, and what came after it is another.
      if (state.again) story.became = "left";
      return;
    case "suppressed":
      Object.assign(story, { became: "kept_back", reason: state.reason });
  }
}
