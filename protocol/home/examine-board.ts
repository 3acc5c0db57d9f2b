/** Looking the board over: its files, its claims, and how large the memories have grown. SPEC.md, "doctor". */
import { FILE_BYTES } from "../objects/file-bytes.ts";
import { agentMemoryPath, MEMORY_BYTES, MEMORY_LARGE, MEMORY_PATH } from "../objects/memory.ts";
import { endedPath, parseSession, sessionPath } from "../objects/session.ts";
import { type Task, taskPath } from "../objects/task.ts";
import { readText } from "../store/read.ts";
import type { Store } from "../store/root.ts";
import type { World } from "../world.ts";
import { listArtifacts } from "./artifacts.ts";
import { holder } from "./claim-records.ts";
import type { Finding } from "./finding.ts";
import { members } from "./parts.ts";
import { listReviews } from "./reviews.ts";
import { readSession, sessionNames } from "./sessions.ts";
import { listTasks } from "./tasks.ts";
import { type Faults, noting } from "./threads.ts";

const BY_HAND = "Correct it by hand, or take it back from git (`cd .relay && git log -p`)";

/** Looks every session, its tasks, claims, artifacts and reviews over, and the memories. */
export function examineBoard(world: World, findings: Finding[]): void {
  const { store } = world.home();
  const faults: Faults = [];
  for (const session of sessionNames(store).sort()) {
    world.progress?.(`session ${session}`);
    noting(faults, sessionPath(session), () => {
      const source = readText(store, sessionPath(session), FILE_BYTES.session);
      if (source !== null) parseSession(session, source, readText(store, endedPath(session), FILE_BYTES.session));
    });
    const open = readSession(store, session)?.endedAt === undefined;
    for (const task of listTasks(world, session, false, faults)) {
      noting(faults, taskPath(session, task.id), () => {
        if (open) examineClaim(world, session, task, findings);
      });
    }
    noting(faults, `sessions/${session}/artifacts`, () => listArtifacts(world, session, faults));
    noting(faults, `sessions/${session}/reviews`, () => listReviews(world, session, faults));
  }
  for (const part of [null, ...members(world).map(({ part }) => part)]) examineMemory(store, part, faults, findings);
  for (const fault of faults) findings.push({ severity: "error", code: "malformed", ...fault, remedy: BY_HAND });
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
