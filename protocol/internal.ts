/**
 * The door for this project's own programs: the pager, the MCP server and the command. What a program may use stands in
 * `index.ts`; what stands here is free to change.
 */

export { requireVisible } from "./home/agent/grants.ts";
export { allowedTools } from "./home/agent/sealed-tools.ts";
export { homeOf } from "./home/discover.ts";
export { makeFeed } from "./home/feed.ts";
export { makeWorktree, removeWorktree } from "./home/git/worktrees.ts";
export { isThere } from "./home/home.ts";
export { machineStore } from "./home/machine.ts";
export { type NewsMemory, newsOf } from "./home/notify/news.ts";
export { notifies, notifySign } from "./home/notify/notify-list.ts";
export { isTaken, takeNews } from "./home/notify/notify-once.ts";
export { keepResult } from "./home/notify/notify-result.ts";
export { silence } from "./home/notify/quiet-parts.ts";
export { runNotify } from "./home/notify/tell-person.ts";
export { tellStuck } from "./home/notify/tell-stuck.ts";
export { type Heartbeat, livePids, startHeartbeat } from "./home/part/keep-presence.ts";
export { lifeMs, markLife, noteLife } from "./home/part/life-signs.ts";
export { currentName, formerNamesOf, isMember, members, requireMembers } from "./home/part/members.ts";
export { log, logPath } from "./home/process-log.ts";
export { isSetUpBeside } from "./home/setup/plugin-beside.ts";
export { recordHome } from "./home/sync/record-home.ts";
export { syncHome } from "./home/sync/sync-home.ts";
export { resolveThread } from "./home/thread/find-thread.ts";
export {
  commitWake,
  type Lease,
  leaseWake,
  noteHeardAtTurn,
  renewWake,
  reportWake,
  retryWake,
  updateWake,
} from "./home/wake/drive-wake.ts";
export { clearOldHookMemory, type HookMemory, keepHookMemory, recallHookMemory, takeWait } from "./home/wake/hook-memory.ts";
export { spentWakes } from "./home/wake/wake-budget.ts";
export { lastStep } from "./home/wake/wake-chain.ts";
export { ladderOf, setWakeMethod, unbelievedWakeMethod, wakeMethodOf } from "./home/wake/wake-method.ts";
export { livePagers, liveWaiters, type Pager, registerPager, registerWaiter } from "./home/wake/wake-processes.ts";
export { type WakeSigns, wakeSigns } from "./home/wake/wake-sign.ts";
export { partOf, worktreeOfPart } from "./home/worktree-part.ts";
export { teamSchema } from "./objects/agent/team-schema.ts";
export { ConfigSchema } from "./objects/config/config-schema.ts";
export type { News, Notify } from "./objects/event/notify.ts";
export { escapedJson, seen } from "./objects/format/hidden.ts";
export { parseThreadId, shortNames } from "./objects/format/id.ts";
export { many } from "./objects/format/many.ts";
export { placeWords, shellWord } from "./objects/format/shell-word.ts";
export { threadFolder } from "./objects/message/message.ts";
export type { Quiet } from "./objects/part/life.ts";
export { inboxNew, nearest, partProblem } from "./objects/part/part.ts";
export { presenceFolder } from "./objects/part/presence.ts";
export { SummarySchema } from "./objects/summary/summary.ts";
export { inWords, type Noun } from "./objects/tree/record.ts";
export { dueAt } from "./objects/wake/wake.ts";
export { type Spent, wakePolicy } from "./objects/wake/wake-policy.ts";
export { standsUntil } from "./objects/wake/wake-rest.ts";
export type { WakeState } from "./objects/wake/wake-state.ts";
export { nextFor, reasonWords } from "./objects/wake/wake-words.ts";
export { takesAgent, takesAnySession, typeOf } from "./operation.ts";
export { finishPending } from "./operations/finish-pending.ts";
export { waitForWakes } from "./operations/wake/wait-for-wake.ts";
export { asRefusal, canLookBack } from "./perform.ts";
export { failureReply, REFUSALS, type RefusalData, refuse, type Surface, TOOLS } from "./refusal.ts";
export { ensureFolder, removeBeside, removeFolder, writeBeside } from "./store/beside.ts";
export { askGit, git } from "./store/git/git.ts";
export { untied } from "./store/git/git-environment.ts";
export { holdLock } from "./store/lock.ts";
export { describeProcess, lifeOf, startedByWords, startedFor, thisProcess } from "./store/process.ts";
export { findProgram } from "./store/program.ts";
export { facts, names, readLines } from "./store/read.ts";
export { absolute } from "./store/root.ts";
export { runProgram } from "./store/run.ts";
export { beginningOf } from "./store/user-file.ts";
export { type Watch, watchFolders } from "./store/watch.ts";
export { PAGER_SERVICE } from "./templates.ts";
export { withOwnHome } from "./world.ts";
