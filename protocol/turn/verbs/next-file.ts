/**
 * The turns of parts that have only files: `run/next/<part>.md`, of this machine, never recorded, written anew by whichever process finds that
 * it may have changed. spec/messages.md, "A turn".
 */

import { noteMemoryTold, unknownMemory } from "../../board/files/known-memory.ts";
import { listTasks } from "../../board/files/list-tasks.ts";
import { findSession } from "../../board/files/sessions.ts";
import { readTask } from "../../board/files/task-files.ts";
import { reviewFolder } from "../../board/nouns/review.ts";
import { taskFolder, taskPath } from "../../board/nouns/task.ts";
import { orElse } from "../../core/format/file-error.ts";
import { shortNames, shortOf } from "../../core/format/id.ts";
import { LIMITS } from "../../core/format/schema.ts";
import type { World } from "../../core/world.ts";
import { unreadIds } from "../../mail/files/inbox-files.ts";
import { nameNow } from "../../mail/files/members.ts";
import { lifeMs, MARK_MS, markLife } from "../../mail/files/presence.ts";
import { cutAtWord } from "../../mail/nouns/message.ts";
import { inboxNew, markName, outboxOf, REFUSED } from "../../mail/nouns/part.ts";
import { sha256 } from "../../store/digest.ts";
import { ageMs, exists, facts, readAtMs } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import { readText } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";
import { place, publish } from "../../store/write/publish.ts";
import { touch } from "../../store/write/touch.ts";
import { turnWords } from "../nouns/turn-words.ts";
import { type Reading, turnOf, withReading } from "./make-turn.ts";

/** Keeps the turn of each part that has an outbox. What a disk refuses is kept by the next process. */
export async function keepTurns(world: World): Promise<void> {
  const { store, config } = world.home();
  if (store.readOnly || store.foreign !== null || world.past !== undefined || !exists(store, "outbox")) return;
  const parts = [...config().parts.keys()].filter((part) => exists(store, outboxOf(part)));
  if (parts.length > 0) await keepAll(world, parts).catch(() => {});
}

/** A disk's clock may stand for so long, in milliseconds, so that two changes have one time. */
const TICK_MS = 20;

async function keepAll(world: World, parts: readonly string[]): Promise<void> {
  const { store } = world.home();
  const session = findSession(world, undefined);
  const board = session === null ? ["sessions"] : ["sessions", taskFolder(session), reviewFolder(session)];
  const changedMs = (paths: readonly string[]): number => Math.max(0, ...paths.map((path) => facts(store, path)?.modifiedMs ?? 0));
  for (const part of parts) {
    const path = `run/next/${markName(part)}.md`;
    const notePath = `run/turn/${markName(part)}.next.json`;
    const outbox = outboxOf(part);
    // What comes while git is asked below changes a folder again, so that the next look finds it.
    const places = [...board, inboxNew(part), outbox, "memory"];
    const isSure = places.every((place) => (ageMs(store, place) ?? TICK_MS) >= TICK_MS);
    const seenMs = changedMs(places);
    const before = readNote(store, notePath);
    const isThere = exists(store, path);
    const atMs = readAtMs(store, path);
    // A part with only a shell reads its page, and does nothing else while it waits.
    if (atMs !== null && atMs - lifeMs(world, part) > MARK_MS) markLife(world, part, atMs);
    if (before.memory.length > 0 && atMs !== null) noteMemoryTold(world, part, before.memory);
    if (isThere && before.seenMs === seenMs && before.session === session && before.isSure) continue;
    let made = await makeFile(world, part, session, before.read, before.readings);
    // A file whose time is a new one has something new.
    if (!isThere || made.digest !== before.digest) {
      const isRead = readAtMs(store, path) !== null;
      const writtenMs = facts(store, path)?.modifiedMs ?? 0;
      if (isRead) made = await makeFile(world, part, session, [...before.read, ...before.shown], made.readings);
      place(store, path, made.text);
      // A shell that compares the two needs both.
      const seen = `run/next/${markName(part)}.seen`;
      if (!exists(store, seen) && publish(store, seen, "") === "created") touch(store, seen, 0);
      // What a part did itself is no news: the file's time stays.
      if (made.toDo.every((each) => before.toDo.includes(each))) touch(store, path, writtenMs, isRead ? writtenMs + 1 : writtenMs);
    }
    const { text: _, ...note } = made;
    place(store, notePath, JSON.stringify({ ...note, seenMs, session, isSure }));
  }
}

/** A turn's file, its digest, and what it tells, of which `read` as what was read before. */
async function makeFile(
  world: World,
  part: string,
  session: string | null,
  read: readonly string[],
  readings: Note["readings"],
): Promise<Omit<Note, "seenMs" | "session" | "isSure"> & { text: string }> {
  const outbox = outboxOf(part);
  const { store } = world.home();
  const refused = names(store, outbox).filter((name) => name.endsWith(REFUSED));
  const lines = refused.map((name) => `Refused: ${outbox}/${name} says why.\n`).join("");
  const waiting = unreadIds(store, part).filter((id) => read.includes(id));
  const { tasks = [], ...turn } = await withReading(world, turnOf(world, part, { isStanding: true, read }), readings);
  // Who claimed it reads once more what it is to do.
  const keyOf = ({ id, state }: (typeof tasks)[number]): string => (state === "held" ? `${id} held` : id);
  const isNew = (task: (typeof tasks)[number]): boolean => session !== null && task.state !== "in_review" && !read.includes(keyOf(task));
  const own = tasks.map((task) => (isNew(task) ? { ...task, details: detailsOf(world, session as string, task.id) } : task));
  const short = shortNames(waiting);
  const rest =
    waiting.length === 0
      ? ""
      : `\nRead, still in ${inboxNew(part)}/: ${waiting.map(short).join(", ")}. \`mv\` them to read/ once dealt with.`;
  const plan = session === null || read.includes(session) ? "" : planOf(world, session, part);
  const text = fitted(`${lines}${turnWords({ ...turn, tasks: own }, "file", world.now())}${plan}${rest}`);
  const { digests: memory } = unknownMemory(world, part);
  const shown = [
    ...waiting,
    ...(session === null ? [] : [session]),
    ...turn.messages.map(({ messageId }) => messageId),
    ...tasks.flatMap((task) => [task.id, keyOf(task)]),
  ];
  const kept = (turn.reviews ?? []).map(({ id, read: command, changed }): [string, Reading] => [id, { read: command, changed }]);
  const ready = tasks.filter(({ state }) => state === "ready").map(({ id }) => id);
  const toDo = [...turn.messages.map(({ messageId }) => messageId), ...kept.map(([id]) => id), ...ready, ...(turn.happened ?? [])];
  return {
    text,
    digest: sha256(text),
    shown,
    toDo,
    memory,
    read: read.filter((id) => shown.includes(id)),
    readings: Object.fromEntries(kept),
  };
}

/**
 * Of a turn's file the messages and its tasks, and those that it was read with: such messages a later one only counts, of such a task it
 * has one line. `readings` are what git said of its reviews, by id.
 */
interface Note {
  digest: string;
  shown: string[];
  /** What it tells to be done: its messages, reviews, ready tasks, and the end of a session. */
  toDo: string[];
  read: string[];
  /** Digests of what it tells of the memory. */
  memory: string[];
  readings: Record<string, Reading>;
  /** Instant of the last change of its sources, in milliseconds since the epoch; `isSure` where a further change would have another time. */
  seenMs: number;
  session: string | null;
  isSure: boolean;
}

const readNote = (store: Store, path: string): Note =>
  orElse(NO_NOTE, () => ({ ...NO_NOTE, ...JSON.parse(readText(store, path, LIMITS.messageBytes) ?? "") }));
const NO_NOTE: Note = { digest: "", shown: [], toDo: [], memory: [], read: [], readings: {}, seenMs: 0, session: null, isSure: false };

/** Tasks of others that a file names, once. */
const OTHERS = 20;

/** The tasks of others, a line for all. */
function planOf(world: World, session: string, part: string): string {
  const others = listTasks(world, session, []).filter(({ assignee }) => assignee === undefined || nameNow(world, assignee) !== part);
  const names = others.map(
    ({ id, title, assignee }) => `${shortOf(id)} '${title}'${assignee === undefined ? "" : ` of ${nameNow(world, assignee)}`}`,
  );
  const more = names.length > OTHERS ? ` and ${names.length - OTHERS} more` : "";
  return names.length === 0 ? "" : `\nOther tasks: ${names.slice(0, OTHERS).join(", ")}${more}.`;
}

/** Characters of a task's description. */
const DESCRIPTION = 1_500;

/** The description of a task, whole or with its path, and its reviewer. */
const detailsOf = (world: World, session: string, id: string): string =>
  orElse("", () => {
    const { description = "", reviewers = [] } = readTask(world, session, id) ?? {};
    const review = reviewers.length === 0 ? "" : `Reviewed by ${reviewers.map((each) => nameNow(world, each)).join(", ")}.`;
    const words = description.trim();
    return `${words.length <= DESCRIPTION ? words : `${cutAtWord(words, DESCRIPTION)} … (${taskPath(session, id)})`}\n${review}`.trim();
  });

/** Characters of a turn's file. */
const FILE_CHARACTERS = 6_000;
const MORE = "… more, once you dealt with these.";

/** The first lines of a turn, as many as its file holds. */
function fitted(text: string): string {
  const lines = text.split("\n");
  let size = text.length;
  let count = lines.length;
  while (size + MORE.length + 2 > FILE_CHARACTERS && count > 0) {
    count -= 1;
    size -= (lines[count] as string).length + 1;
  }
  return `${[...lines.slice(0, count), ...(count < lines.length ? [MORE] : [])].join("\n")}\n`;
}
