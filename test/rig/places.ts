/** Places of each noun, made at random: whatever a path of one may say. */

import { isSessionId } from "../../protocol/board/nouns/session.ts";
import { ALPHABET, dayOf, encodeTime } from "../../protocol/core/format/id.ts";
import { partProblem } from "../../protocol/core/names.ts";
import { nounOf } from "../../protocol/core/noun/noun-list.ts";
import { type NounKind, type NounPlace, nouns } from "../../protocol/nouns.ts";
import { agentProblem, fileSlug } from "../../protocol/office/nouns/name.ts";
import { fc } from "./properties.ts";

const from = (letters: string, least: number, most = least): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...letters), minLength: least, maxLength: most });
const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const HEX = "0123456789abcdef";
const random = (length: number): fc.Arbitrary<string> => from(ALPHABET, length);
const upTo = (max: number): fc.Arbitrary<number> => fc.integer({ min: 1, max });
const moment = fc.integer({ min: 0, max: Date.parse("2500-01-01") });
const segment = fc.oneof(
  fc.tuple(from(LETTERS, 1), from(`${LETTERS}_-`, 0, 63)).map(([first, rest]) => first + rest),
  fc.constantFrom("local", "run", "outbox", "relay-home", "relay-place", "org"),
);
const part = fc
  .array(segment, { minLength: 1, maxLength: 3 })
  .map((segments) => segments.join("/"))
  .filter((id) => partProblem(id) === null);
const session = fc.oneof(from(`${LETTERS}_-`, 1, 128), fc.constantFrom("relay-home", "local")).filter(isSessionId);
const task = random(10).map((id) => `task-${id}`);
const review = random(10).map((id) => `review-${id}`);
const day = moment.map(dayOf);
const thread = fc.record({ day, random: random(8) });
const key = fc
  .record({ day, random: random(8), n: upTo(999_999_999), at: moment, tail: random(5) })
  .map(({ at, tail, ...rest }) => ({ ...rest, token: encodeTime(at) + tail }));
const fence = upTo(99_999_999);
const version = fc
  .record({ session, name: fc.constantFrom("checkout-", "a-b-", ""), hash: from(HEX, 12), version: upTo(9_999_999) })
  .map(({ name, ...rest }) => ({ ...rest, folder: name + rest.hash }));
/** What a file of the office may be called: a name, whose file any system can have. */
const orgName = fc
  .oneof(segment, fc.constantFrom("agents", "projects", "Quality-Control", "a_b"))
  .filter((name) => fileSlug(name) !== null);
const turn = fc.record({ session, turn: upTo(999) });
const ofDispatch = fc.record({ key: thread, turn: upTo(999_999) });

type Where<Kind extends NounKind> = Omit<Extract<NounPlace, { kind: Kind }>, "kind">;

/** What the paths of each noun say. */
const WHERE: { [Kind in NounKind]: fc.Arbitrary<Where<Kind>> } = {
  message: fc.record({ key }),
  unread: fc.record({ part, key }),
  acked: fc.record({ part, key }),
  claim: fc.record({ session, task, fence }),
  decision: fc.record({ session, task, fence, nonce: random(8), as: fc.constantFrom("confirmed", "lost") }),
  task: fc.record({ session, task }),
  artifact: version,
  content: fc.tuple(version, fc.constantFrom("md", "svg", "artifact")).map(([where, extension]) => ({ ...where, extension })),
  review: fc.record({ session, review }),
  result: fc.record({ session, review }),
  session: fc.record({ session }),
  ended: turn,
  reopened: turn,
  summary: fc.record({ session }),
  version: fc.record({ session, version: upTo(999_999_999) }),
  state: fc.record({ session }),
  label: fc.record({ session, hash: from(HEX, 24) }),
  pool: fc.constant({}),
  team: fc.record({ session }),
  memory: fc.record({ part: fc.option(part) }),
  events: fc.record({ day, clone: random(8) }),
  config: fc.constant({}),
  text: fc.constant({}),
  thread: fc.record({ key: thread }),
  guest: fc.record({ part }),
  archive: fc.record({ key: thread, number: upTo(999) }),
  forgotten: fc.record({ key }),
  refused: fc.record({ key }),
  office: fc.constant({}),
  project: fc.record({ project: orgName }),
  workgroup: fc.record({ project: fc.option(orgName), workgroup: orgName }),
  agent: fc.record({ project: fc.option(orgName), agent: orgName.filter((name) => agentProblem(name) === null) }),
  dispatch: fc.record({ key: thread }),
  dispatch_closed: fc.record({ key: thread }),
  turn: ofDispatch,
  turn_end: ofDispatch,
  turn_text: ofDispatch,
  usage: fc.record({ month: day.map((each) => each.slice(0, 7)), clone: random(8) }),
};

/** A place of a noun, and its path. */
export const placesOf = (kind: NounKind): fc.Arbitrary<{ place: NounPlace; path: string }> =>
  (WHERE[kind] as fc.Arbitrary<object>).map((where) => ({ place: { kind, ...where } as NounPlace, path: nounOf(kind).path(where) }));

/** Every path that Relay makes and clones share. */
export const lawfulPaths: fc.Arbitrary<string> = fc.oneof(
  fc.constant(".gitignore"),
  ...nouns.map(({ kind }) => placesOf(kind).map(({ path }) => path)),
);
