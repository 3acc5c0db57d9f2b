/** The findings of `doctor` about waking: mail without a pager, several pagers, leftovers of dead ones, times of a clock that jumped. spec/check.md, "doctor". */
import { CLOCK_SLACK_MS, inTheFuture } from "../../core/ahead.ts";
import { FileError } from "../../core/format/file-error.ts";
import { type Finding, found } from "../../core/format/finding.ts";
import { decodeTime, parseMessageId } from "../../core/format/id.ts";
import { HUMAN } from "../../core/names.ts";
import { Refusal } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { unreadIdsSeen } from "../../mail/files/inbox-files.ts";
import { members } from "../../mail/files/members.ts";
import { inboxNew, unreadPath } from "../../mail/nouns/part.ts";
import { lifeOf } from "../../store/process.ts";
import { removeFile } from "../../store/write/move-file.ts";
import { wakePath } from "../nouns/wake-record.ts";
import { nextFor, reasonWords } from "../nouns/wake-words.ts";
import { overdueMail } from "./overdue-mail.ts";
import { lastStep } from "./wake-chain.ts";
import { deadRegistrations, isServed, livePagers, stillPagers, wakeMethodOf, wakeMethodPath } from "./who-rings.ts";

/** Checks how the parts are woken. Writes nothing. */
export function* examineWakes(world: World): Generator<Finding> {
  const { store } = world.home();
  const pids = livePagers(world, null).map(({ process }) => process.split("-")[0]);
  if (pids.length > 1) {
    const problem = `${pids.length} pagers run here (processes ${pids.join(", ")}); they do no harm, one is enough`;
    yield found("two_pagers", problem, { path: "run/pagers" });
  }
  for (const { process: owner, since } of stillPagers(world))
    yield found("pager_still", `the pager of ${since} (process ${owner.split("-")[0]}) does nothing: it was stopped, or hangs`, {
      path: "run/pagers",
      remedy: "`relay pager stop`, then `relay pager start`",
    });
  for (const path of deadRegistrations(world))
    yield found("stale_registration", "a pager or waiter ended without removing its file", {
      path,
      fix: () => void removeFile(store, path),
    });
  for (const { part, message, sinceMs } of overdueMail(world)) {
    const hours = Math.floor((world.now() - sinceMs) / 3_600_000);
    const problem = `"${part}" has not read mail of ${message.from} for ${hours} hours`;
    yield found("unread_long", problem, {
      path: unreadPath(part, message.id),
      remedy: `Start it (\`relay up --part ${part}\`), or ask a person`,
    });
  }
  for (const { part } of members(world)) {
    yield* examineDelivery(world, part);
    const { n, atMs } = lastStep(world, part);
    if (atMs > world.now() + CLOCK_SLACK_MS)
      yield found("clock", `${inTheFuture(world, atMs)}: the clock was set back since`, { path: wakePath(part, n) });
  }
}

/** Whether mail of a part can be delivered to it. Only the gravest reason why it cannot be is told. */
function* examineDelivery(world: World, part: string): Generator<Finding> {
  const unread = (): string[] => unreadIdsSeen(world.home().store, part);
  const inbox = { path: inboxNew(part) };
  try {
    const { deliver, tmux, exec } = wakeMethodOf(world, part);
    const first = tmux?.["process"];
    // A terminal that ended otherwise than by `relay down` is worth more than a note while mail waits for it.
    if (typeof first === "string" && lifeOf(first) === "gone")
      yield found("pane_gone", `the tmux pane of "${part}" is gone, so it cannot be woken there`, {
        severity: unread().length > 0 ? "warning" : "note",
        path: wakeMethodPath(part),
        remedy: `Start it again: \`relay up --part ${part}\`; or forget it: \`relay down ${part}\``,
      });
    if (deliver === "none") return;
    const failed = failedWake(world, part);
    if (failed !== null) {
      yield failed;
      return;
    }
    // Somebody chose how the part is rung, and nobody who could do it runs.
    const isChosen = deliver !== "auto" || exec !== undefined || tmux !== undefined;
    if (isChosen && unread().length > 0 && !isServed(world, part)) {
      const problem = `"${part}" has ${unread().length} unread and is woken by ${deliver}, and no pager runs that could do that`;
      yield found("no_pager", problem, { ...inbox, remedy: "Start a pager: `relay pager start`" });
      return;
    }
    if (part === HUMAN || (isServed(world, part) && !isOwedLong(world, part))) return;
  } catch (error) {
    // A link that leads out of the home is named as one.
    if (error instanceof Refusal && error.code === "outside_home") return;
    if (!(error instanceof FileError)) throw error;
    yield found("malformed", error.message, { path: error.path, remedy: `Choose anew: \`relay part deliver ${part} auto\`` });
    return;
  }
  const { refireMs } = world.home().config().wake;
  const waiting = unread().filter((id) => decodeTime(parseMessageId(id)?.token ?? "") < world.now() - refireMs);
  const remedy = "Start a pager (`relay pager start`), and see how the part is woken (`relay part deliver`)";
  if (waiting.length > 0)
    yield found("nobody_to_wake", `"${part}" has ${waiting.length} unread, and no running process can wake it`, { ...inbox, remedy });
}

/** A wake that no rung delivered, and that waits for its next try; null when there is none. */
function failedWake(world: World, part: string): Finding | null {
  const { n, state } = lastStep(world, part);
  if (state.kind !== "owed" || state.tried.length === 0 || unreadIdsSeen(world.home().store, part).length === 0) return null;
  const { reason = "", detail, tried } = state;
  const why = `${reasonWords(reason)}${detail === undefined ? "" : ` (${detail})`}`;
  return found("wake_failed", `"${part}" has mail and could not be woken by ${tried.join(" or ")}: ${why}`, {
    path: wakePath(part, n),
    remedy: nextFor(reason, part) ?? `relay wakes --with ${part}, relay part deliver ${part}`,
  });
}

/** Whether a wake is owed for so long that whoever could ring never did, as where a part has no terminal. */
function isOwedLong(world: World, part: string): boolean {
  const { state } = lastStep(world, part);
  return state.kind === "owed" && world.now() - state.sinceMs > world.home().config().wake.refireMs;
}
