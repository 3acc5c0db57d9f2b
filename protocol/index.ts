/**
 * The library: what a program may use of Relay. Everything else is free to change.
 *
 * @example
 * const world = createWorld({ cwd: "/path/to/repository", part: "web" });
 * await perform(world, operations.send, { to: ["main"], subject: "Done", body: "It works." });
 */

export { requireVisible } from "./home/agent/grants.ts";
export { allowedTools } from "./home/agent/sealed-tools.ts";
export { homeOf, partOf, worktreeOfPart } from "./home/discover.ts";
export { makeFeed } from "./home/feed.ts";
export { makeWorktree, removeWorktree } from "./home/git/worktrees.ts";
export { isThere } from "./home/home.ts";
export { machineStore } from "./home/machine.ts";
export { type NewsMemory, newsOf } from "./home/notify/news.ts";
export { keepResult, notifies, notifySign } from "./home/notify/notify-list.ts";
export { isTaken, takeNews } from "./home/notify/notify-once.ts";
export { silence } from "./home/notify/quiet-parts.ts";
export { runNotify } from "./home/notify/tell-person.ts";
export { tellStuck } from "./home/notify/tell-stuck.ts";
export { type Heartbeat, livePids, startHeartbeat } from "./home/part/keep-presence.ts";
export { lifeMs, markLife, noteLife } from "./home/part/life-signs.ts";
export { currentName, formerNamesOf, isMember, members, requireMembers } from "./home/part/parts.ts";
export { log, logPath } from "./home/process-log.ts";
export { isSetUpBeside } from "./home/setup/plugin-beside.ts";
export { recordHome } from "./home/sync/record-home.ts";
export { syncHome } from "./home/sync/sync-home.ts";
export { resolveThread } from "./home/thread/threads.ts";
export { clearOldTurns, keepTurns, recallTurns, type Turns, takeWait } from "./home/wake/hook-memory.ts";
export { spentWakes } from "./home/wake/wake-budget.ts";
export { lastStep } from "./home/wake/wake-chain.ts";
export { type Delivery, deliveryOf, ladderOf, setDelivery, unbelievedDelivery } from "./home/wake/wake-method.ts";
export { livePagers, liveWaiters, type Pager, registerPager, registerWaiter } from "./home/wake/wake-processes.ts";
export { type WakeSigns, wakeSigns } from "./home/wake/wake-sign.ts";
export { commitWake, type Lease, leaseWake, lookAtWake, renewWake, reportWake, retryWake, toldAtTurn } from "./home/wake/wakes.ts";
export { teamSchema } from "./objects/agent/team-schema.ts";
export { ConfigSchema, FORMAT } from "./objects/config/config.ts";
export type { News, Notify } from "./objects/event/notify.ts";
export { escapedJson, seen } from "./objects/format/hidden.ts";
export { parseThreadId, shortNames } from "./objects/format/id.ts";
export { LIMITS } from "./objects/format/schema.ts";
export { placeWords, shellWord } from "./objects/format/shell-word.ts";
export { threadFolder } from "./objects/message/message.ts";
export type { Quiet } from "./objects/part/life.ts";
export { HUMAN, inboxNew, nearest, partProblem } from "./objects/part/part.ts";
export { presenceFolder } from "./objects/part/presence.ts";
export { SummarySchema } from "./objects/summary/summary.ts";
export { inWords, type Noun } from "./objects/tree/record.ts";
export { dueAt, OUTCOMES, RUNGS, type RungName, type WakeState } from "./objects/wake/wake.ts";
export { type Spent, type WakePolicy, wakePolicy } from "./objects/wake/wake-policy.ts";
export { standsUntil } from "./objects/wake/wake-rest.ts";
export { nextFor, reasonWords } from "./objects/wake/wake-words.ts";
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
export { finishPending } from "./operations/finish-pending.ts";
export { operationList, operations } from "./operations/index.ts";
export { keepWaiting, type WaitingOptions } from "./operations/wake/wait-for-wake.ts";
export { answer, asRefusal, canLookBack, type Performed, perform, type SuccessReply, worldAtRecord } from "./perform.ts";
export { EXIT, type FailureReply, failureReply, REFUSALS, Refusal, type RefusalCode, refuse } from "./refusal.ts";
export { ensureFolder, removeBeside, removeFolder, writeBeside } from "./store/beside.ts";
export { untied } from "./store/git/git.ts";
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
