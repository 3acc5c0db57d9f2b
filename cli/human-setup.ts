/** What people see when an agent is set up. */
import { type Printers, plainLine } from "./style.ts";

const DONE = { create: "Made", change: "Changed", delete: "Removed", same: "As it is" } as const;
const PLANNED = { create: "Would make", change: "Would change", delete: "Would remove", same: "As it is" } as const;

/** The printers of setting up, by operation. */
export const setupPrinters: Printers = {
  setup: ({ written, removed, agent, files, part, partBefore, partIn, notes }, style) => {
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
    const none = removed && files.length === 0 ? [`Nothing of Relay's is there for ${agent}.`] : [];
    const name = style.bold(part ?? "");
    const who =
      part === null
        ? []
        : partIn === "entries"
          ? [`The entries say who starts them: --part ${name}.`]
          : removed
            ? [`This worktree is ${name} still; \`relay part here --unset\` forgets that.`]
            : [written || part === partBefore ? `You are ${name} in this worktree.` : `This worktree would be ${name}.`];
    return [...shown, ...none, ...who, ...(notes as string[]).map((note) => `${style.yellow("•")} ${plainLine(note)}`)].join("\n");
  },
};
