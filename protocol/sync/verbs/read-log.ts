/** The records of the home, as git tells of them. */
import * as z from "zod/mini";
import { taskOfAny } from "../../board/files/task-files.ts";
import { agentMemoryPath, MEMORY_PATH } from "../../board/nouns/memory.ts";
import { AUTHOR_CHARACTERS, asLine } from "../../core/format/hidden.ts";
import { LIMITS } from "../../core/format/schema.ts";
import { partProblem } from "../../core/names.ts";
import type { World } from "../../core/world.ts";
import { gitBytes, type Repository } from "../../git/git-run.ts";
import { noteCommit } from "../../git/home/home-at-commit.ts";
import { branchRef } from "../../git/home/repository.ts";
import { requireDistinct } from "../../mail/files/members.ts";
import { resolveWithArchives } from "../../mail/files/threads.ts";
import { threadFolder } from "../../mail/nouns/message.ts";

/** One record of the home. */
export const LogEntry = z.object({
  commit: z.string(),
  /** The commit that it was made on, of a merge the first; null for the first commit. What a commit changed is what differs from it. */
  parent: z.nullable(z.string()),
  at: z.string(),
  by: z.string(),
  subject: z.string(),
  parts: z.array(z.string()),
});

type Entry = z.infer<typeof LogEntry>;

/** Columns of the parts that a record names. */
const PARTS_COLUMNS = 1_000;
/** Whoever pushes chooses an author and a subject: git cuts them, so that none is read whole. */
const cut = (columns: number, words: string): string => `%x1f%<(${columns},trunc)${words}`;
const TRAILER = "%(trailers:key=Relay-Part,valueonly,separator=%x2C)";
const WORDS = [cut(AUTHOR_CHARACTERS, "%an"), cut(LIMITS.subject, "%s"), cut(PARTS_COLUMNS, TRAILER)].join("");
const FORMAT = `--format=%H%x1f%P%x1f%T%x1f%ct%x1f%cI${WORDS}`;

/** What git is asked: options, and the paths after them. */
interface Query {
  options: string[];
  paths: string[];
}

/** What the records are wanted of. */
export interface Wanted {
  part?: string | undefined;
  threadId?: string | undefined;
  task_id?: string | undefined;
  /** A part whose memory is meant; `*` is the project's. */
  memory?: string | undefined;
}

/** What git is asked for the records of a part, a thread, a task or a memory. */
export function logQueries(world: World, { part, threadId, task_id, memory }: Wanted): Query[] {
  const paths: string[] = [];
  if (memory !== undefined) {
    if (memory !== "*") requireDistinct(world, memory);
    paths.push(memory === "*" ? MEMORY_PATH : agentMemoryPath(memory));
  }
  if (threadId !== undefined) paths.push(threadFolder(resolveWithArchives(world.home(), threadId).key));
  if (task_id !== undefined) {
    const task = taskOfAny(world, task_id);
    paths.push(`:(glob)sessions/*/tasks/${task}.md`, `:(glob)sessions/*/claims/${task}/*`);
  }
  if (part === undefined) return [{ options: [], paths }];
  const by: Query = { options: ["--grep", `^Relay-Part: ${part}$`], paths };
  return paths.length > 0 ? [by] : [by, { options: [], paths: [`inbox/${part}/`, `memory/agents/${part}.md`] }];
}

/** The records that fit a query, newest first. */
export async function readLog(repository: Repository, { options, paths }: Query, count: number): Promise<Entry[]> {
  const args = [
    "log",
    "-z",
    "--no-show-signature",
    "--encoding=UTF-8",
    "--basic-regexp",
    FORMAT,
    `--max-count=${count}`,
    ...options,
    branchRef(repository),
    "--",
    ...paths,
  ];
  const out = (await gitBytes(repository, args)).toString("utf8");
  return out.split("\0").flatMap((line) => {
    const [commit = "", parents = "", tree = "", seconds = "", at = "", by = "", subject = "", parts = ""] = line.split("\x1f");
    if (commit === "") return [];
    noteCommit(repository, commit, tree, Number(seconds));
    return [
      {
        ...{ commit, parent: parents.split(" ")[0] || null, at },
        ...{ by: asLine(by.trimEnd(), AUTHOR_CHARACTERS), subject: asLine(subject.trimEnd(), LIMITS.subject) },
        parts: parts
          .trim()
          .split(",")
          .filter((part) => partProblem(part) === null),
      },
    ];
  });
}
