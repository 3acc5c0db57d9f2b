/** Prints for people: how a part is woken. */
import type { Printer } from "../style.ts";
import { plainLine } from "../words.ts";

/** How a part is woken, and whether a pager does it. */
export const printPartDeliver: Printer<"part_deliver"> = ({ part, deliver, argv, timeout_s, tmux, rungs, pager }, style) => {
  const command = argv === undefined ? [] : [`  command: ${argv.map((word) => JSON.stringify(word)).join(" ")} (at most ${timeout_s} s)`];
  const { target: pane, argv: started, cwd } = (tmux ?? {}) as { target?: string; argv?: string[]; cwd?: string };
  const target = pane === undefined ? [] : [`  tmux pane: ${plainLine(pane)}`];
  const start = started === undefined ? [] : [`  relay up starts: ${plainLine(started.join(" "))} (in ${plainLine(cwd ?? "?")})`];
  const ways = rungs.map(
    ({ rung, now, detail }) => `  ${now ? style.green("now    ") : style.dim("not now")}  ${rung.padEnd(7)}  ${plainLine(detail)}`,
  );
  const needs = !pager && rungs.some(({ rung, now }) => now && ["tmux", "exec"].includes(rung));
  const none = needs ? ["No pager runs for it, so nobody wakes it. To start one: relay pager start"] : [];
  const how = deliver === "auto" ? "auto: the first of these that works, in this order" : deliver;
  return [`${style.bold(part)} is woken by ${how} (on this machine)`, ...ways, ...command, ...target, ...start, ...none].join("\n");
};
