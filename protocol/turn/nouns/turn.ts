/** What an agent's turn begins with: what of the board is new for a part, by states that it was told before. spec/messages.md, "A turn". */

import type { Review, ReviewStatus } from "../../board/nouns/review.ts";
import type { TaskStatus } from "../../board/nouns/task.ts";
import { isFinished } from "../../board/nouns/task.ts";
import { addTo } from "../../core/format/append.ts";
import { shortOf } from "../../core/format/id.ts";
import { cutAtWord, preview } from "../../mail/nouns/message.ts";

/** A review that a part is asked for. */
export interface ReviewAsked {
  id: string;
  artifact: string;
  name: string;
  version: number;
  from: string;
  task?: string | undefined;
  /** The part that merges it, which ends its task; absent where an approval can. */
  merges?: string | undefined;
  /** Parts whose tasks wait for the end of its task. */
  waiting?: string[] | undefined;
  commit?: string | undefined;
  /** The commit of the version that the same reviewer answered before. */
  since?: string | undefined;
  /** The file of its content, in the home. */
  path?: string | undefined;
  /** The commands that show its code, and what changed since then, and what its task asks for and its author says. */
  read?: string | undefined;
  changed?: string | undefined;
  said?: string | undefined;
}

/** A task of a part. `state` is `held`, `ready`, `blocked`, or its status. */
export interface OwnTask {
  id: string;
  title: string;
  state: string;
  /** ISO 8601; when the lease of the part's own claim ends. */
  until?: string | undefined;
  /** What it waits for: the tasks, and whose they are. */
  blockedBy?: string[] | undefined;
  /** Why it is blocked, where somebody said so. */
  reason?: string | undefined;
  /** What git is to merge before it begins: the main branch, and the commits that it needs, approved, and not in that. */
  merge?: string[] | undefined;
  /** Parts whose tasks wait for this one. */
  waiting?: string[] | undefined;
}

/**
 * What is new for a part. `happened` are sentences of the board. `calls` says that some of it is to be acted on, so that nobody waits on;
 * `waits` says that all of it may wait until the board is quiet. `left` counts what the next turn tells.
 */
export interface BoardNews {
  reviews: ReviewAsked[];
  tasks: OwnTask[];
  happened: string[];
  left: number;
  calls: boolean;
  waits: boolean;
}

/** States that a part was told, by key: `review/<id>`, `task/<id>`, `board/<id>`, `result/<id>`, `all`. */
export type Told = Readonly<Record<string, string>>;

/** A task of a board. Parts are by their names of now. */
export interface BoardTask {
  id: string;
  title: string;
  status: TaskStatus;
  assignee?: string | undefined;
  createdBy: string;
  /** Who changed it last. */
  changedBy?: string | undefined;
  dependsOn: readonly string[];
  blockedReason?: string | undefined;
  /** The part whose claim holds, and until when, ISO 8601. */
  holder?: { part: string; until: string } | undefined;
}

/** A review of a board. Parts are by their names of now. */
export type BoardReview = Review & { status: ReviewStatus; comments: string | null };

/** A session that is over: who ended it, and the beginning of its summary. */
export interface Ended {
  session: string;
  by?: string | undefined;
  summary?: string | undefined;
  /** The file of the summary, from the project's root. */
  path?: string | undefined;
}

/** Says that a session is over, where its summary is, and, where no other one is open, that nothing is left to do. */
export function endedWords({ ended, session }: Board, part: string): string {
  const { session: id, by, summary = "", path } = ended as Ended;
  const words = `${summary === "" ? "" : `: ${summary.replace(/\.$/, "")}`}${path === undefined ? "" : ` (${path})`}`;
  const rest = session === null ? "; nothing is left for you until new mail comes" : "";
  return `${by === undefined ? `session ${id} is over` : `${by === part ? "You" : by} ended session ${id}`}${words}${rest}`;
}

/** The board of one session. */
export interface Board {
  session: string | null;
  /** The session which the part was told of before, where that is another one; where none is open, the latest one. */
  ended?: Ended | undefined;
  tasks: readonly BoardTask[];
  reviews: readonly BoardReview[];
}

/** Whose turn it is, and what that part was told before; null where it never was told anything. */
export interface Teller {
  part: string;
  /** The part that coordinates. */
  main: string;
  told: Told | null;
  /** True tells everything again, not only news. */
  all: boolean;
}

/** Reviews, tasks and sentences of one turn: a board of any length costs its reader so much at a time. */
const LISTED = 20;

/** Characters of a review's comments that a turn says. */
const COMMENT = 600;

/** What a part was told of a task of its own that is blocked by its status, and not by others that it waits for. */
const HALTED = "halted";

/** Tells a commit: a text of a file that came along stands in commands that are to be typed. */
const isCommit = (text: string | undefined): text is string => /^[0-9a-f]{7,64}$/.test(text ?? "");

/** The commit of the newest earlier version of an artifact that a review's reviewer answered. */
function answeredBefore({ reviews }: Board, { artifact, reviewer, version }: BoardReview): string | undefined {
  const nameOf = (id: string): string => id.replace(/-\d+$/, "");
  const earlier = reviews.filter(
    (each) =>
      nameOf(each.artifact) === nameOf(artifact) &&
      each.reviewer === reviewer &&
      each.version < version &&
      each.status !== "pending" &&
      isCommit(each.commit),
  );
  return earlier.sort((a, b) => b.version - a.version)[0]?.commit;
}

/** A review's comments on one line; of longer ones the first words, and what shows the rest. */
function quoted({ id, comments }: BoardReview): string {
  const words = preview(comments ?? "", COMMENT + 1);
  if (words === "") return "";
  return `: ${words.length <= COMMENT ? words : `${cutAtWord(words, COMMENT)} … (relay review show ${shortOf(id)})`}`;
}

/** What a review came to, after the name of its reviewer. */
const resultWords = (review: BoardReview): string => {
  const at = review.commit === undefined ? "" : ` at ${review.commit.slice(0, 7)}`;
  return `${review.status === "approved" ? "approved" : "asked for changes"}${at}${quoted(review)}`;
};

/**
 * Lists what a board has for a part, and the states that the part has been told once it was shown that.
 * Of what was over before the part's first turn nothing is told.
 */
export function boardNews(board: Board, { part, main, told, all }: Teller): { news: BoardNews; told: Record<string, string> } {
  const news: BoardNews = { reviews: [], tasks: [], happened: [], left: 0, calls: false, waits: true };
  const now: Record<string, string> = {};
  const isNew = (key: string, state: string): boolean => {
    now[key] = state;
    return all || told?.[key] !== state;
  };
  const call = (): void => {
    news.calls = true;
    news.waits = false;
  };
  /** Adds what the states of some keys tell, or leaves it, untold, to the next turn. */
  const list = (keys: readonly string[], add: () => void): void => {
    if (news.reviews.length + news.tasks.length + news.happened.length < LISTED) {
      add();
      return;
    }
    news.left += 1;
    call();
    for (const key of keys) {
      delete now[key];
      if (!all && told?.[key] !== undefined) now[key] = told[key];
    }
  };
  const happened = (sentence: string, calls: boolean): void => {
    news.happened.push(sentence);
    news.calls ||= calls;
  };
  const isMain = part === main;
  const ownTask = ownTasks(board.tasks, part);
  const taskOf = new Map(board.tasks.map((task) => [task.id, task]));
  /** New results, and parts that are asked, by task: one sentence tells both, and where the task stands. */
  const results = new Map<string, BoardReview[]>();
  const asked = new Map<string, BoardReview[]>();
  /** The tasks of which the part knows an approval. */
  const wasApproved = new Set<string>();
  for (const review of board.reviews) {
    const { id, artifact, name, version, reviewer, requester, status, task = "" } = review;
    const isMine = reviewer === part;
    const isOfTask = isMain && taskOf.has(task);
    if (status === "pending") {
      if (isMine && isNew(`review/${id}`, status))
        list([`review/${id}`], () => {
          const of = isCommit(review.commit) ? { commit: review.commit, since: answeredBefore(board, review) } : {};
          const after = board.tasks.filter(({ dependsOn, status: now }) => dependsOn.includes(task) && !isFinished(now));
          const waiting = [...new Set(after.flatMap(({ assignee }) => (assignee === part ? "you" : (assignee ?? []))))];
          const by = taskOf.get(task)?.createdBy;
          const isLed = by === main && ![part, requester].includes(main) && isCommit(review.commit);
          const more = {
            ...(isLed ? { merges: main } : {}),
            ...(task === "" ? {} : { task }),
            ...(waiting.length === 0 ? {} : { waiting }),
          };
          news.reviews.push({ id, artifact, name, version, from: requester, ...more, ...of });
          call();
        });
      if (isOfTask) addTo(asked, task, review);
      else if (!isMine && isMain && requester !== part && isNew(`result/${id}`, status))
        list([`result/${id}`], () => happened(`${requester} asked ${reviewer} to review ${name} v${version}`, false));
      continue;
    }
    if (told?.[`result/${id}`] === "approved" || (status === "approved" && [reviewer, requester].includes(part))) wasApproved.add(task);
    // The requester has mail of it.
    if (status === "withdrawn" || !isMain || isMine || requester === part) continue;
    if (!isNew(`result/${id}`, status) || (told === null && !all)) continue;
    if (isOfTask) addTo(results, task, review);
    else list([`result/${id}`], () => happened(`${name} v${version} of ${requester}: ${reviewer} ${resultWords(review)}`, true));
  }
  for (const task of board.tasks) {
    const { id, title, status, assignee, createdBy, changedBy } = task;
    if (assignee === part && !isFinished(status)) {
      const own = ownTask(task);
      const before = told?.[`task/${id}`];
      const state = status === "blocked" ? HALTED : own.state;
      // What it holds, handed in or could not go on with is its own doing; that it can go on is not.
      const isOwnDoing =
        (before !== undefined && before !== HALTED && !["ready", "blocked"].includes(state)) ||
        (before === undefined && state === "blocked" && createdBy === part);
      if (!isNew(`task/${id}`, state) || (isOwnDoing && !all)) continue;
      list([`task/${id}`], () => {
        news.tasks.push(own);
        if (state === "ready" || (before === HALTED && state === "held")) call();
      });
      continue;
    }
    // Whose it was learns, with other news, that another part ended it: it is merged, most often.
    const known = told?.[`task/${id}`];
    if (assignee === part && isFinished(status)) {
      now[`task/${id}`] = status;
      if (known !== undefined && known !== status && changedBy !== undefined && changedBy !== part)
        list([`task/${id}`], () => happened(`${changedBy} set ${shortOf(id)} '${title}' ${status}`, false));
    }
    if (assignee === part || (!isMain && createdBy !== part) || status === "todo") continue;
    const came = results.get(id) ?? [];
    const by = (asked.get(id) ?? []).map(({ reviewer }) => reviewer);
    const isMoved = isNew(`board/${id}`, `${status} ${assignee ?? ""}`) && (!isFinished(status) || told !== null || all);
    // Who leads has mail of it.
    if (status === "blocked") continue;
    // What it changed itself is no news.
    if (came.length === 0 && (!isMoved || (changedBy === part && !all))) continue;
    const words = { in_progress: "works on", in_review: "handed in", done: "finished", canceled: "gave up" }[status];
    const to = status === "in_review" && by.length > 0 ? ` for review by ${by.join(", ")}` : "";
    // What was approved and then is done was told as approved, or approved by the part itself, or its mail.
    const approved = came.findLast((review) => review.status === "approved" && isCommit(review.commit));
    const isOpen = status === "in_review" && by.length === 0;
    const merge =
      (status === "done" || isOpen) && approved !== undefined
        ? `; \`git merge ${approved.commit?.slice(0, 7)}\`${status !== "done" && createdBy === part ? " ends it" : ""}`
        : "";
    const isEnded = approved !== undefined && createdBy === part;
    const end = isOpen && !isEnded && came.some((review) => review.status === "approved") ? `; ${endWords(id)}` : "";
    const said = `${merge}${end}${came.map((review) => `; ${review.reviewer} ${resultWords(review)}`).join("")}`;
    list([`board/${id}`, ...came.map((review) => `result/${review.id}`)], () =>
      happened(
        `${assignee ?? "nobody"} ${words} ${shortOf(id)} '${title}'${to}${said}`,
        came.length > 0 || (isFinished(status) && !wasApproved.has(id)),
      ),
    );
  }
  const done = board.tasks.filter(({ status }) => isFinished(status)).length;
  if (isMain && done > 0 && done === board.tasks.length && isNew("all", `${done}`) && (told !== null || all))
    happened(done === 1 ? ALL_DONE[0] : `all ${done} ${ALL_DONE[1]}`, true);
  // One session after another: the end of the one that was told is news.
  const before = told?.["session"] ?? "";
  now["session"] = board.session ?? "";
  if (before !== "" && before === board.ended?.session && board.ended.by !== part) {
    happened(endedWords(board, part), true);
    news.waits = false;
  }
  return { news, told: now };
}

/** What is told once nothing is left of a board: of the only task, and, after their number, of several. */
const ALL_DONE = ["the only task of the session is done", "tasks of the session are done"] as const;

/** Tells whether a sentence says that nothing is left of a board. */
export const isAllDone = (sentence: string): boolean => ALL_DONE.some((words) => sentence.endsWith(words));

/** How the words begin that say of mail that it is not answered yet. */
export const ANSWER = "an answer to ";

/** Says how a task ends. */
const endWords = (id: string): string => `\`relay task update ${shortOf(id)} done\` ends it`;

/** Tells of a board's tasks whether each was handed in, and all reviews of its newest version approved. */
function approvedTasks({ reviews }: Board): (id: string) => boolean {
  const newest = new Map<string, number>();
  const ofTask = new Map<string, BoardReview[]>();
  for (const review of reviews) {
    newest.set(review.artifact, Math.max(review.version, newest.get(review.artifact) ?? 0));
    if (review.task !== undefined && review.status !== "withdrawn") addTo(ofTask, review.task, review);
  }
  const isOld = ({ artifact, version }: BoardReview): boolean => (newest.get(artifact) ?? 0) > version;
  return (id) => ofTask.get(id)?.every((review) => review.status === "approved" || isOld(review)) === true;
}

/** Tells whether all that a part had to do is done or approved, and nobody asks it for a review; false of one that had nothing. */
export function isThrough(board: Board, part: string): boolean {
  const own = board.tasks.filter(({ assignee }) => assignee === part);
  const isApproved = approvedTasks(board);
  const isEnded = ({ id, status }: BoardTask): boolean => isFinished(status) || (status === "in_review" && isApproved(id));
  return own.length > 0 && own.every(isEnded) && !board.reviews.some(({ status, reviewer }) => status === "pending" && reviewer === part);
}

/** Lists what a part still has to do, whatever it was told: reviews that it is asked for, its tasks that it holds or can begin. */
export function owedOn(board: Board, part: string, main: string): string[] {
  const ownTask = ownTasks(board.tasks, part);
  const reviews = board.reviews.filter(({ status, reviewer }) => status === "pending" && reviewer === part);
  const own = board.tasks.filter(({ assignee, status }) => assignee === part && !isFinished(status));
  const isApproved = approvedTasks(board);
  return [
    ...reviews.map(({ id, name, requester }) => `a review of ${name} (${shortOf(id)}) to ${requester}`),
    ...own.flatMap((task) => {
      const { id, title, state } = ownTask(task);
      const isMine = task.createdBy !== main || part === main;
      const words = {
        ...{ held: "held", ready: "ready" },
        in_review: isMine && isApproved(id) ? `approved, ${endWords(id)}` : undefined,
      }[state];
      return words === undefined ? [] : [`task ${shortOf(id)} '${title}': ${words}`];
    }),
  ];
}

/**
 * Lists what a part waits for, and from whom: answers to its reviews and tasks that others hold; for main of the whole board.
 * @param absence says of a part that it is away, with a blank before it; empty of one that is at work or waits
 */
export function openOn(board: Board, part: string, isMain: boolean, absence: (part: string) => string): string[] {
  const needed = new Set(
    board.tasks.flatMap(({ assignee, status, dependsOn }) => (assignee === part && !isFinished(status) ? dependsOn : [])),
  );
  const reviews = board.reviews.filter(
    ({ status, reviewer, requester }) => status === "pending" && reviewer !== part && (isMain || requester === part),
  );
  const isApproved = approvedTasks(board);
  const asked = new Set(reviews.map(({ task }) => task));
  const tasks = board.tasks.filter(
    ({ id, status, assignee }) => !isFinished(status) && assignee !== part && !asked.has(id) && (isMain || needed.has(id)),
  );
  return [
    ...reviews.map(({ name, reviewer, task }) => {
      const away = absence(reviewer);
      const { id } = (away === "" ? undefined : board.tasks.find((each) => each.id === task)) ?? {};
      const kept = board.reviews.flatMap((each) =>
        each.status === "pending" && each.task === id && each.reviewer !== reviewer ? each.reviewer : [],
      );
      const parts = [...new Set(kept), "PART"].join(",");
      const other =
        id === undefined ? "" : `; \`relay task update ${shortOf(id)} --reviewer ${parts}\` (\`update_task\`, \`reviewer\`) asks another`;
      return `review of ${name} with ${reviewer}${away}${other}`;
    }),
    ...tasks.map(({ id, title, status, assignee, holder, blockedReason = "" }) => {
      const by = assignee === undefined ? "" : ` by ${assignee}${absence(assignee)}`;
      const words =
        status === "blocked"
          ? `blocked${by}: ${preview(blockedReason, COMMENT)}`
          : holder !== undefined
            ? `held by ${holder.part}${absence(holder.part)}`
            : status === "in_review"
              ? isApproved(id)
                ? `of ${assignee ?? "nobody"} approved: ${endWords(id)}`
                : `handed in${by}`
              : `not begun${by}`;
      return `task ${shortOf(id)} '${title}' ${words}`;
    }),
  ];
}

/** Shows tasks to a part, whose they are. */
function ownTasks(tasks: readonly BoardTask[], part: string): (task: BoardTask) => OwnTask {
  const taskOf = new Map(tasks.map((task) => [task.id, task]));
  const nameOf = (id: string): string => {
    const { title = "", assignee = "" } = taskOf.get(id) ?? {};
    return `${shortOf(id)}${title && ` '${title}'`}${assignee && ` of ${assignee}`}`;
  };
  const waitingFor = new Map<string, string[]>();
  for (const { assignee, status, dependsOn } of tasks)
    if (assignee !== undefined && assignee !== part && !isFinished(status)) for (const id of dependsOn) addTo(waitingFor, id, assignee);
  return ({ id, title, status, holder, dependsOn, blockedReason }) => {
    const blockedBy = dependsOn.filter((other) => !isFinished(taskOf.get(other)?.status));
    const isHeld = status === "in_progress" && holder?.part === part;
    const isBlocked = status === "blocked" || blockedBy.length > 0;
    const state = isHeld ? "held" : status === "in_review" ? status : isBlocked ? "blocked" : "ready";
    const waiting = [...new Set(waitingFor.get(id))];
    return {
      id,
      title,
      state,
      ...(isHeld ? { until: holder?.until } : {}),
      ...(state === "blocked" && blockedBy.length > 0 ? { blockedBy: blockedBy.map(nameOf) } : {}),
      ...(blockedReason === undefined ? {} : { reason: preview(blockedReason, COMMENT) }),
      ...(waiting.length === 0 ? {} : { waiting }),
    };
  };
}
