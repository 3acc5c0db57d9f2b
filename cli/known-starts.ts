/** The programs that parts were started with on this machine before. */
import { startOf } from "../pager/tmux/parts-in-tmux.ts";
import { refuse } from "../protocol/core/refusal.ts";
import type { World } from "../protocol/index.ts";
import { members, requireMembers } from "../protocol/mail/files/members.ts";
import { unbelievedWakeMethod } from "../protocol/wake/files/who-rings.ts";

/** The parts whose start command was given here before; one alone when it is named. @throws Refusal `usage` where there is none */
export function knownStarts(world: World, part: string | undefined): { part: string; argv: readonly string[]; cwd: string }[] {
  if (part !== undefined) requireMembers(world, [part]);
  const parts = part === undefined ? members(world).map((each) => each.part) : [part];
  const starts = parts.flatMap((each) => {
    const start = startOf(world, each);
    return start === null ? [] : [{ part: each, ...start }];
  });
  if (starts.length === 0)
    throw refuse("usage", {
      problem: `${part === undefined ? "No part was started on this machine before." : `${part} was not started on this machine before.`}${ignoredFiles(world, parts)}`,
      help: `Name its program once: \`relay up --part ${part ?? "web"} -- claude\`.`,
    });
  return starts;
}

/** What files of the home would have started, which is never believed. */
function ignoredFiles(world: World, parts: readonly string[]): string {
  const found = parts.flatMap((part) => unbelievedWakeMethod(world, part) ?? []);
  return found
    .map(
      ({ path, commands }) =>
        ` ${path} is in the home, so Relay ignores it${commands.map((argv) => `; it wants to run ${JSON.stringify(argv)}`).join("")}.`,
    )
    .join("");
}
