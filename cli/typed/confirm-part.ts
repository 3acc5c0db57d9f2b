/** `relay part here` asks on a terminal where a live session is another part here: from then on commands beside it are the new one. */

import { partOf } from "../../protocol/core/home/worktree-part.ts";
import { type AnyOperation, createWorld } from "../../protocol/index.ts";
import { replacedPart } from "../../protocol/mail/files/presence.ts";
import type { Agreed, Common } from "../commands.ts";
import { styleFor } from "../print/style.ts";
import { plainLine } from "../print/words.ts";
import { canAsk, saysYes } from "./is-agreed.ts";

/** The input of `part here` as it is, where there is nobody to ask or nothing to ask about, or where the person agreed; null where they said no. */
export async function askedForPart(_: AnyOperation, input: Record<string, unknown>, options: Common): Promise<Agreed | null> {
  const unasked = { input, seen: false };
  const part = input["part"];
  if (!canAsk(options) || typeof part !== "string" || input["unset"] === true) return unasked;
  const world = createWorld({ home: options.home });
  const words = replacedPart(world, partOf(world, world.cwd), part, true);
  if (words === null) return unasked;
  const style = styleFor(process.stdout, process.env, Date.now());
  process.stdout.write(`${style.fit(`${style.yellow("warning")}: ${plainLine(words)}`)}\n`);
  return (await saysYes(`Make this worktree ${plainLine(part)}?`, "Nothing was changed.")) ? { input, seen: true, told: [words] } : null;
}
