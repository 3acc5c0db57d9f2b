/** What happens in an office, as whoever follows it is told: hints, of which nothing is read back. spec/office.md, "Events". */
import type { DispatchStateName } from "./dispatch-state.ts";
import type { Outcome, TurnReason, Usage } from "./turn.ts";

/** The dispatch that something happened in. */
interface OfDispatch {
  /** The id of the dispatch. */
  dispatch: string;
  context: string;
  /** The position that does the work. */
  part: string;
}
/** The turn that something happened in. */
interface OfTurn extends OfDispatch {
  turn: number;
}
/** Events that a process sends again after another was killed: they have the same id. */
interface Once extends OfTurn {
  eventId: string;
}

/** What happened. Each turn has one `dispatch_started` and one `dispatch_completed`, however it ends. */
export type OfficeEvent =
  | ({ type: "office:dispatch_started"; reason: TurnReason; initiator: string; program: string } & Once)
  | ({ type: "office:dispatch_completed"; outcome: Outcome; usage?: Usage | undefined } & Once)
  | ({ type: "office:state_changed"; state: DispatchStateName } & Once)
  | ({ type: "office:failure"; outcome: Outcome; problem: string } & Once)
  /** What its turns cost so far is over the limit, in US dollars. */
  | ({ type: "office:cost_warning"; costUsd: number; limitUsd: number } & Once)
  /** The program began a session of its own; its id, where it is known before. */
  | ({ type: "office:session_started"; program: string; session: string | null } & OfTurn)
  /** The program printed something: how much by now, the end of it, and, where it prints JSON, what it says to people since the last one. */
  | ({ type: "office:stream_data"; bytes: number; chunk: string; said?: string | undefined } & OfTurn)
  /** What the model was last given is over the limit, in tokens. */
  | ({ type: "office:context_warning"; tokens: number; limitTokens: number } & OfTurn)
  /** A question to whoever gave the work, or to people; its message. */
  | ({ type: "office:input_requested"; to: string; question: string } & OfDispatch)
  /** An answer to a question; its message. */
  | ({ type: "office:input_received"; from: string; answer: string } & OfDispatch);
