/** What people see of wakes and how parts are rung. */
import { localTime, many, type Printers, plainLine, table } from "./style.ts";

interface Step {
  at: string;
  part: string;
  wakeId: string;
  state: string;
  rung?: string;
  reason?: string;
  detail?: string;
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
  wakes: ({ steps, suppressed, hour }, style) => {
    const rows = (steps as Step[]).map(({ at, part, wakeId, state, rung, reason, detail }) => [
      { text: localTime(at), paint: style.dim },
      { text: part, paint: style.bold },
      { text: wakeId, paint: style.yellow },
      { text: state, paint: state === "suppressed" ? style.red : style.cyan },
      [rung, reason, detail].flatMap((word) => (word === undefined ? [] : [plainLine(word)])).join(" · "),
    ]);
    const kept = Object.entries(suppressed as Record<string, number>).map(([reason, count]) => `${count} suppressed: ${reason}`);
    const foot = [`${many(hour.delivered, "wake")} in the last hour, budget ${hour.budget}`, ...kept].join("; ");
    return `${rows.length === 0 ? style.dim("No wakes.") : table(rows, style)}\n${style.dim(foot)}`;
  },
};
