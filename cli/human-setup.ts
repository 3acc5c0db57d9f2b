/** What people see when an agent is set up. */
import { type Printers, plainLine } from "./style.ts";

const DONE = { create: "Made", change: "Changed", delete: "Removed", same: "As it is" } as const;
const PLANNED = { create: "Would make", change: "Would change", delete: "Would remove", same: "As it is" } as const;

/** The printers of setting up, by operation. */
export const setupPrinters: Printers = {
  setup: ({ written, files, part, notes }, style) => {
    const words = written ? DONE : PLANNED;
    const shown = (files as { path: string; change: keyof typeof DONE; diff: string }[]).flatMap(({ path, change, diff }) => [
      `${change === "same" ? style.dim(words[change]) : style.green(words[change])} ${plainLine(path)}`,
      ...diff
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => {
          const paint = line.startsWith("+") ? style.green : line.startsWith("-") ? style.red : style.dim;
          return `  ${paint(line)}`;
        }),
    ]);
    const who = part === null ? [] : [`You are ${style.bold(part)} in this worktree.`];
    return [...shown, ...who, ...(notes as string[]).map((note) => `${style.yellow("•")} ${plainLine(note)}`)].join("\n");
  },
};
