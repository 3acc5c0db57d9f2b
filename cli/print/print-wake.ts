/** What people see of wakes and how parts are rung. */
import { nextFor, reasonWords } from "../../protocol/internal.ts";
import { type Cell, localSecond, many, type Printers, plainLine, type Style, table } from "./style.ts";

/** The reason for which the remedy is the same whatever the part is. */
const NO_PAGER = "no_pager";

interface Step {
  at: string;
  part: string;
  wakeId: string;
  state: string;
  reported?: boolean;
  rung?: string;
  reason?: string;
  detail?: string;
}

interface Story {
  at: string;
  part: string;
  wakeId: string;
  became: string;
  rung?: string;
  tookMs?: number;
  reason?: string;
  detail?: string;
}

interface Waiting {
  part: string;
  unread: number;
  state: string;
  reason?: string;
}

/** The printers of waking, by operation. */
export const wakePrinters: Printers = {
  part_deliver: ({ part, deliver, argv, timeout_s, tmux, rungs, pager }, style) => {
    const command =
      argv === undefined ? [] : [`  command: ${argv.map((word: string) => JSON.stringify(word)).join(" ")} (at most ${timeout_s} s)`];
    const target = tmux?.target === undefined ? [] : [`  tmux pane: ${plainLine(tmux.target)}`];
    const start =
      tmux?.argv === undefined ? [] : [`  relay up starts: ${plainLine(tmux.argv.join(" "))} (in ${plainLine(tmux.cwd ?? "?")})`];
    const ways = (rungs as { rung: string; now: boolean; detail: string }[]).map(
      ({ rung, now, detail }) => `  ${now ? style.green("now    ") : style.dim("not now")}  ${rung.padEnd(7)}  ${plainLine(detail)}`,
    );
    const needs = !pager && rungs.some(({ rung, now }: { rung: string; now: boolean }) => now && ["tmux", "exec"].includes(rung));
    const none = needs ? ["No pager runs for it, so nobody rings: relay pager start"] : [];
    const how = deliver === "auto" ? "auto: whatever of these is there, in this order" : deliver;
    return [`${style.bold(part)} is woken by ${how} (on this machine)`, ...ways, ...command, ...target, ...start, ...none].join("\n");
  },
  wakes: ({ wakes, steps, waiting, suppressed, hour }, style, input) => {
    const rows = input["steps"] === true ? stepRows(steps, style) : storyRows(wakes, style);
    // One pager serves all, so where several wait for one it is said once.
    const unserved = (waiting as Waiting[]).filter(({ reason }) => reason === NO_PAGER);
    const now = (waiting as Waiting[]).flatMap(({ part, unread, state, reason }) => {
      if (reason === undefined) return [];
      if (reason === NO_PAGER && unserved.length > 1) return part === unserved[0]?.part ? [unservedLine(unserved, style)] : [];
      const next = nextFor(reason, part);
      return [
        `${style.yellow("•")} ${style.bold(part)} has ${unread} unread, ${state === "owed" ? "is to be woken" : "is not woken now"}: ${plainLine(reasonWords(reason))}${next === null ? "" : ` → ${next}`}`,
      ];
    });
    const kept = Object.entries(suppressed as Record<string, number>).map(
      ([reason, count]) => `${count} kept back: ${reasonWords(reason)}`,
    );
    const foot = [`${many(hour.delivered, "wake")} in the last hour over all your projects, budget ${hour.budget}`, ...kept].join("; ");
    return [rows.length === 0 ? style.dim("No wakes.") : table(rows, style), ...now, style.dim(foot)].join("\n");
  },
};

/** Says once of several parts that no pager runs for them. */
function unservedLine(unserved: Waiting[], style: Style): string {
  const parts = unserved.map(({ part, unread }) => `${style.bold(part)} has ${unread} unread`).join(", ");
  return `${style.yellow("•")} ${parts}: nobody runs who could wake them → ${nextFor(NO_PAGER, "")}`;
}

function stepRows(steps: Step[], style: Style): Cell[][] {
  return steps.map(({ at, part, wakeId, state, reported, rung, reason, detail }) => [
    { text: localSecond(at), paint: style.dim },
    { text: part, paint: style.bold },
    { text: wakeId, paint: style.yellow },
    { text: reported === true ? `${state}, and said so` : state, paint: state === "suppressed" ? style.red : style.cyan },
    [rung, reason, detail].flatMap((word) => (word === undefined ? [] : [plainLine(word)])).join(" · "),
  ]);
}

/** What became of a wake, in words. */
const BECAME: Record<string, string> = {
  owed: "waits to be rung",
  replaced: "not rung; the next one followed",
  ringing: "is being rung",
  rung: "rung",
  heard: "heard",
  acked: "rung, and its mail dealt with",
  withdrawn: "its mail was dealt with before",
  failed: "did not reach it",
  released: "given back",
  kept_back: "kept back",
  left: "rung, and its mail left unread",
};
/** Who saw the mail without being rung was not rung. */
const wordsOf = (became: string, rung: string | undefined): string =>
  became === "left" && rung === undefined ? "seen, and its mail left unread" : (BECAME[became] ?? became);
const GOOD = ["rung", "heard", "acked"];

function storyRows(wakes: Story[], style: Style): Cell[][] {
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
