/** The lines about terminals in an answer. Only tmux knows what a terminal shows, and whether it exists. */
import { questionsOf } from "../../pager/tmux/asking.ts";
import { findPartPane } from "../../pager/tmux/parts-in-tmux.ts";
import { withOwnHome } from "../../protocol/core/world.ts";
import type { World } from "../../protocol/index.ts";
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

/** Terminals are read so often at the most: a page may ask at each change. */
const AGAIN_MS = 2_000;
const looks = new Map<string, { atMs: number; asked: ReturnType<typeof questionsOf> }>();

/** Puts into an answer of `status` which parts of this machine stand at a question, and which: whether they know of their mail or not. */
export async function markAskingTerminals(shared: World, { parts }: Answer<"status">): Promise<void> {
  const world = withOwnHome(shared);
  const { root } = world.home().store;
  const known = looks.get(root);
  const now = performance.now();
  const isFresh = known !== undefined && now - known.atMs < AGAIN_MS;
  const names = parts.map(({ part }) => part);
  const look = isFresh ? known : { atMs: now, asked: questionsOf(world, names) };
  looks.set(root, look);
  const asked = await look.asked;
  for (const member of parts) {
    const question = asked.get(member.part);
    if (question !== undefined) Object.assign(member, { terminal: "dialog", asks: question.words });
  }
}

const OTHER_SERVER = "For a tmux server of another name, put RELAY_TMUX_SOCKET=NAME before the command";
