/** Prints for people: each operation's answer, by the operation's name. One without an entry prints its fields. */
import { printListAgents, printListPoolAgents } from "./agent/print-agents.ts";
import { printTeamSuggest, printTeamWrite } from "./agent/print-team.ts";
import { printTrust } from "./agent/print-trust.ts";
import { printListArtifacts, printPostArtifact, printSubmitTask } from "./artifact/print-artifact.ts";
import { printListReviews, printRequestReview, printShowReview, printSubmitReview, printWithdrawReview } from "./artifact/print-review.ts";
import { printCheck } from "./check/print-check.ts";
import { printDoctor } from "./check/print-doctor.ts";
import { printConfigAccept, printConfigRestore, printConfigShow } from "./home/print-config.ts";
import { printEvent } from "./home/print-event.ts";
import { printInit } from "./home/print-init.ts";
import { printSearch } from "./home/print-search.ts";
import { printSetup } from "./home/print-setup.ts";
import { printStats } from "./home/print-stats.ts";
import { printStatus } from "./home/print-status.ts";
import { printAppendMemory, printWriteMemory } from "./memory/print-memory.ts";
import { printAck } from "./message/print-ack.ts";
import { printArchive } from "./message/print-archive.ts";
import { printForget } from "./message/print-forget.ts";
import { printInbox, printNext } from "./message/print-inbox.ts";
import { printSent } from "./message/print-sent.ts";
import { printBroadcastThinking, printGetMessages, printSendMessage } from "./message/print-session-message.ts";
import { printThread } from "./message/print-thread.ts";
import { printThreadStatus } from "./message/print-thread-status.ts";
import { printThreads } from "./message/print-threads.ts";
import { printNotifyAdd, printNotifyList, printNotifyRemove, printNotifyTest } from "./notify/print-notify.ts";
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
import {
  printPartAdd,
  printPartHere,
  printPartList,
  printPartRemove,
  printPartRename,
  printPartSetMain,
  printWhoami,
} from "./part/print-part.ts";
import { printRoster } from "./part/print-roster.ts";
import {
  printEndSession,
  printGetServerInfo,
  printListSessions,
  printReopenSession,
  printSaveOrchestratorState,
  printSaveSessionSummary,
  printStartSession,
} from "./session/print-session.ts";
import type { Printers } from "./style.ts";
import { printClone } from "./sync/print-clone.ts";
import { printDiff } from "./sync/print-diff.ts";
import { printLog } from "./sync/print-log.ts";
import { printRecord } from "./sync/print-record.ts";
import { printSync } from "./sync/print-sync.ts";
import { printUndo } from "./sync/print-undo.ts";
import { printApplyPlan } from "./task/print-plan.ts";
import { printTask } from "./task/print-task.ts";
import { printClaimTask, printCreateTask, printReleaseTask, printUpdateTask } from "./task/print-task-change.ts";
import { printTasks } from "./task/print-tasks.ts";
import { printUsage, printUsageCollect } from "./usage/print-usage.ts";
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
