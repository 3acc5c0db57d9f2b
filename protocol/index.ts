/**
 * The library: what a program may use of Relay. Everything else is free to change.
 *
 * @example
 * const world = createWorld({ cwd: "/path/to/repository", part: "web" });
 * await perform(world, operations.send, { to: ["main"], subject: "Done", body: "It works." });
 */

export { spentWakes } from "./home/budget.ts";
export { type Delivery, deliveryOf, ladderOf, setDelivery, unbelievedDelivery } from "./home/delivery.ts";
export { homeOf, partOf, worktreeOfPart } from "./home/discover.ts";
export { makeFeed } from "./home/feed.ts";
export { requireVisible } from "./home/grants.ts";
export { isThere } from "./home/home.ts";
export { lifeMs, markLife, noteLife } from "./home/life.ts";
export { log, logPath } from "./home/log.ts";
export { machineStore } from "./home/machine.ts";
export { type NewsMemory, newsOf } from "./home/news.ts";
export { keepResult, notifies, notifySign } from "./home/notify.ts";
export { isTaken, takeNews } from "./home/notify-marks.ts";
export { runNotify } from "./home/notify-run.ts";
export { currentName, formerNamesOf, isMember, members, requireMembers } from "./home/parts.ts";
export { isSetUpBeside } from "./home/plugin-beside.ts";
export { type Heartbeat, livePids, startHeartbeat } from "./home/presence.ts";
export { silence } from "./home/quiet.ts";
export { recordHome } from "./home/record.ts";
export { allowedTools } from "./home/sealed-tools.ts";
export { tellStuck } from "./home/stuck.ts";
export { syncHome } from "./home/sync.ts";
export { resolveThread } from "./home/threads.ts";
export { clearOldTurns, keepTurns, recallTurns, type Turns, takeWait } from "./home/turns.ts";
export { livePagers, liveWaiters, type Pager, registerPager, registerWaiter } from "./home/waiters.ts";
export { type WakeSigns, wakeSigns } from "./home/wake-sign.ts";
export { lastStep } from "./home/wake-steps.ts";
export { commitWake, type Lease, leaseWake, lookAtWake, renewWake, reportWake, retryWake, toldAtTurn } from "./home/wakes.ts";
export { makeWorktree, removeWorktree } from "./home/worktrees.ts";
export { ConfigSchema, FORMAT } from "./objects/config.ts";
export { escapedJson, seen } from "./objects/hidden.ts";
export { parseThreadId, shortNames } from "./objects/id.ts";
export type { Quiet } from "./objects/life.ts";
export { threadFolder } from "./objects/message.ts";
export type { News, Notify } from "./objects/notify.ts";
export { HUMAN, inboxNew, nearest, partProblem } from "./objects/part.ts";
export { presenceFolder } from "./objects/presence.ts";
export { inWords, type Noun } from "./objects/record.ts";
export { LIMITS } from "./objects/schema.ts";
export { placeWords, shellWord } from "./objects/shell-word.ts";
export { SummarySchema } from "./objects/summary.ts";
export { teamSchema } from "./objects/team-schema.ts";
export { dueAt, OUTCOMES, RUNGS, type RungName, type WakeState } from "./objects/wake.ts";
export { type Spent, type WakePolicy, wakePolicy } from "./objects/wake-policy.ts";
export { standsUntil } from "./objects/wake-standing.ts";
export { nextFor, reasonWords } from "./objects/wake-words.ts";
export {
  type AnyOperation,
  argumentNames,
  type Effect,
  type Identity,
  type Operation,
  type Shape,
  takesAgent,
  takesAnySession,
  takesList,
  typeOf,
} from "./operation.ts";
export { operationList, operations } from "./operations/index.ts";
export { look } from "./operations/look.ts";
export { keepWaiting, type WaitingOptions } from "./operations/waiter.ts";
export { answer, asRefusal, canLookBack, type Performed, perform, type SuccessReply, worldAtRecord } from "./perform.ts";
export { EXIT, type FailureReply, failureReply, REFUSALS, Refusal, type RefusalCode, refuse } from "./refusal.ts";
export { ensureFolder, removeBeside, removeFolder, writeBeside } from "./store/beside.ts";
export { untied } from "./store/git.ts";
export { holdLock } from "./store/lock.ts";
export { describeProcess, lifeOf, startedByWords, startedFor, thisProcess } from "./store/process.ts";
export { findProgram } from "./store/program.ts";
export { facts, names, readLines } from "./store/read.ts";
export { absolute } from "./store/root.ts";
export { runProgram } from "./store/run.ts";
export { beginningOf } from "./store/user-file.ts";
export { BEAT_MS, type Watch, watchFolders } from "./store/watch.ts";
export { PAGER_SERVICE } from "./templates.ts";
export {
  asViewer,
  type Connection,
  createWorld,
  type Me,
  newConnection,
  type World,
  type WorldOptions,
  withOwnHome,
  withSignal,
} from "./world.ts";
