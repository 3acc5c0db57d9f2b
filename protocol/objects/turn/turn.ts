/** What an agent's turn begins with: what of the board is new for a part, by states that it was told before. spec/messages.md, "A turn". */

import type { Review } from "../artifact/review.ts";
import { preview } from "../message/message.ts";
import type { TaskStatus } from "../task/task.ts";
import { isFinished } from "../task/task.ts";

/** A review that a part is asked for. */
export interface ReviewAsked {
  id: string;
  artifact: string;
  name: string;
  version: number;
  from: string;
}

/** A task of a part. `state` is `held`, `ready`, `blocked`, or its status. */
export interface OwnTask {
  id: string;
  title: string;
  state: string;
  /** ISO 8601; when the lease of the part's own claim ends. */
  until?: string | undefined;
  blockedBy?: string[] | undefined;
  /** Parts whose tasks wait for this one. */
  waiting?: string[] | undefined;
}

/** What is new for a part. `happened` are sentences of the board. `calls` says that some of it is to be acted on, so that nobody waits on. */
export interface BoardNews {
  reviews: ReviewAsked[];
  tasks: OwnTask[];
  happened: string[];
  calls: boolean;
}

/** States that a part was told, by key: `review/<id>`, `task/<id>`, `board/<id>`, `result/<id>`. */
export type Told = Readonly<Record<string, string>>;

/** A task of a board. Parts are by their names of now. */
export interface BoardTask {
  id: string;
  title: string;
  status: TaskStatus;
  assignee?: string | undefined;
  createdBy: string;
  dependsOn: readonly string[];
  /** The part whose claim holds, and until when, ISO 8601. */
  holder?: { part: string; until: string } | undefined;
}

/** A review of a board. Parts are by their names of now. */
export type BoardReview = Pick<Review, "id" | "artifact" | "name" | "version" | "reviewer" | "requester" | "task" | "commit"> & {
  status: string;
  comments?: string | null;
};

/** The board of one session. */
export interface Board {
  session: string | null;
  /** The part that ended the session which the part was told of before, where that is another one. */
  endedBy?: string | undefined;
  tasks: readonly BoardTask[];
  reviews: readonly BoardReview[];
}

/** Whose turn it is, and what that part was told before; null where it never was told anything. */
export interface Teller {
  part: string;
  isMain: boolean;
  told: Told | null;
  /** True tells everything again, not only news. */
  all: boolean;
}

/** Characters of a review's first line that a turn says. */
const COMMENT = 120;

/**
 * Lists what a board has for a part, and the states that the part has been told once it was shown that.
 * Of what was over before the part's first turn nothing is told.
 */
export function boardNews(board: Board, { part, isMain, told, all }: Teller): { news: BoardNews; told: Record<string, string> } {
  const news: BoardNews = { reviews: [], tasks: [], happened: [], calls: false };
  const now: Record<string, string> = {};
  const isNew = (key: string, state: string): boolean => {
    now[key] = state;
    return all || told?.[key] !== state;
  };
  const happened = (sentence: string, calls: boolean): void => {
    news.happened.push(sentence);
    news.calls ||= calls;
  };
  const statusOf = new Map(board.tasks.map(({ id, status }) => [id, status]));
  for (const { id, artifact, name, version, reviewer, requester, status, commit, comments } of board.reviews) {
    const isMine = reviewer === part;
    if (status === "pending") {
      if (isMine && isNew(`review/${id}`, status)) {
        news.reviews.push({ id, artifact, name, version, from: requester });
        news.calls = true;
      } else if (!isMine && isMain && requester !== part && isNew(`result/${id}`, status))
        happened(`${requester} asked ${reviewer} to review ${name} v${version}`, false);
      continue;
    }
    // The requester has mail of it.
    if (!isMain || isMine || requester === part) continue;
    const at = commit === undefined ? "" : ` at ${commit.slice(0, 7)}`;
    const comment = preview((comments ?? "").trim().split("\n")[0] ?? "", COMMENT);
    if (isNew(`result/${id}`, status) && (told !== null || all))
      happened(
        `${reviewer} ${status === "approved" ? "approved" : "asked for changes to"} ${name} v${version} of ${requester}${at}${comment === "" ? "" : `: ${comment}`}`,
        true,
      );
  }
  for (const task of board.tasks) {
    const { id, title, status, assignee, createdBy } = task;
    if (assignee === part && !isFinished(status)) {
      const own = ownTask(task, part, board.tasks, statusOf);
      // What it holds or handed in is its own doing.
      const isOwnDoing = told?.[`task/${id}`] !== undefined && !["ready", "blocked"].includes(own.state);
      if (!isNew(`task/${id}`, own.state) || (isOwnDoing && !all)) continue;
      news.tasks.push(own);
      news.calls ||= own.state === "ready";
      continue;
    }
    if (assignee === part || (!isMain && createdBy !== part) || status === "todo") continue;
    const state = `${status} ${assignee ?? ""}`;
    if (!isNew(`board/${id}`, state) || (isFinished(status) && told === null && !all)) continue;
    const words = { in_progress: "works on", in_review: "has in review", done: "finished", canceled: "gave up" }[status];
    happened(`${assignee ?? "nobody"} ${words} '${title}'`, isFinished(status));
  }
  // One session after another: the end of the one that was told is news.
  const ended = told?.["session"] ?? "";
  now["session"] = board.session ?? "";
  if (ended !== "" && ended !== board.session && board.endedBy !== part)
    happened(board.endedBy === undefined ? `session ${ended} is over` : `${board.endedBy} ended session ${ended}`, true);
  return { news, told: now };
}

function ownTask(task: BoardTask, part: string, tasks: readonly BoardTask[], statusOf: ReadonlyMap<string, TaskStatus>): OwnTask {
  const { id, title, status, holder, dependsOn } = task;
  const blockedBy = dependsOn.filter((other) => !isFinished(statusOf.get(other)));
  const isHeld = status === "in_progress" && holder?.part === part;
  const state = isHeld ? "held" : status === "in_review" ? status : blockedBy.length > 0 ? "blocked" : "ready";
  const dependants = tasks.filter((other) => other.dependsOn.includes(id) && !isFinished(other.status));
  const waiting = [...new Set(dependants.flatMap(({ assignee }) => (assignee === undefined || assignee === part ? [] : [assignee])))];
  return {
    id,
    title,
    state,
    ...(isHeld ? { until: holder?.until } : {}),
    ...(state === "blocked" ? { blockedBy } : {}),
    ...(waiting.length === 0 ? {} : { waiting }),
  };
}
