/** The lines about terminals in an answer. Only tmux knows what a terminal shows, and whether it exists. */
import { questionsOf } from "../../pager/tmux/asking.ts";
import { findPartPane } from "../../pager/tmux/parts-in-tmux.ts";
import type { World } from "../../protocol/index.ts";
import { withOwnHome } from "../../protocol/internal.ts";
import type { Answer } from "./style.ts";

/** Puts into an answer of `part_deliver` whether the pane it speaks of is there. */
export async function findTerminal(world: World, answer: Answer<"part_deliver">): Promise<void> {
  const { part, tmux, rungs } = answer;
  const rung = rungs.find((each) => each.rung === "tmux");
  if (rung === undefined || !rung.now) return;
  const found = await findPartPane(world, part);
  rung.now = !("reason" in found);
  rung.detail = "reason" in found ? found.detail : `pane ${found.id}`;
  if (!("reason" in found) || tmux?.target === undefined) return;
  const words = [answer.warning, `there is no pane ${tmux.target}: ${found.detail}. ${OTHER_SERVER}`];
  answer.warning = words.filter((each) => each !== undefined).join("; ");
}

/** Puts into an answer of `status` which parts of this machine stand at a question, whether they know of their mail or not. */
export async function markAskingTerminals(shared: World, { parts }: Answer<"status">): Promise<void> {
  const world = withOwnHome(shared);
  const asked = await questionsOf(
    world,
    parts.map(({ part }) => part),
  );
  for (const member of parts) if (asked.has(member.part)) member.terminal = "dialog";
}

const OTHER_SERVER = "For a tmux server of another name, put RELAY_TMUX_SOCKET=NAME before the command";
