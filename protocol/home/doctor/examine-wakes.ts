/** The findings of `doctor` about waking: mail without a pager, several pagers, leftovers of dead ones, times of a clock that jumped. spec/check.md, "doctor". */
import { FileError } from "../../objects/format/file-error.ts";
import { type Finding, found } from "../../objects/format/finding.ts";
import { decodeTime, parseMessageId } from "../../objects/format/id.ts";
import { threadFolder } from "../../objects/message/message.ts";
import { HUMAN } from "../../objects/part/part.ts";
import { wakePath } from "../../objects/wake/wake-record.ts";
import { nextFor, reasonWords } from "../../objects/wake/wake-words.ts";
import { Refusal } from "../../refusal.ts";
import { removeFile } from "../../store/files.ts";
import { lifeOf } from "../../store/process.ts";
import type { World } from "../../world.ts";
import { unreadIdsSeen } from "../part/inbox-files.ts";
import { members } from "../part/members.ts";
import { messageKeys, threadDays, threadsOfDay } from "../thread/threads.ts";
import { lastStep } from "../wake/wake-chain.ts";
import { deadRegistrations, isServed, livePagers, wakeMethodOf, wakeMethodPath } from "../wake/who-rings.ts";

/** Looks at how the parts are woken. */
export function examineWakes(world: World, findings: Finding[]): void {
  const { store } = world.home();
  const pagers = livePagers(world, null);
  if (pagers.length > 1) {
    const pids = pagers.map(({ process }) => process.split("-")[0]).join(", ");
    findings.push(
      found("two_pagers", `${pagers.length} pagers run here (processes ${pids}); they do no harm, one is enough`, { path: "run/pagers" }),
    );
  }
  for (const path of deadRegistrations(world)) {
    findings.push(
      found("stale_registration", "a pager or waiter ended without removing its file", { path, fix: () => void removeFile(store, path) }),
    );
  }
  for (const { part } of members(world)) {
    examineDelivery(world, part, findings);
    const { n, atMs } = lastStep(world, part);
    if (atMs > world.now() + CLOCK_SLACK_MS) {
      const ahead = Math.round((atMs - world.now()) / 60_000);
      findings.push(
        found("clock", `written ${ahead} minutes in this clock's future: the clock was set back since`, { path: wakePath(part, n) }),
      );
    }
  }
}

function examineDelivery(world: World, part: string, findings: Finding[]): void {
  try {
    const { deliver, tmux, exec } = wakeMethodOf(world, part);
    const first = tmux?.["process"];
    if (typeof first === "string" && lifeOf(first) === "gone") findings.push(goneTerminal(world, part));
    if (deliver === "none") return;
    const failed = failedWake(world, part);
    if (failed !== null) {
      findings.push(failed);
      return;
    }
    if (deliver !== "auto" || exec !== undefined || tmux !== undefined) {
      const count = unreadIdsSeen(world.home().store, part).length;
      if (count > 0 && !isServed(world, part)) {
        findings.push(notRung(part, deliver, count));
        return;
      }
    }
    if (part === HUMAN || (isServed(world, part) && !isOwedLong(world, part))) return;
  } catch (error) {
    // A link that leads out of the home is named as one.
    if (error instanceof Refusal && error.code === "outside_home") return;
    if (!(error instanceof FileError)) throw error;
    findings.push(found("malformed", error.message, { path: error.path, remedy: `Choose anew: \`relay part deliver ${part} auto\`` }));
    return;
  }
  const { refireMs } = world.home().config().wake;
  const waiting = unreadIdsSeen(world.home().store, part).filter(
    (id) => decodeTime(parseMessageId(id)?.token ?? "") < world.now() - refireMs,
  );
  if (waiting.length === 0) return;
  findings.push(
    found("nobody_to_wake", `"${part}" has ${waiting.length} unread, and no running process can wake it`, {
      path: `inbox/${part}/new`,
      remedy: "Start a pager (`relay pager start`), and see how the part is woken (`relay part deliver`)",
    }),
  );
}

/** Somebody chose how a part is rung, and nobody who could do it runs. */
const notRung = (part: string, deliver: string, count: number): Finding =>
  found("no_pager", `"${part}" has ${count} unread and is woken by ${deliver}, and no pager runs that could do that`, {
    path: `inbox/${part}/new`,
    remedy: "Start a pager: `relay pager start`",
  });

/** A wake that no rung delivered, and that waits for its next try; null when there is none. */
function failedWake(world: World, part: string): Finding | null {
  const { n, state } = lastStep(world, part);
  if (state.kind !== "owed" || state.tried.length === 0 || unreadIdsSeen(world.home().store, part).length === 0) return null;
  const { reason = "", detail, tried } = state;
  return found(
    "wake_failed",
    `"${part}" has mail and could not be woken by ${tried.join(" or ")}: ${reasonWords(reason)}${detail === undefined ? "" : ` (${detail})`}`,
    { path: wakePath(part, n), remedy: nextFor(reason, part) ?? `relay wakes --with ${part}, relay part deliver ${part}` },
  );
}

/** Whether a wake is owed for so long that whoever could ring never did, as where a part has no terminal. */
function isOwedLong(world: World, part: string): boolean {
  const { state } = lastStep(world, part);
  return state.kind === "owed" && world.now() - state.sinceMs > world.home().config().wake.refireMs;
}

/** A terminal that ended otherwise than by `relay down`; worth more than a note while mail waits for it. */
function goneTerminal(world: World, part: string): Finding {
  return found("pane_gone", `the tmux pane of "${part}" is gone, so it cannot be woken there`, {
    severity: unreadIdsSeen(world.home().store, part).length > 0 ? "warning" : "note",
    path: wakeMethodPath(part),
    remedy: `Start it again: \`relay up --part ${part}\`; or forget it: \`relay down ${part}\``,
  });
}

/** A clock that is behind what was written by more than this is worth a word. */
const CLOCK_SLACK_MS = 5 * 60_000;

/** Examines the times of all messages, which their names hold. */
export function examineClocks(world: World): Finding[] {
  const { store } = world.home();
  return threadDays(store).flatMap((day) =>
    threadsOfDay(store, day).flatMap((thread): Finding[] => {
      const newest = messageKeys(store, thread).reduce((latest, key) => Math.max(latest, decodeTime(key.token)), 0);
      const minutes = Math.round((newest - world.now()) / 60_000);
      if (newest <= world.now() + CLOCK_SLACK_MS) return [];
      const problem = `written ${minutes} minutes in this clock's future: this clock, or the writer's, is wrong`;
      return [found("clock", problem, { path: threadFolder(thread) })];
    }),
  );
}
