/**
 * Finds what follows every form and breaks a rule: no operation writes it (`unlawful`), or none does by itself, though two clones or a
 * person may come to it (`doubtful`). spec/check.md, "Findings".
 */
import { type Artifact, artifactId, NAME_HASH } from "../../board/nouns/artifact.ts";
import { type ClaimRecord, claimPath } from "../../board/nouns/claim.ts";
import { scan } from "../../board/nouns/memory-blocks.ts";
import { formatReview, type Review, type ReviewResult, resultPath, reviewPath } from "../../board/nouns/review.ts";
import { tasksInRings } from "../../board/nouns/rings.ts";
import { HISTORY_LINES, isFinished, type Task, taskPath } from "../../board/nouns/task.ts";
import { type Finding, type FindingCode, finding } from "../../core/format/finding.ts";
import { lineOfKey } from "../../core/format/frontmatter.ts";
import { type Digest, parseThreadId } from "../../core/format/id.ts";
import { LIMITS } from "../../core/format/schema.ts";
import { partProblem } from "../../core/names.ts";
import type { Message } from "../../mail/nouns/message.ts";
import { isEnded, type Thread } from "../../mail/nouns/thread.ts";
import type { ParsedFile } from "../../nouns.ts";

/** What breaks a rule at one path. */
type Rules = (code: FindingCode, key: string | null, found: string, expected: string) => Finding;
const at =
  (path: string, source = ""): Rules =>
  (code, key, found, expected) =>
    finding(code, { path, line: key === null ? undefined : lineOfKey(source, key) }, found, expected);

/** A field that is longer than a call could make it. */
const over = (says: Rules, key: string, size: number, most: number): Finding[] =>
  size <= most ? [] : [says("doubtful", key, `${key} of ${size}`, `at most ${most}`)];

/** A field that is to name a part, and names nothing that could be one. */
function notPart(says: Rules, key: string, part: string | undefined): Finding[] {
  const problem = part === undefined ? null : partProblem(part);
  return problem === null ? [] : [says("unlawful", key, `${key} ${JSON.stringify(part)}: ${problem}`, "the id of a part")];
}

/** A text that is to name a thread, and names none. */
const notThread = (says: Rules, key: string | null, thread: string): Finding[] =>
  parseThreadId(thread) !== null ? [] : [says("unlawful", key, `the thread ${JSON.stringify(thread)}`, "the id of a thread")];

/** What one file says that no call would. @param source its text, to name lines */
export function checkFileRules({ kind, place, value }: ParsedFile, path: string, source: string, digest: Digest): Finding[] {
  const says = at(path, source);
  const long = (key: string, text: string | undefined, most: number): Finding[] => over(says, key, text?.length ?? 0, most);
  switch (kind) {
    case "task":
      return [
        ...notPart(says, "assignee", value.assignee),
        ...notPart(says, "created_by", value.createdBy),
        ...(value.reviewers ?? []).flatMap((part) => notPart(says, "reviewers", part)),
        ...(value.status !== "blocked" || value.blockedReason
          ? []
          : [says("doubtful", "status", '"blocked", by nothing', "blocked_reason")]),
        ...long("description", value.description, LIMITS.taskDescription),
        ...long("derived_reason", value.derivedReason, LIMITS.derivedReason),
        ...long("blocked_reason", value.blockedReason, LIMITS.derivedReason),
        ...over(says, "depends_on", value.dependsOn.length, LIMITS.dependsOn),
        ...over(says, "history", value.history.length, HISTORY_LINES),
      ];
    case "claim":
      return [
        ...(["agent", "to", "by"] as const).flatMap((key) => notPart(says, key, value[key])),
        ...over(says, "lease_s", value.leaseS ?? 0, LIMITS.leaseSeconds),
        ...long("reason", value.reason, LIMITS.derivedReason),
      ];
    case "artifact":
      return [...notPart(says, "created_by", value.createdBy), ...long("name", value.name, LIMITS.artifactName)];
    case "content":
      return long("content", value, LIMITS.artifactContent);
    case "review":
      return [
        ...notPart(says, "reviewer", value.reviewer),
        ...notPart(says, "requester", value.requester),
        ...(value.thread === undefined ? [] : notThread(says, "thread_id", value.thread)),
      ];
    case "result":
      return [...notPart(says, "by", value.by), ...long("comments", value.comments, LIMITS.reviewComments)];
    case "session":
      return notPart(says, "started_by", value.startedBy);
    case "ended":
      return notPart(says, "ended_by", value.endedBy);
    case "reopened":
      return notPart(says, "reopened_by", value.by);
    case "summary":
      return long("summary", source, LIMITS.summary);
    case "state":
      return long("state", value, LIMITS.state);
    case "memory":
      return long("key", scan(value).sections.find(({ key }) => key.length > LIMITS.memoryKey)?.key, LIMITS.memoryKey);
    case "label":
      return checkLabel(says, place.hash, value, digest);
    default:
      return [];
  }
}

/** A label of another name than that of its file, or of no thread. @param hash what its name says */
function checkLabel(says: Rules, hash: string, text: string, digest: Digest): Finding[] {
  const [thread = ""] = text.split("\n", 1);
  const [wrong] = notThread(says, null, thread);
  if (wrong !== undefined) return [wrong];
  const name = text.slice(thread.length + 1).replace(/\n$/, "");
  if (thread !== text && !digest(name).startsWith(hash))
    return [says("unlawful", null, `the name ${JSON.stringify(name)}`, `a name whose hash begins with ${hash}`)];
  return over(says, "name", name.length, LIMITS.label);
}

/** What the rules of a session hang on, gathered until all of its files were seen. */
export interface SessionRules {
  tasks: ReadonlyMap<string, { task: Task; line: number }>;
  claims: ReadonlyMap<string, ClaimRecord>;
  reviews: ReadonlyMap<string, Review>;
  results: ReadonlyMap<string, ReviewResult>;
  artifacts: ReadonlyMap<string, Artifact>;
}

/**
 * What the files of one session break together.
 * @param nameNow the name that a part has now
 */
export function checkSessionRules(session: string, files: SessionRules, digest: Digest, nameNow: (part: string) => string): Finding[] {
  const { tasks, claims, reviews, results, artifacts } = files;
  const found: Finding[] = [];
  const children = new Map<string, number>();
  const rings = tasksInRings([...tasks.values()].map(({ task }) => task));
  for (const [id, { task, line }] of tasks) {
    const say = (code: FindingCode, what: string, expected: string): void =>
      void found.push(finding(code, { path: taskPath(session, id), line }, what, expected));
    const parent = task.parent === undefined ? undefined : tasks.get(task.parent)?.task;
    if (parent !== undefined) {
      const siblings = (children.get(parent.id) ?? 0) + 1;
      children.set(parent.id, siblings);
      if (parent.parent !== undefined) say("unlawful", `derived from ${parent.id}, which is derived itself`, "tasks that are derived once");
      else if (siblings === LIMITS.derivedSiblings + 1)
        say("doubtful", `${parent.id} has more derived tasks than ${LIMITS.derivedSiblings}`, `at most ${LIMITS.derivedSiblings}`);
    }
    const unmet = task.dependsOn.filter((other) => tasks.has(other) && !isFinished(tasks.get(other)?.task.status));
    if (task.status === "done" && unmet.length > 0) say("doubtful", `"done", and ${unmet.join(", ")} is not`, "dependencies that are done");
    if (rings.has(id)) say("doubtful", "it waits for itself", "a depends_on that does not lead back");
    const record = claims.get(id);
    const last = record?.fence ?? 0;
    if (
      record?.kind === "claim" &&
      task.fence === last &&
      task.status === "in_progress" &&
      nameNow(task.assignee ?? "") !== nameNow(record.agent)
    )
      say("doubtful", `assignee ${task.assignee ?? "nobody"}, and ${record.agent} holds it`, "the assignee that its last claim says");
    if (task.fence > last) say("doubtful", `fence ${task.fence}, and the last claim is ${last}`, "the number of a claim");
    if (task.fence < last)
      say("doubtful", `fence ${task.fence}, and ${claimPath(session, id, last)} says more`, "what the last claim says");
  }
  for (const [id, { artifact, name, version, reviewer }] of reviews) {
    const says = at(reviewPath(session, id));
    const right = artifactId(digest(name).slice(0, NAME_HASH), version);
    // One that is missing is found by its reference.
    if (artifact !== right && artifacts.has(artifact))
      found.push(says("unlawful", null, `${artifact}, of ${JSON.stringify(name)}, version ${version}`, right));
    const maker = artifacts.get(artifact);
    if (maker !== undefined && maker.name === name && nameNow(maker.createdBy) === nameNow(reviewer))
      found.push(says("doubtful", null, `${reviewer} reviews what ${reviewer} made`, "another part"));
  }
  for (const [id, { by, status, comments, request }] of results) {
    const says = at(resultPath(session, id));
    const asked = reviews.get(id);
    if (status !== "withdrawn" && asked !== undefined && nameNow(asked.reviewer) !== nameNow(by))
      found.push(says("unlawful", null, `a result of ${by}`, `one of ${asked.reviewer}`));
    if (request !== undefined && asked !== undefined && artifacts.has(asked.artifact) && formatReview(request) !== formatReview(asked))
      found.push(says("unlawful", null, "another request than that of the review", `what ${reviewPath(session, id)} asks`));
    if (status === "changes_requested" && comments.trim() === "")
      found.push(says("unlawful", null, "changes asked for without a word", "comments"));
  }
  return found;
}

/** A thread beside its messages. */
export interface ThreadAround {
  /** Its first message, where it could be read. */
  first: Pick<Message, "from" | "subject" | "at" | "tags" | "metadata"> | null;
  /** Whether it is that of a review. */
  isReview: boolean;
  /** The numbers of its messages, those that were forgotten too. */
  numbers: readonly number[];
  /** What is unread of it: the part and the message of each name in an inbox. */
  unread: readonly { part: string; id: string; n: number }[];
}

/** What a thread's own file says that its messages do not. @param source its text, to name lines */
export function checkThreadRules(
  path: string,
  thread: Thread,
  source: string,
  { first, isReview, numbers, unread }: ThreadAround,
  nameNow: (part: string) => string,
): Finding[] {
  const says = at(path, source);
  const found: Finding[] = [];
  const highest = numbers.reduce((most, n) => Math.max(most, n), 0);
  if (first !== null && first.subject !== thread.subject)
    found.push(says("unlawful", "subject", JSON.stringify(thread.subject), `${JSON.stringify(first.subject)}, as in the first message`));
  if (first !== null && nameNow(first.from) !== nameNow(thread.createdBy))
    found.push(says("unlawful", "created_by", thread.createdBy, `${first.from}, as in the first message`));
  if (first !== null && first.at !== thread.createdAt)
    found.push(says("unlawful", "created_at", thread.createdAt, `${first.at}, as in the first message`));
  if (first !== null && String(first.tags) !== String(thread.tags))
    found.push(says("unlawful", "tags", `tags ${thread.tags ?? "none"}`, `${first.tags ?? "none"}, as in the first message`));
  const { status, statusAfter, closedUnread = [] } = thread;
  if (statusAfter !== undefined && (statusAfter > highest || statusAfter < 0))
    found.push(says("unlawful", "status_after", `${statusAfter}, and the last message is ${highest}`, `0 to ${highest}`));
  // What Relay tells of a review or of a task the board closes, also unread, and it may be answered.
  if (status === undefined || !isEnded(status) || isReview || first?.metadata?.["task_id"] !== undefined) return found;
  if (statusAfter !== undefined && highest > statusAfter)
    found.push(says("doubtful", "status_after", `"${status}", and message ${highest} came after`, "no reply"));
  const listed = new Set(closedUnread);
  for (const { part, id, n } of unread)
    if (
      n <= (statusAfter ?? highest) &&
      ![...listed].some((each) => each.endsWith(` ${id}`) && nameNow(each.slice(0, each.indexOf(" "))) === part)
    )
      found.push(says("doubtful", "closed_unread", `${id} is unread by ${part}`, "what closing cleared"));
  return found;
}

/** Recipients that no call would send to: none, its writer, one twice, and names that nobody has, or had. @param isKnown whether a name is, or was, that of somebody with an inbox */
export function checkRecipients(path: string, { from, to, broadcast }: Message, isKnown: (name: string) => boolean): Finding[] {
  const wrong = to.filter((name, nth) => name === from || to.indexOf(name) !== nth || !isKnown(name));
  if (to.length === 0 && broadcast !== true) wrong.push("nobody");
  return wrong.map((name) => at(path)("doubtful", null, `to ${name}`, "another part, or a guest, once"));
}
