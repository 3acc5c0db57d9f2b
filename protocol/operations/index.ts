/** The list of every operation; the command line and the MCP server are loops over it. */

import type { AnyOperation } from "../operation.ts";
import { accept } from "./accept.ts";
import { ack } from "./ack.ts";
import { listAgents, listPoolAgents } from "./agents.ts";
import { archive } from "./archive.ts";
import { getArtifact, listArtifactsOperation, postArtifactOperation } from "./artifact.ts";
import { check } from "./check.ts";
import { clone } from "./clone.ts";
import { close, reopen } from "./close.ts";
import { configAccept, configRestore, configShow } from "./config.ts";
import { partDeliver } from "./deliver.ts";
import { doctor } from "./doctor.ts";
import { event } from "./event.ts";
import { forget } from "./forget.ts";
import { inbox } from "./inbox.ts";
import { getServerInfo } from "./info.ts";
import { init } from "./init.ts";
import { log } from "./log.ts";
import { appendMemoryOperation, readMemoryOperation, writeMemoryOperation } from "./memory.ts";
import { notifyAdd, notifyList, notifyRemove, notifyTest } from "./notify.ts";
import { partAdd, partHere, partList, partRemove, partRename, partSetMain } from "./part.ts";
import { record } from "./record.ts";
import { reply } from "./reply.ts";
import { listReviewsOperation, requestReviewOperation, submitReviewOperation } from "./review.ts";
import { roster } from "./roster.ts";
import { search } from "./search.ts";
import { send } from "./send.ts";
import {
  endSessionOperation,
  getOrchestratorState,
  getSessionSummary,
  listSessionsOperation,
  reopenSessionOperation,
  saveOrchestratorState,
  saveSessionSummary,
  startSessionOperation,
} from "./session.ts";
import { broadcastThinking, getMessages, sendMessage } from "./session-messages.ts";
import { setup } from "./setup.ts";
import { show } from "./show.ts";
import { stats } from "./stats.ts";
import { status } from "./status.ts";
import { sync } from "./sync.ts";
import { claimTaskOperation } from "./task-claim.ts";
import { createTask } from "./task-create.ts";
import { getAllTasks } from "./task-list.ts";
import { releaseTask } from "./task-release.ts";
import { showTask } from "./task-show.ts";
import { updateTaskOperation } from "./task-update.ts";
import { teamSuggest, teamWrite } from "./team.ts";
import { threads } from "./threads.ts";
import { trust } from "./trust.ts";
import { undo } from "./undo.ts";
import { upgrade } from "./upgrade.ts";
import { wait } from "./wait.ts";
import { wakeCommit, wakeLease, wakeRenew, wakeReport } from "./wake.ts";
import { wakes } from "./wakes.ts";
import { whoami } from "./whoami.ts";

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
