/** Mail to a position that came by `send` or `reply`: it is work, and its thread becomes the dispatch. spec/office.md, "Dispatches". */

import type { Message } from "../../objects/message/message.ts";
import { Refusal, refuse } from "../../refusal.ts";
import type { World } from "../../world.ts";
import { requireTrustedOffice } from "../office/trusted-office.ts";
import { adoptMail, requireRoute } from "./create-dispatch.ts";
import { ensureRunner } from "./ensure-runner.ts";
import { readDispatchFiles } from "./read-dispatch.ts";

/**
 * Checks that mail to positions gives work to one whom its sender may give it to, before it is sent.
 * @throws Refusal `invalid_argument` where a position is one of several recipients; `roster_unavailable`, `office_untrusted`, `routing`,
 *   `not_permitted`
 */
export function requireWork(world: World, from: string, to: readonly string[], positions: readonly string[]): void {
  const [position = ""] = positions;
  if (to.length > 1)
    throw refuse("invalid_argument", {
      argument: "to",
      expected: "a position of the office alone, because the thread becomes its work",
      given: to,
      example: [position],
    });
  const { office } = requireTrustedOffice(world);
  requireRoute(office, world, from, position, null);
}

/** @throws Refusal `conversation_closed` where a thread is that of a dispatch that was closed */
export function requireOpen(world: World, thread: string): void {
  const files = readDispatchFiles(world.home().store, thread);
  if (files !== null && files.closed !== null) throw refuse("conversation_closed", { context_id: files.dispatch.context });
}

/** Makes mail to a position its work, and sees to it that somebody runs it. What gives no work stays mail: it was sent already. */
export function startWork(world: World, message: Message): void {
  try {
    if (adoptMail(world, message) !== null) ensureRunner(world);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}
