/** `relay undo` asks on a terminal: one commit may hold a day's work. */
import { type AnyOperation, createWorld, operations, perform } from "../../protocol/index.ts";
import type { Agreed, Common } from "../commands.ts";
import { canAsk, isAgreed } from "./is-agreed.ts";

/** The input of `undo` as it is, where there is nobody to ask or nothing to ask about, or where the person agreed; null where they said no. */
export async function askedToUndo(_: AnyOperation, input: Record<string, unknown>, options: Common): Promise<Agreed | null> {
  const unasked = { input, seen: false };
  if (!canAsk(options) || input["yes"] === true || input["dryRun"] === true) return unasked;
  const commit = String(input["commit"]);
  const answer = await perform(createWorld({ home: options.home, part: options.part }), operations.undo, { commit, dryRun: true });
  if (answer.did?.length === 0) return unasked;
  return (await isAgreed("undo", answer, input, "Undo this?", "Nothing was undone.")) ? unasked : null;
}
