/** The news for a person, read from the files, so that no process must have seen it happen. spec/waking.md, "Telling a person". */

import { listTasks } from "../../board/files/list-tasks.ts";
import { lastEndPath, readSession, sessionNames } from "../../board/files/sessions.ts";
import { readTask } from "../../board/files/task-files.ts";
import { sessionFolder } from "../../board/nouns/session.ts";
import { isTakenBack, type Task, taskFolder, taskPath } from "../../board/nouns/task.ts";
import type { News, NewsKind } from "../../core/event/notify.ts";
import { compareNewest, decodeTime, parseMessageId } from "../../core/format/id.ts";
import { HUMAN, partProblem } from "../../core/names.ts";
import type { World } from "../../core/world.ts";
import { unreadIds } from "../../mail/files/inbox-files.ts";
import { readMail } from "../../mail/files/mail.ts";
import { messagePath } from "../../mail/nouns/message.ts";
import { partOfMark, unreadPath } from "../../mail/nouns/part.ts";
import { STUCK } from "../../mail/nouns/quiet.ts";
import { ageMs, exists, facts } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import { readText } from "../../store/read/read-file.ts";
import { errorCode } from "../../store/root.ts";
import { originsOf } from "../../trust/files/note-origins.ts";
import { originWords, senderShown } from "../../trust/nouns/origin.ts";
import { blockedNews } from "./blocked-parts.ts";
import { overdueNews } from "./overdue-mail.ts";

/** What happened longer ago is no news, and what says that it happens later than this is none yet. */
const DAY_MS = 86_400_000;
const AHEAD_MS = 600_000;
const MARK_BYTES = 65_536;

/** What was found out of a thing, by what tells it apart: null where it is no news. It outlives a look, so that nothing is read twice. */
export type NewsMemory = Map<string, News | null>;
const MEMORY_ENTRIES = 100_000;

/** The news of the last day of some kinds, in no order; what cannot be read is none. */
export function newsOf(world: World, kinds: ReadonlySet<NewsKind>, memory: NewsMemory): News[] {
  if (memory.size > MEMORY_ENTRIES) memory.clear();
  const now = world.now();
  const origin = originsOf(world);
  const known = (key: string, find: () => News | null): News[] => {
    const before = memory.get(key);
    const found = before === undefined ? readable(find) : before;
    if (found === undefined) return [];
    memory.set(key, found);
    return found === null ? [] : [found];
  };
  const from = (path: string, part: string): Pick<News, "part" | "origin"> => {
    const found = origin(path);
    if (found.from === "unknown" && (ageMs(world.home().store, path) ?? NOTED_MS) < NOTED_MS) throw new NotNoted();
    return { part: senderShown(part, found), origin: originWords(found) };
  };
  const finders: Record<NewsKind, () => News[]> = {
    needs_human: () => questionNews(world, now, known, from),
    blocked: () => blockedNews(world),
    task_done: () => taskNews(world, now, known, from),
    stuck: () => stuckNews(world, known),
    unread: () => overdueNews(world),
    session_ended: () => sessionNews(world, now, known, from),
  };
  return [...kinds].flatMap((kind) => finders[kind]()).filter(({ atMs }) => now - atMs < DAY_MS && atMs - now < AHEAD_MS);
}

type Known = (key: string, find: () => News | null) => News[];
type From = (path: string, part: string) => Pick<News, "part" | "origin">;

/** Whoever writes a file notes right after it that it is from here: one of this instant is asked about again. */
class NotNoted extends Error {}
const NOTED_MS = 2_000;

/** News, or null where a file is none; undefined where the disk failed, so that the next read asks again. */
function readable(find: () => News | null): News | null | undefined {
  try {
    return find();
  } catch (error) {
    // `check` and `doctor` name a file that cannot be read.
    return error instanceof NotNoted || /^E[A-Z]+$/.test(errorCode(error) ?? "") ? undefined : null;
  }
}

/** What people must decide; a message that was already acked needs nobody. */
function questionNews(world: World, now: number, known: Known, from: From): News[] {
  const { store } = world.home();
  return unreadIds(store, HUMAN)
    .sort(compareNewest)
    .flatMap((id) => {
      const location = parseMessageId(id);
      if (location === null || now - decodeTime(location.token) >= DAY_MS) return [];
      return known(`needs_human ${id}`, () => {
        const at = unreadPath(HUMAN, id);
        const message = readMail(world, HUMAN, id, at, []);
        if (message?.needsHuman !== true) return null;
        const atMs = decodeTime(location.token);
        const hereMs = Math.max(atMs, facts(store, at)?.modifiedMs ?? 0);
        return { kind: "needs_human", id, subject: message.subject, atMs, hereMs, ...from(messagePath(location), message.from) };
      });
    });
}

/** Tasks that are done. Only the folders that changed within the day are looked into. */
function taskNews(world: World, now: number, known: Known, from: From): News[] {
  const { store } = world.home();
  return sessionNames(store)
    .filter((session) => now - (facts(store, taskFolder(session))?.modifiedMs ?? 0) < DAY_MS)
    .flatMap((session) =>
      listTasks(world, session, [])
        .filter(({ status, updatedAt }) => status === "done" && now - Date.parse(updatedAt) < DAY_MS)
        .flatMap(({ id, updatedAt }) =>
          known(`task_done ${session} ${id} ${updatedAt}`, () => {
            const task = readTask(world, session, id);
            if (task?.status !== "done" || isTakenBack(task)) return null;
            const atMs = doneMs(task);
            const part = task.assignee ?? task.createdBy;
            return { kind: "task_done", id, subject: task.title, atMs, hereMs: atMs, ...from(taskPath(session, id), part) };
          }),
        ),
    );
}

/** When a task was done last, by its history; an edit after that is no second end. */
function doneMs({ history, updatedAt }: Task): number {
  const line = history.findLast((each) => /^\S+ \S+: (?:\S+ → )?done(?:,|$)/.test(each));
  const atMs = Date.parse(line?.split(" ")[0] ?? "");
  return Number.isNaN(atMs) ? Date.parse(updatedAt) : atMs;
}

/** Parts that this machine told of as stuck. */
function stuckNews(world: World, known: Known): News[] {
  const { store } = world.home();
  return names(store, STUCK).flatMap((folder) => {
    const part = partOfMark(folder);
    if (partProblem(part) !== null) return [];
    return names(store, `${STUCK}/${folder}`).flatMap((name) =>
      known(`stuck ${part} ${name}`, () => {
        const said = JSON.parse(readText(store, `${STUCK}/${folder}/${name}`, MARK_BYTES) ?? "null") as {
          at: string;
          task: string;
          title: string;
          origin?: string;
        };
        const atMs = Date.parse(said.at);
        return { kind: "stuck", id: said.task, part, subject: said.title, atMs, hereMs: atMs, origin: said.origin };
      }),
    );
  });
}

/** Sessions that ended. */
function sessionNews(world: World, now: number, known: Known, from: From): News[] {
  const { store } = world.home();
  return sessionNames(store).flatMap((id) => {
    const changedMs = facts(store, sessionFolder(id))?.modifiedMs ?? 0;
    if (now - changedMs >= DAY_MS) return [];
    // By the file that says so: a time of the folder may be that of a change before it.
    const at = lastEndPath(store, id);
    if (!exists(store, at)) return [];
    return known(`session_ended ${at}`, () => {
      const session = readSession(store, id);
      if (session?.endedAt === undefined) return null;
      const atMs = Date.parse(session.endedAt);
      const part = session.endedBy ?? HUMAN;
      return { kind: "session_ended", id, subject: `Session ${id} ended`, atMs, hereMs: atMs, ...from(at, part) };
    });
  });
}
