/**
 * The door for this project's own programs: the pager, the MCP server and the command. What a program may use stands in
 * `index.ts`; what stands here is free to change.
 */

import "./operations/index.ts";

export { openConnection } from "./connection.ts";
export { confirmGiven } from "./connection-memory.ts";
export { requireVisible } from "./home/agent/grants.ts";
export { seqOf } from "./home/arrivals.ts";
export { type DashboardHold, holdDashboard, servedDashboard } from "./home/dashboard/dashboard-hold.ts";
export { listedHomes, listHomes, unlistHome } from "./home/dashboard/listed-homes.ts";
export { goOnForKilled } from "./home/dispatch/adopt-mail.ts";
export { closeDispatch } from "./home/dispatch/close-dispatch.ts";
export { ringDispatch } from "./home/dispatch/dispatch-acts.ts";
export { earlierTurns } from "./home/dispatch/earlier-turns.ts";
export { endTurn, type TurnResult } from "./home/dispatch/end-turn.ts";
export { ensureRunner, isTurnDue } from "./home/dispatch/ensure-runner.ts";
export { dispatchesAbove, type Frozen, readFrozen } from "./home/dispatch/launch-settings.ts";
export { localFolder, RING } from "./home/dispatch/local-files.ts";
export { envelopeAgain, localDispatches, lookAfter, type NextTurn, nextTurn } from "./home/dispatch/next-turn.ts";
export { tellOffice } from "./home/dispatch/office-events.ts";
export { isClosed } from "./home/dispatch/own-files.ts";
export { type DispatchState, readDispatch, readDispatchFiles } from "./home/dispatch/read-dispatch.ts";
export { holdRunner, isRunnerLost, isRunnerThere, RUNNER_PATH } from "./home/dispatch/runner-hold.ts";
export {
  digestOfToken,
  isLeafCalling,
  issueToken,
  noteConnected,
  wasConnected,
  withdrawToken,
  withdrawTokens,
} from "./home/dispatch/token.ts";
export { FEED_FOLDER, feedSign, makeFeed } from "./home/feed.ts";
export { homeAt, homeOf, realFolder } from "./home/find-home.ts";
export { commitFolders, commitIdentity } from "./home/git/commit-identity.ts";
export { ensureWorktree, worktreeReport } from "./home/git/dispatch-worktree.ts";
export { mergeFile } from "./home/git/in-tree.ts";
export { makeWorktree, removeWorktree, requireTop } from "./home/git/worktrees.ts";
export { isThere } from "./home/home.ts";
export { findMachineStore, machineStore } from "./home/machine.ts";
export { completePending } from "./home/message/finish-posts.ts";
export { askedBy } from "./home/message/questions.ts";
export { endBlocked, tellBlocked } from "./home/notify/blocked-parts.ts";
export { type NewsMemory, newsOf } from "./home/notify/news.ts";
export { keepResult, notifies, notifySign } from "./home/notify/notify-list.ts";
export { isTaken, takeNews } from "./home/notify/notify-once.ts";
export { overdueMail, tellOverdue } from "./home/notify/overdue-mail.ts";
export { silence } from "./home/notify/quiet-parts.ts";
export { tellIdle } from "./home/notify/tell-idle.ts";
export { runNotify } from "./home/notify/tell-person.ts";
export { tellStuck } from "./home/notify/tell-stuck.ts";
export { launchEnvironment } from "./home/office/launch-environment.ts";
export { type OfficeLimits, officeLimits } from "./home/office/office-limits.ts";
export { officePrograms } from "./home/office/office-programs.ts";
export { isLaunched } from "./home/office/trusted-office.ts";
export { inOffice, LAUNCHES, OFFICE, officeToWrite } from "./home/office-folder.ts";
export { unreadIdsSeen } from "./home/part/inbox-files.ts";
export { createMemberList } from "./home/part/member-list.ts";
export { currentName, formerNamesOf, isMember, members, requireMembers } from "./home/part/members.ts";
export { lifeMs, markLife, noteLife, replacedPart } from "./home/part/presence.ts";
export { log, logPath } from "./home/process-log.ts";
export { isSetUpBeside } from "./home/setup/plugin-beside.ts";
export { NEW_SESSION } from "./home/setup/setup-notes.ts";
export { stateFolder } from "./home/state-folder.ts";
export { createRemoteAsker } from "./home/sync/ask-remote.ts";
export { leaveRecorder, recordLater, recordWhatWaits } from "./home/sync/leave-recorder.ts";
export { runRecorder } from "./home/sync/run-recorder.ts";
export { pauseAfter, syncHome } from "./home/sync/sync-home.ts";
export { heldBy } from "./home/task/held-tasks.ts";
export { forgetSends, noteSends, sweepSends } from "./home/team/open-sends.ts";
export { resolveThread } from "./home/thread/threads.ts";
export { stoppedByBudget, warnOfBudget } from "./home/usage/budget.ts";
export { collectCalls, collectOfficeTurn, collectTurn } from "./home/usage/collect-turn.ts";
export { noteHeardAtTurn, retryWake, updateWake, urgentUnread } from "./home/wake/drive-wake.ts";
export { clearOldHookMemory, type HookMemory, keepHookMemory, recallHookMemory, takeWait } from "./home/wake/hook-memory.ts";
export { commitWake, type Lease, leaseWake, renewWake, reportWake } from "./home/wake/lease-wake.ts";
export { setWakeMethod } from "./home/wake/set-wake-method.ts";
export { spentWakes } from "./home/wake/wake-budget.ts";
export { type WakeSigns, wakeSigns } from "./home/wake/wake-chain.ts";
export {
  isPagerHere,
  ladderOf,
  livePagers,
  liveWaiters,
  type Pager,
  panePids,
  registerPager,
  registerWaiter,
  stillPagers,
  unbelievedWakeMethod,
  wakeMethodOf,
} from "./home/wake/who-rings.ts";
export { partOf, worktreeOfPart } from "./home/worktree-part.ts";
export { teamSchema } from "./objects/agent/team.ts";
export { homeConfigSchema } from "./objects/config/config-schema.ts";
export type { News, Notify } from "./objects/event/notify.ts";
export { ageOf } from "./objects/format/age.ts";
export { orElse } from "./objects/format/file-error.ts";
export { escapedJson, quotedAuthor, seen } from "./objects/format/hidden.ts";
export { parseThreadId, shortName, shortNames } from "./objects/format/id.ts";
export { many } from "./objects/format/many.ts";
export { placeWords, shellWord } from "./objects/format/shell-word.ts";
export { type HostScreen, MOMENTS, type Moment, pluginTwice, wakesItself } from "./objects/host/host.ts";
export { AGENT_MARKS, HOOK_HOSTS, HOSTS, type HostName, hostOf, hostOfClient, isHost } from "./objects/host/index.ts";
export type { Prepared, Program } from "./objects/host/program.ts";
export { TOKEN_VARIABLE } from "./objects/host/program.ts";
export { objectIn, type Reading, UNREAD, type Usage } from "./objects/host/reading.ts";
export { threadFolder } from "./objects/message/message.ts";
export type { ProgramName } from "./objects/office/agent-file.ts";
export { usableTools } from "./objects/office/usable-tools.ts";
export { LAUNCH_VARIABLE } from "./objects/office/what-runs.ts";
export { inboxNew, nearest, presenceFolder } from "./objects/part/part.ts";
export type { HeldTask, Quiet } from "./objects/part/quiet.ts";
export { saveSummaryCommand } from "./objects/session/session.ts";
export { SummarySchema } from "./objects/summary/summary.ts";
export { inWords } from "./objects/tree/record.ts";
export { shortOf, withShortIds } from "./objects/turn/turn.ts";
export { ackedWords, type TurnAnswer, turnWords } from "./objects/turn/turn-words.ts";
export { isRecordAgent } from "./objects/usage/records.ts";
export { dueAt } from "./objects/wake/wake.ts";
export { type Spent, wakePolicy } from "./objects/wake/wake-policy.ts";
export { standsUntil } from "./objects/wake/wake-record.ts";
export type { WakeState } from "./objects/wake/wake-state.ts";
export { nextFor, reasonWords } from "./objects/wake/wake-words.ts";
export { inputByDefault } from "./operation.ts";
export { finishPending } from "./operations/finish-pending.ts";
export { subjectsOf } from "./operations/message/ack.ts";
export { newsBeside } from "./operations/message/make-turn.ts";
export { keepTurns } from "./operations/message/next-file.ts";
export { operationsOfWord } from "./operations/of-word.ts";
export { shownBy } from "./operations/shown-by.ts";
export { waitForWakes } from "./operations/wake/wait-for-wake.ts";
export { asRefusal, beginLookingBack, canLookBack } from "./perform.ts";
export { takesAgent, takesAnySession, typeOf } from "./read-input.ts";
export { asReader } from "./reading-world.ts";
export { failureReply, REFUSALS, type RefusalData, refuse, type Surface, TOOLS } from "./refusal.ts";
export { removeBeside, removeFolder, writeBeside } from "./store/beside/beside.ts";
export { createWhole, ensureFolder, makeOwn, writeOwn } from "./store/beside/own-folder.ts";
export { beginningOf, endOf, refuseLinked } from "./store/beside/user-file.ts";
export { builtFile } from "./store/built-file.ts";
export { sha256 } from "./store/digest.ts";
export { askGit, git } from "./store/git/git.ts";
export { untied } from "./store/git/git-environment.ts";
export { holdLock } from "./store/lock.ts";
export { lstatIfThere } from "./store/look.ts";
export { isOthersPeer } from "./store/peer-user.ts";
export { lifeOf, processesWith, processOf, startedByWords, startedFor, thisProcess, wordsOf } from "./store/process.ts";
export { absoluteOnly, findProgram, ownProgram, withAbsolutePath, withOwnPath } from "./store/program.ts";
export { ageMs, type FileFacts, facts, isFresh } from "./store/read/facts.ts";
export { Kept } from "./store/read/kept.ts";
export { names } from "./store/read/list-folder.ts";
export { readPlain, readPlainText } from "./store/read/plain-file.ts";
export { readText } from "./store/read/read-file.ts";
export { lastLines, readLines } from "./store/read/read-lines.ts";
export { absolute, type Store } from "./store/root.ts";
export { runProgram } from "./store/run.ts";
export { type Watch, watchFolders } from "./store/watch.ts";
export { makeFolder } from "./store/write/make-folder.ts";
export { place } from "./store/write/publish.ts";
export { PAGER_SERVICE } from "./templates.ts";
export { withOwnHome } from "./world.ts";

/** Loads what `show` needs to find the operation that an id means; a command that shows nothing does without. */
export const loadShownBy = () => import("./operations/shown-by.ts");

/** Loads what tells the news beside an answer. */
export const loadNews = () => import("./operations/message/make-turn.ts");
