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
  part_deliver: ({ part, deliver, argv, timeout_s, tmux }, style) => {
    const command =
      argv === undefined ? [] : [`  command: ${argv.map((word: string) => JSON.stringify(word)).join(" ")} (at most ${timeout_s} s)`];
    const terminal = tmux === undefined ? [] : [`  tmux: ${plainLine(JSON.stringify(tmux))}`];
    return [`${style.bold(part)} is woken by: ${deliver} (on this machine)`, ...command, ...terminal].join("\n");
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
