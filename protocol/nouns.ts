/** The list of nouns: every kind of file that clones share, in the order in which a record's message counts them. */
import { pool, sessionTeam } from "./agents/nouns/agent-nouns.ts";
import { artifact, content, result, review } from "./board/nouns/artifact-nouns.ts";
import { memory } from "./board/nouns/memory-nouns.ts";
import { ended, label, reopened, session, state } from "./board/nouns/session-nouns.ts";
import { summary, version } from "./board/nouns/summary-nouns.ts";
import { claim, decision, task } from "./board/nouns/task-nouns.ts";
import { config, guide } from "./core/config/config-nouns.ts";
import { events } from "./core/event/event-nouns.ts";
import type { Noun } from "./core/noun/noun.ts";
import { acked, message, thread, unread } from "./mail/nouns/message-nouns.ts";
import { guest } from "./mail/nouns/part-nouns.ts";
import { dispatch, dispatchClosed, turn, turnEnd, turnText } from "./office/nouns/dispatch-nouns.ts";
import { office, officeAgent, project, workgroup } from "./office/nouns/office-nouns.ts";
import { archive, forgotten, refused } from "./removal/nouns/removal-nouns.ts";
import { usage } from "./usage/nouns/usage-nouns.ts";

/** Every noun. */
export const nouns = [
  ...[message, unread, acked],
  ...[claim, decision, task],
  ...[artifact, content, review, result],
  ...[session, ended, reopened, summary, version, state, label],
  ...[pool, sessionTeam, memory, events, config, guide],
  ...[office, project, workgroup, officeAgent],
  ...[dispatch, turn, turnEnd, turnText, dispatchClosed],
  ...[thread, guest, archive, forgotten, refused, usage],
] as const;

type OneOf = (typeof nouns)[number];

/** What the file at a path is: the kind of its noun, and what its path says. */
type PlaceOf<N> = N extends Noun<infer Kind, infer Where, infer _Value, infer _Did> ? { kind: Kind } & Where : never;
/** A file of a noun, by its path alone. */
export type NounPlace = PlaceOf<OneOf>;
type DidOf<N> = N extends Noun<infer _Kind, infer _Where, infer _Value, infer Did> ? Did : never;
/** What a push can do by a file of a noun. */
export type EffectOf = DidOf<OneOf>;
/** The kinds of nouns. */
export type NounKind = OneOf["kind"];
/** What a file of a noun says. */
export type ValueOf<Kind extends NounKind> =
  Extract<OneOf, { kind: Kind }> extends Noun<Kind, infer _Where, infer Value, infer _Did> ? Value : never;

/** A file that could be read: what its path and its text say, by the kind of its noun. */
export type ParsedFile = {
  [Kind in NounKind]: { kind: Kind; place: Extract<NounPlace, { kind: Kind }>; value: ValueOf<Kind> };
}[NounKind];
