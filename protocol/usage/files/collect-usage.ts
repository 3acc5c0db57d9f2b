/**
 * Collects what agents' own records say of their calls: each is read on where the last reading ended, and its calls are appended to this
 * clone's lines. A call has one id, however often it is read, so that a reading which was killed is done again. spec/usage.md, "Collecting".
 */
import fs from "node:fs";
import { orElse, quietly } from "../../core/format/file-error.ts";
import { cloneName } from "../../core/home/feed.ts";
import type { World } from "../../core/world.ts";
import { readGrown, readUserFile } from "../../store/beside/user-file.ts";
import { sha256 } from "../../store/digest.ts";
import { entries } from "../../store/read/list-folder.ts";
import { readText } from "../../store/read/read-file.ts";
import { readJson } from "../../store/read/read-json.ts";
import { appendLine } from "../../store/write/append-line.ts";
import { removeFile } from "../../store/write/move-file.ts";
import { place } from "../../store/write/publish.ts";
import { type RecordAgent, readRecord, wholeRecord } from "../nouns/records.ts";
import { formatUsage, isInstant, joinUsage, monthOf, readUsage, type UsageLine, usagePath } from "../nouns/usage-line.ts";
import { keepSpent } from "./spent-lines.ts";

/** A file of an agent's. */
export interface AgentRecord {
  agent: RecordAgent;
  /** Absolute path. */
  file: string;
}

/** Whose the calls of a record are. */
export type Whose = Pick<UsageLine, "part" | "session" | "task" | "dispatch" | "worktree" | "subscription">;

/** How far a record was read. It is kept with the record's path: where that is gone, so is what is kept of it. */
interface Mark {
  next: number;
  before: string;
  state: unknown;
}

const START: Mark = { next: 0, before: sha256(""), state: undefined };
const MARK_BYTES = 1_048_576;
const MARKS = "local/usage";
/** By the path, which may be longer than a name may be. What a hook read of a session of the office, the office reads for itself. */
const markPath = (file: string, dispatch: string | undefined): string =>
  `${MARKS}/${sha256(dispatch === undefined ? file : `${file}\n${dispatch}`).slice(0, 32)}`;
/** Characters that are appended at once. */
const APPENDED = 262_144;

/**
 * Reads one record on, and keeps its calls.
 * @returns how many calls were new; null where the record cannot be read
 */
export function collectRecord(world: World, { agent, file }: AgentRecord, whose: Whose): number | null {
  if (file.endsWith(".json")) return collectWhole(world, { agent, file }, whose);
  let count = 0;
  for (let mark = readMark(world, file, whose.dispatch); ; ) {
    const grown = readGrown(file, mark);
    if (grown === null) return null;
    if (grown.next === mark.next && grown.from === mark.next) return count;
    const { state, calls } = readRecord(agent, grown.lines, grown.from === mark.next ? mark.state : undefined);
    keepCalls(
      world,
      calls.map((call) => ({ ...call, ...whose })),
    );
    count += calls.length;
    mark = { next: grown.next, before: grown.before, state };
    putMark(world, file, whose.dispatch, mark);
  }
}

/** As `collectRecord`, of a record that is replaced whole at each turn: only the calls that it did not have before are kept. */
function collectWhole(world: World, { agent, file }: AgentRecord, whose: Whose): number | null {
  const text = orElse(null, () => readUserFile(file));
  if (text === null) return null;
  const mark = readMark(world, file, whose.dispatch);
  const { calls } = readRecord(agent, wholeRecord(text), undefined);
  const known = new Set(Array.isArray(mark.state) ? mark.state : []);
  const fresh = calls.filter(({ id }) => !known.has(id));
  keepCalls(
    world,
    fresh.map((call) => ({ ...call, ...whose })),
  );
  if (fresh.length > 0) putMark(world, file, whose.dispatch, { next: 0, before: sha256(""), state: calls.map(({ id }) => id) });
  return fresh.length;
}

function putMark(world: World, file: string, dispatch: string | undefined, mark: Mark): void {
  place({ ...world.home().store, durable: false }, markPath(file, dispatch), `${JSON.stringify({ file, ...mark })}\n`);
}

const readMark = (world: World, file: string, dispatch: string | undefined): Mark =>
  orElse(START, () => {
    const text = readText(world.home().store, markPath(file, dispatch), MARK_BYTES);
    const { next, before, state } = JSON.parse(text ?? "") as Mark;
    return Number.isSafeInteger(next) && next >= 0 && typeof before === "string" ? { next, before, state } : START;
  });

/** Forgets how far records were read that their agents have removed. */
function forgetGone(world: World): void {
  const { store } = world.home();
  for (const { name, kind } of entries(store, MARKS)) {
    const { file } = (kind === "file" ? readJson<{ file: unknown }>(store, `${MARKS}/${name}`, MARK_BYTES) : null) ?? {};
    if (typeof file === "string" && !fs.existsSync(file)) removeFile(store, `${MARKS}/${name}`);
  }
}

/** A call whose time, in another form or none, a line can hold: one without a time is made now, and says so. */
function holdable(line: UsageLine, nowMs: number): UsageLine {
  if (isInstant(line.at)) return line;
  const at = new Date(line.at);
  const isTime = !Number.isNaN(at.getTime());
  return {
    ...line,
    at: (isTime ? at : new Date(nowMs)).toISOString(),
    unknown: isTime ? line.unknown : [...(line.unknown ?? []), "timestamp"],
  };
}

/**
 * Appends calls to this clone's lines, each once: an agent writes a call again for each of its blocks. Those that no line can hold are
 * left out, and are none that an agent writes.
 */
export function keepCalls(world: World, lines: readonly UsageLine[]): void {
  const { store } = world.home();
  const byId = new Map<string, UsageLine>();
  for (const each of lines) {
    const line = holdable(each, world.now());
    const known = byId.get(line.id);
    byId.set(line.id, known === undefined ? line : joinUsage(known, line));
  }
  const byMonth = new Map<string, string[]>();
  for (const line of byId.values()) {
    const text = formatUsage(line);
    if (typeof readUsage(text) === "string") continue;
    const month = monthOf(line.at);
    const texts = byMonth.get(month) ?? [];
    byMonth.set(month, texts);
    texts.push(text);
  }
  for (const [month, texts] of byMonth) {
    if (keepSpent(world, month, texts)) quietly(() => forgetGone(world));
    for (let from = 0; from < texts.length; ) {
      let [to, size] = [from, 0];
      while (to < texts.length && size < APPENDED) size += (texts[to++] as string).length + 1;
      appendLine(store, usagePath(month, cloneName(world)), texts.slice(from, to).join("\n"), to === texts.length);
      from = to;
    }
  }
}
