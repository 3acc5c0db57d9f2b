/** Prints for people: each operation's answer, by the operation's name. One without an entry prints its fields. */
import { printListAgents, printListPoolAgents } from "./agents/print-agents.ts";
import { printTeamSuggest, printTeamWrite } from "./agents/print-team.ts";
import { printTrust } from "./agents/print-trust.ts";
import { printListArtifacts, printPostArtifact, printSubmitTask } from "./board/print-artifact.ts";
import { printAppendMemory, printWriteMemory } from "./board/print-memory.ts";
import { printApplyPlan } from "./board/print-plan.ts";
import { printListReviews, printRequestReview, printShowReview, printSubmitReview, printWithdrawReview } from "./board/print-review.ts";
import {
  printEndSession,
  printGetServerInfo,
  printListSessions,
  printReopenSession,
  printSaveOrchestratorState,
  printSaveSessionSummary,
  printStartSession,
} from "./board/print-session.ts";
import { printBroadcastThinking, printGetMessages, printSendMessage } from "./board/print-session-message.ts";
import { printTask } from "./board/print-task.ts";
import { printClaimTask, printCreateTask, printReleaseTask, printUpdateTask } from "./board/print-task-change.ts";
import { printTasks } from "./board/print-tasks.ts";
import { printCheck } from "./check/print-check.ts";
import { printDoctor } from "./check/print-doctor.ts";
import { printAck } from "./mail/print-ack.ts";
import { printArchive } from "./mail/print-archive.ts";
import { printForget } from "./mail/print-forget.ts";
import { printInbox, printNext } from "./mail/print-inbox.ts";
import {
  printPartAdd,
  printPartHere,
  printPartList,
  printPartRemove,
  printPartRename,
  printPartSetMain,
  printWhoami,
} from "./mail/print-part.ts";
import { printSent } from "./mail/print-sent.ts";
import { printThread } from "./mail/print-thread.ts";
import { printThreadStatus } from "./mail/print-thread-status.ts";
import { printThreads } from "./mail/print-threads.ts";
import {
  printOfficeAdd,
  printOfficeCheck,
  printOfficeImport,
  printOfficeInit,
  printOfficePrune,
  printOfficeRunner,
  printOfficeShow,
} from "./office/print-office.ts";
import { printTrustOffice } from "./office/print-trust-office.ts";
import {
  printOfficeConversation,
  printOfficeLog,
  printOfficeSend,
  printOfficeStart,
  printOfficeStop,
  printOfficeTree,
} from "./office/print-work.ts";
import { printSearch } from "./search/print-search.ts";
import { printInit } from "./setup/print-init.ts";
import { printSetup } from "./setup/print-setup.ts";
import { printEvent } from "./status/print-event.ts";
import { printRoster } from "./status/print-roster.ts";
import { printStats } from "./status/print-stats.ts";
import { printStatus } from "./status/print-status.ts";
import type { Printers } from "./style.ts";
import { printClone } from "./sync/print-clone.ts";
import { printDiff } from "./sync/print-diff.ts";
import { printLog } from "./sync/print-log.ts";
import { printRecord } from "./sync/print-record.ts";
import { printSync } from "./sync/print-sync.ts";
import { printUndo } from "./sync/print-undo.ts";
import { printConfigAccept, printConfigRestore, printConfigShow } from "./trust/print-config.ts";
import { printUsage, printUsageCollect } from "./usage/print-usage.ts";
import { printNotifyAdd, printNotifyList, printNotifyRemove, printNotifyTest } from "./wake/print-notify.ts";
import { printPartDeliver } from "./wake/print-wake-method.ts";
import { printWakes } from "./wake/print-wakes.ts";

/** The printer of each operation. */
export const printers: Printers = {
  init: printInit,
  config_show: printConfigShow,
  config_accept: printConfigAccept,
  config_restore: printConfigRestore,
  setup: printSetup,
  search: printSearch,
  event: printEvent,
  doctor: printDoctor,
  check: printCheck,
  stats: printStats,
  usage: printUsage,
  usage_collect: printUsageCollect,
  status: printStatus,
  send: printSent,
  reply: printSent,
  inbox: printInbox,
  next: printNext,
  wait: printNext,
  ack: printAck,
  show: printThread,
  threads: printThreads,
  close: printThreadStatus,
  reopen: printThreadStatus,
  archive: printArchive,
  forget: printForget,
  send_message: printSendMessage,
  get_messages: printGetMessages,
  broadcast_thinking: printBroadcastThinking,
  roster: printRoster,
  whoami: printWhoami,
  part_add: printPartAdd,
  part_rename: printPartRename,
  part_remove: printPartRemove,
  part_set_main: printPartSetMain,
  part_here: printPartHere,
  part_list: printPartList,
  part_deliver: printPartDeliver,
  wakes: printWakes,
  notify_add: printNotifyAdd,
  notify_list: printNotifyList,
  notify_remove: printNotifyRemove,
  notify_test: printNotifyTest,
  record: printRecord,
  sync: printSync,
  undo: printUndo,
  clone: printClone,
  log: printLog,
  diff: printDiff,
  get_server_info: printGetServerInfo,
  start_session: printStartSession,
  list_sessions: printListSessions,
  end_session: printEndSession,
  reopen_session: printReopenSession,
  save_session_summary: printSaveSessionSummary,
  save_orchestrator_state: printSaveOrchestratorState,
  create_task: printCreateTask,
  claim_task: printClaimTask,
  update_task: printUpdateTask,
  submit_task: printSubmitTask,
  release_task: printReleaseTask,
  get_all_tasks: printTasks,
  show_task: printTask,
  post_artifact: printPostArtifact,
  list_artifacts: printListArtifacts,
  request_review: printRequestReview,
  apply_plan: printApplyPlan,
  submit_review: printSubmitReview,
  withdraw_review: printWithdrawReview,
  show_review: printShowReview,
  list_reviews: printListReviews,
  write_memory: printWriteMemory,
  append_memory: printAppendMemory,
  list_agents: printListAgents,
  list_pool_agents: printListPoolAgents,
  team_suggest: printTeamSuggest,
  team_write: printTeamWrite,
  trust: printTrust,
  trust_office: printTrustOffice,
  office_init: printOfficeInit,
  office_import: printOfficeImport,
  office_add: printOfficeAdd,
  office_runner: printOfficeRunner,
  office_check: printOfficeCheck,
  office_show: printOfficeShow,
  office_prune: printOfficePrune,
  office_tree: printOfficeTree,
  office_start: printOfficeStart,
  office_send: printOfficeSend,
  office_log: printOfficeLog,
  office_conversation: printOfficeConversation,
  office_stop: printOfficeStop,
};
