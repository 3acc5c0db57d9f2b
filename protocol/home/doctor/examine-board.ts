/** Checks the board: its files, its claims, and the size of the memories. spec/check.md, "doctor". */
import { append } from "../../objects/format/append.ts";
import { FILE_BYTES } from "../../objects/format/size-limits.ts";
import { agentMemoryPath, MEMORY_BYTES, MEMORY_LARGE, MEMORY_PATH } from "../../objects/memory/memory.ts";
import { HUMAN } from "../../objects/part/part.ts";
import { parseSession, sessionPath } from "../../objects/session/session.ts";
import { type Task, taskPath } from "../../objects/task/task.ts";
import { readText } from "../../store/read.ts";
import type { Store } from "../../store/root.ts";
import type { World } from "../../world.ts";
import { listArtifacts } from "../artifact/artifacts.ts";
import { listReviews } from "../artifact/reviews.ts";
import type { Finding } from "../check/doctor-finding.ts";
import { type Faults, noting } from "../file-faults.ts";
import { members } from "../part/members.ts";
import { lastEndPath, readSession, sessionNames } from "../session/sessions.ts";
import { catchUpTask } from "../task/change-task.ts";
import { holder, lastClaim, lastFence } from "../task/claim-read.ts";
import { addClaim } from "../task/claim-write.ts";
import { listTasks } from "../task/list-tasks.ts";

const BY_HAND = "Correct it by hand, or take it back from git (`cd .relay && git log -p`)";

/** Looks every session, its tasks, claims, artifacts and reviews over, and the memories. */
export function examineBoard(world: World, findings: Finding[]): void {
  const { store } = world.home();
  const faults: Faults = [];
  for (const session of sessionNames(store).sort()) {
    world.progress?.(`session ${session}`);
    noting(faults, sessionPath(session), () => {
      const source = readText(store, sessionPath(session), FILE_BYTES.session);
      if (source !== null) parseSession(session, source, readText(store, lastEndPath(store, session), FILE_BYTES.session));
    });
    const open = readSession(store, session)?.endedAt === undefined;
    const tasks = listTasks(world, session, false, faults);
    if (open) examineDependencies(session, tasks, findings);
    for (const task of tasks) {
      noting(faults, taskPath(session, task.id), () => {
        if (examineChain(world, session, task, findings) && open) examineClaim(world, session, task, findings);
      });
    }
    noting(faults, `sessions/${session}/artifacts`, () => listArtifacts(world, session, faults));
    noting(faults, `sessions/${session}/reviews`, () => listReviews(world, session, faults));
  }
  for (const part of [null, ...members(world).map(({ part }) => part)]) examineMemory(store, part, faults, findings);
  for (const fault of faults) findings.push({ severity: "error", code: "malformed", ...fault, remedy: BY_HAND });
}

/** A chain whose last record cannot be read says nobody knows what. @returns whether it can be read */
function examineChain(world: World, session: string, task: Task, findings: Finding[]): boolean {
  const faults: Faults = [];
  noting(faults, taskPath(session, task.id), () => lastClaim(world, session, task.id));
  for (const fault of faults) {
    findings.push({
      severity: "error",
      code: "claims_unreadable",
      ...fault,
      problem: `${fault.problem}: nobody can claim, finish or release the task until its last claim can be read`,
      remedy: `${BY_HAND}; --fix lets the task go by a record after it, whoever held it`,
      fix: async () => {
        const last = lastFence(world, session, task.id);
        await addClaim(world, session, task.id, last, { kind: "release", agent: HUMAN });
        await catchUpTask(world, session, task.id);
      },
    });
  }
  return faults.length === 0;
}

/** Work that nobody does: its holder went, or nobody claimed it. */
function examineClaim(world: World, session: string, task: Task, findings: Finding[]): void {
  if (task.status !== "in_progress") return;
  const hold = holder(world, session, task);
  if (hold.state === "held") return;
  const problem =
    hold.state === "free"
      ? "in progress, but nobody has claimed it"
      : `${hold.record.agent} holds it, but ${hold.why === "process" ? "its connection is gone" : "its lease is over"}; another may claim it`;
  const remedy = hold.state === "free" ? `Put it back, so that it can be claimed: relay task update ${task.id} todo` : undefined;
  findings.push({ severity: "note", code: "claim_overdue", path: taskPath(session, task.id), problem, remedy });
}

/** Tasks that wait for what will never be done: people can write it into their files. */
function examineDependencies(session: string, tasks: readonly Task[], findings: Finding[]): void {
  const known = new Map(tasks.map((task) => [task.id, task]));
  for (const task of tasks) {
    if (task.status === "done") continue;
    const missing = task.dependsOn.filter((id) => !known.has(id));
    const ring = missing.length === 0 && waitsForItself(task, known);
    if (missing.length === 0 && !ring) continue;
    const problem = ring ? "waits for itself" : `waits for what is not there, or cannot be read: ${missing.join(", ")}`;
    const remedy = "Take out of its depends_on, by hand, what it need not wait for";
    findings.push({ severity: "warning", code: "never_ready", path: taskPath(session, task.id), problem, remedy });
  }
}

function waitsForItself(task: Task, known: ReadonlyMap<string, Task>): boolean {
  const seen = new Set<string>();
  const ahead = [...task.dependsOn];
  for (let id = ahead.pop(); id !== undefined; id = ahead.pop()) {
    const next = known.get(id);
    if (id === task.id) return true;
    if (seen.has(id) || next === undefined || next.status === "done") continue;
    seen.add(id);
    append(ahead, next.dependsOn);
  }
  return false;
}

function examineMemory(store: Store, part: string | null, faults: Faults, findings: Finding[]): void {
  const path = part === null ? MEMORY_PATH : agentMemoryPath(part);
  noting(faults, path, () => {
    const { length } = readText(store, path, MEMORY_BYTES) ?? "";
    if (length <= MEMORY_LARGE) return;
    findings.push({
      severity: "warning",
      code: "memory_large",
      path,
      problem: `${length} characters, more than a prompt should hold (${MEMORY_LARGE})`,
      remedy: "Shorten it by hand: bring what still holds into sections, and remove what does not",
    });
  });
}
