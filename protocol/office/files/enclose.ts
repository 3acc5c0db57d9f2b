/** What a turn is told: the envelope's content, from the mail that it was given and from what is open. spec/office.md, "Envelope". */

import { parseThreadId, type ThreadLocation } from "../../core/format/id.ts";
import type { World } from "../../core/world.ts";
import type { Message } from "../../mail/nouns/message.ts";
import type { Enclosed, Given } from "../nouns/envelope.ts";
import { pageOf, pagesOf } from "../nouns/pages.ts";
import type { TurnReason } from "../nouns/turn.ts";
import { type DispatchMail, fromShown } from "./dispatch-mail.ts";
import { subjectOf } from "./end-turn.ts";
import { type Frozen, isOfficeChanged, readFrozen } from "./launch-settings.ts";
import { type DispatchState, readDispatchFiles } from "./read-dispatch.ts";
import { inspectOffice } from "./read-office.ts";
import { outcomeOf, wholeText } from "./reply-text.ts";

const threadOf = ({ thread }: Message): ThreadLocation => parseThreadId(thread) as ThreadLocation;

/** What the envelope of a turn says. */
export function enclose(world: World, state: DispatchState, frozen: Frozen, reason: TurnReason, mail: readonly DispatchMail[]): Enclosed {
  const { store } = world.home();
  const { dispatch, open } = state;
  const { positions } = inspectOffice(store).office ?? { positions: new Map() };
  const callName = (id: string): string => positions.get(id)?.name ?? id;
  const contextOf = (id: string | undefined): string =>
    id === undefined ? dispatch.context : (readDispatchFiles(store, id)?.dispatch.context ?? id);
  const given = mail.map(({ message, kind, child, isAgain }): Given => {
    const text = kind === "reply" ? wholeText(store, message) : message.body;
    const outcome = kind === "reply" ? outcomeOf(message) : undefined;
    const pages = pagesOf(text);
    return {
      kind,
      from: callName(fromShown(world, message)),
      isAgain,
      context: contextOf(child),
      outcome,
      question: kind === "answer" && message.thread !== dispatch.id ? subjectOf(store, { key: threadOf(message) }) : undefined,
      text: pages > 1 && kind === "reply" ? pageOf(text, 1) : text,
      pages: pages > 1 && kind === "reply" ? pages : undefined,
    };
  });
  return {
    position: frozen.position,
    name: frozen.name,
    initiator: callName(dispatch.initiator),
    context: dispatch.context,
    directory: frozen.cwd,
    reason,
    given,
    open: open.map(({ child, state: at }) => ({ name: callName(child.recipient), context: contextOf(child.id), state: at })),
    roster: dispatch.roster,
    isOfficeChanged: readFrozen(store, dispatch.id) !== null && state.turns.length > 0 && isOfficeChanged(world, frozen),
  };
}
