/** The list of every operation; the command line and the MCP server are loops over it. */

import type { AnyOperation } from "../operation.ts";
import { accept } from "./agent/accept.ts";
import { listAgents, listPoolAgents } from "./agent/agents.ts";
import { teamSuggest, teamWrite } from "./agent/team.ts";
import { trust } from "./agent/trust.ts";
import { getArtifact, listArtifactsOperation, postArtifactOperation } from "./artifact/artifact.ts";
import { listReviewsOperation, requestReviewOperation, submitReviewOperation } from "./artifact/review.ts";
import { check } from "./check/check.ts";
import { doctor } from "./check/doctor.ts";
import { stats } from "./check/stats.ts";
import { status } from "./check/status.ts";
import { configAccept, configRestore, configShow } from "./home/config.ts";
import { event } from "./home/event.ts";
import { getServerInfo } from "./home/info.ts";
import { init } from "./home/init.ts";
import { notifyAdd, notifyList, notifyRemove, notifyTest } from "./home/notify.ts";
import { search } from "./home/search.ts";
import { setup } from "./home/setup.ts";
import { upgrade } from "./home/upgrade.ts";
import { appendMemoryOperation, readMemoryOperation, writeMemoryOperation } from "./memory/memory.ts";
import { ack } from "./message/ack.ts";
import { archive } from "./message/archive.ts";
import { forget } from "./message/forget.ts";
import { inbox } from "./message/inbox.ts";
import { reply } from "./message/reply.ts";
import { send } from "./message/send.ts";
import { broadcastThinking, getMessages, sendMessage } from "./message/session-messages.ts";
import { show } from "./message/show.ts";
import { threads } from "./message/threads.ts";
import { wait } from "./message/wait.ts";
import { partAdd, partHere, partList, partRemove, partRename, partSetMain } from "./part/part.ts";
import { roster } from "./part/roster.ts";
import { whoami } from "./part/whoami.ts";
import { close, reopen } from "./session/close.ts";
import {
  endSessionOperation,
  getOrchestratorState,
  getSessionSummary,
  listSessionsOperation,
  reopenSessionOperation,
  saveOrchestratorState,
  saveSessionSummary,
  startSessionOperation,
} from "./session/session.ts";
import { clone } from "./sync/clone.ts";
import { log } from "./sync/log.ts";
import { record } from "./sync/record.ts";
import { sync } from "./sync/sync.ts";
import { undo } from "./sync/undo.ts";
import { claimTaskOperation } from "./task/task-claim.ts";
import { createTask } from "./task/task-create.ts";
import { getAllTasks } from "./task/task-list.ts";
import { releaseTask } from "./task/task-release.ts";
import { showTask } from "./task/task-show.ts";
import { updateTaskOperation } from "./task/task-update.ts";
import { partDeliver } from "./wake/part-deliver.ts";
import { wakeCommit, wakeLease, wakeRenew, wakeReport } from "./wake/wake.ts";
import { wakes } from "./wake/wakes.ts";

/** Every operation by its name. */
export const operations = {
  init,
  setup,
  status,
  send,
  reply,
  inbox,
  ack,
  show,
  threads,
  search,
  roster,
  whoami,
  wait,
  close,
  reopen,
  archive,
  event,
  part_add: partAdd,
  part_rename: partRename,
  part_remove: partRemove,
  part_set_main: partSetMain,
  part_here: partHere,
  part_list: partList,
  part_deliver: partDeliver,
  notify_add: notifyAdd,
  notify_list: notifyList,
  notify_remove: notifyRemove,
  notify_test: notifyTest,
  wakes,
  wake_lease: wakeLease,
  wake_commit: wakeCommit,
  wake_renew: wakeRenew,
  wake_report: wakeReport,
  doctor,
  check,
  record,
  sync,
  undo,
  forget,
  clone,
  accept,
  upgrade,
  config_show: configShow,
  config_accept: configAccept,
  config_restore: configRestore,
  log,
  stats,
  get_server_info: getServerInfo,
  start_session: startSessionOperation,
  list_sessions: listSessionsOperation,
  end_session: endSessionOperation,
  reopen_session: reopenSessionOperation,
  save_session_summary: saveSessionSummary,
  get_session_summary: getSessionSummary,
  create_task: createTask,
  claim_task: claimTaskOperation,
  update_task: updateTaskOperation,
  release_task: releaseTask,
  get_all_tasks: getAllTasks,
  show_task: showTask,
  send_message: sendMessage,
  get_messages: getMessages,
  post_artifact: postArtifactOperation,
  get_artifact: getArtifact,
  list_artifacts: listArtifactsOperation,
  request_review: requestReviewOperation,
  submit_review: submitReviewOperation,
  list_reviews: listReviewsOperation,
  read_memory: readMemoryOperation,
  write_memory: writeMemoryOperation,
  append_memory: appendMemoryOperation,
  save_orchestrator_state: saveOrchestratorState,
  get_orchestrator_state: getOrchestratorState,
  broadcast_thinking: broadcastThinking,
  list_agents: listAgents,
  list_pool_agents: listPoolAgents,
  team_suggest: teamSuggest,
  team_write: teamWrite,
  trust,
};

/** The operations in the order in which help and tool lists show them. */
export const operationList: readonly AnyOperation[] = Object.values(operations);
