/** Wakes as rows of a table: every step, or the result of each wake. */
import { reasonWords } from "../../../protocol/wake/nouns/wake-words.ts";
import type { Answer, Style } from "../style.ts";
import type { Cell } from "../table.ts";
import { localSecond, plainLine } from "../words.ts";

type Step = Answer<"wakes">["steps"][number];

type Story = Answer<"wakes">["wakes"][number];

/** Every step of every wake, a row each. */
export function stepRows(steps: Step[], style: Style): Cell[][] {
  return steps.map(({ at, part, wakeId, state, reported, rung, reason, detail }) => [
    { text: localSecond(at), paint: style.dim },
    { text: part, paint: style.bold },
    { text: wakeId, paint: style.yellow },
    { text: reported === true ? `${state}, as reported` : state, paint: state === "suppressed" ? style.red : style.cyan },
    [rung, reason, detail].flatMap((word) => (word === undefined ? [] : [plainLine(word)])).join(" · "),
  ]);
}

/** What became of a wake, in words. */
const BECAME: Record<string, string> = {
  owed: "waits for delivery",
  replaced: "not delivered; the next one followed",
  ringing: "is being delivered",
  rung: "delivered",
  heard: "heard",
  acked: "delivered, and its mail acked",
  withdrawn: "its mail was acked before",
  failed: "did not reach it",
  released: "not delivered; a pager tries again",
  kept_back: "not woken",
  left: "delivered, and its mail still unread",
};

/** Who saw the mail without being rung was not rung. */
const wordsOf = (became: string, rung: string | undefined): string =>
  became === "left" && rung === undefined ? "seen, and its mail still unread" : (BECAME[became] ?? became);

const GOOD = ["rung", "heard", "acked"];

/** What became of each wake, a row each. */
export function storyRows(wakes: Story[], style: Style): Cell[][] {
  return wakes.map(({ at, part, wakeId, became, rung, tookMs, reason, detail }) => [
    { text: localSecond(at), paint: style.dim },
    { text: part, paint: style.bold },
    { text: wakeId, paint: style.yellow },
    { text: wordsOf(became, rung), paint: GOOD.includes(became) ? style.green : became === "failed" ? style.red : style.cyan },
    [
      rung === undefined ? "" : `by ${rung}`,
      tookMs === undefined ? "" : `after ${(tookMs / 1_000).toFixed(1)} s`,
      reason === undefined ? "" : reasonWords(reason),
      detail ?? "",
    ]
      .filter((word) => word !== "")
      .map(plainLine)
      .join(" · "),
  ]);
}
