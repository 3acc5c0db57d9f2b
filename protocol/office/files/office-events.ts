/**
 * Tells what happens in an office. The files of a dispatch are the truth. If a process was killed before it told something, the next one
 * that reads the dispatch tells it. No code acts on an event. spec/office.md, "Events".
 */

import { acted } from "../../core/act.ts";
import type { World } from "../../core/world.ts";
import { exists } from "../../store/read/facts.ts";
import { publish } from "../../store/write/publish.ts";
import type { Dispatch } from "../nouns/dispatch.ts";
import { deriveState } from "../nouns/dispatch-state.ts";
import type { OfficeEvent } from "../nouns/office-event.ts";
import type { Turn, TurnEnd } from "../nouns/turn.ts";
import { localFolder } from "./local-files.ts";
import { inOffice, officeToWrite } from "./office-folder.ts";
import { officeLimits } from "./office-limits.ts";
import type { DispatchState } from "./read-dispatch.ts";

/** What each event of a dispatch says of it. */
export const ofDispatch = ({ id, context, recipient }: Dispatch): { dispatch: string; context: string; part: string } => ({
  dispatch: id,
  context,
  part: recipient,
});

/** Tells something of a dispatch. What fails here fails nobody's work. */
export const tellOffice = (world: World, event: OfficeEvent): void => acted(world, { event: { ...event } });

/** Tells how the last turn of a dispatch began, and how it ended, as far as that was not told. A kill in between tells it again, under the same id. */
export function tellTurn(world: World, state: DispatchState): void {
  const last = state.turns.at(-1);
  if (last === undefined || !state.isOwn) return;
  tellOnce(world, state, last, "started", (of) => [
    {
      ...of("dispatch_started"),
      type: "office:dispatch_started",
      reason: last.reason,
      initiator: state.dispatch.initiator,
      program: last.runner,
    },
    { ...of("running"), type: "office:state_changed", state: "running" },
  ]);
  const end = state.ends.find(({ turn }) => turn === last.turn);
  if (end !== undefined) tellOnce(world, state, last, "completed", (of) => completed(world, state, end, of));
}

type Of = (event: string) => { eventId: string; dispatch: string; context: string; part: string; turn: number };

function completed(world: World, { ends, facts }: DispatchState, end: TurnEnd, of: Of): OfficeEvent[] {
  const costOf = (some: readonly TurnEnd[]): number => some.reduce((sum, { usage }) => sum + (usage?.costUsd ?? 0), 0);
  const [costUsd, before, { costUsd: limitUsd }] = [costOf(ends), costOf(ends.filter((each) => each !== end)), officeLimits(world)];
  const isFailure = end.outcome === "failed" || end.outcome === "timeout";
  return [
    { ...of("dispatch_completed"), type: "office:dispatch_completed", outcome: end.outcome, usage: end.usage },
    ...(isFailure ? [{ ...of("failure"), type: "office:failure", outcome: end.outcome, problem: end.problem ?? "" } as const] : []),
    ...(costUsd >= limitUsd && before < limitUsd
      ? [{ ...of("cost_warning"), type: "office:cost_warning", costUsd, limitUsd } as const]
      : []),
    { ...of("ended"), type: "office:state_changed", state: deriveState(facts) },
  ];
}

function tellOnce(world: World, { dispatch }: DispatchState, { turn }: Turn, step: string, events: (of: Of) => OfficeEvent[]): void {
  const { store } = world.home();
  const mark = `${localFolder(dispatch.id)}/told/${turn}.${step}`;
  if (inOffice(store, false, (office) => exists(office, mark))) return;
  for (const event of events((name) => ({ eventId: `${dispatch.id}.${turn}.${name}`, ...ofDispatch(dispatch), turn })))
    tellOffice(world, event);
  publish({ ...officeToWrite(store), durable: false }, mark, "");
}
