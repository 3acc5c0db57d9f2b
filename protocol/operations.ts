/** The list of every operation; the command line and the MCP server are loops over it. The build evaluates each when it is first used. */

import { list_agents } from "./agents/verbs/list-agents.ts";
import { list_pool_agents } from "./agents/verbs/list-pool-agents.ts";
import { team_suggest } from "./agents/verbs/team-suggest.ts";
import { team_write } from "./agents/verbs/team-write.ts";
import { trust } from "./agents/verbs/trust.ts";
import { append_memory } from "./board/verbs/append-memory.ts";
import { apply_plan } from "./board/verbs/apply-plan.ts";
import { broadcast_thinking } from "./board/verbs/broadcast-thinking.ts";
import { claim_task } from "./board/verbs/claim-task.ts";
import { create_task } from "./board/verbs/create-task.ts";
import { end_session } from "./board/verbs/end-session.ts";
import { get_all_tasks } from "./board/verbs/get-all-tasks.ts";
import { get_artifact } from "./board/verbs/get-artifact.ts";
import { get_messages } from "./board/verbs/get-messages.ts";
import { get_orchestrator_state } from "./board/verbs/get-orchestrator-state.ts";
import { get_session_summary } from "./board/verbs/get-session-summary.ts";
import { list_artifacts } from "./board/verbs/list-artifacts.ts";
import { list_reviews } from "./board/verbs/list-reviews.ts";
import { list_sessions } from "./board/verbs/list-sessions.ts";
import { post_artifact } from "./board/verbs/post-artifact.ts";
import { read_memory } from "./board/verbs/read-memory.ts";
import { release_task } from "./board/verbs/release-task.ts";
import { reopen_session } from "./board/verbs/reopen-session.ts";
import { request_review } from "./board/verbs/request-review.ts";
import { save_orchestrator_state } from "./board/verbs/save-orchestrator-state.ts";
import { save_session_summary } from "./board/verbs/save-session-summary.ts";
import { send_message } from "./board/verbs/send-message.ts";
import { show_review } from "./board/verbs/show-review.ts";
import { show_task } from "./board/verbs/show-task.ts";
import { start_session } from "./board/verbs/start-session.ts";
import { submit_review } from "./board/verbs/submit-review.ts";
import { submit_task } from "./board/verbs/submit-task.ts";
import { update_task } from "./board/verbs/update-task.ts";
import { withdraw_review } from "./board/verbs/withdraw-review.ts";
import { write_memory } from "./board/verbs/write-memory.ts";
import { check } from "./check/verbs/check.ts";
import { doctor } from "./check/verbs/doctor.ts";
import { ack } from "./mail/verbs/ack.ts";
import { close } from "./mail/verbs/close.ts";
import { inbox } from "./mail/verbs/inbox.ts";
import { part_add } from "./mail/verbs/part-add.ts";
import { part_here } from "./mail/verbs/part-here.ts";
import { part_list } from "./mail/verbs/part-list.ts";
import { part_remove } from "./mail/verbs/part-remove.ts";
import { part_rename } from "./mail/verbs/part-rename.ts";
import { part_set_main } from "./mail/verbs/part-set-main.ts";
import { reopen } from "./mail/verbs/reopen.ts";
import { reply } from "./mail/verbs/reply.ts";
import { send } from "./mail/verbs/send.ts";
import { show } from "./mail/verbs/show.ts";
import { threads } from "./mail/verbs/threads.ts";
import { whoami } from "./mail/verbs/whoami.ts";
import { office_add } from "./office/verbs/office-add.ts";
import { office_ask } from "./office/verbs/office-ask.ts";
import { office_check } from "./office/verbs/office-check.ts";
import { office_close } from "./office/verbs/office-close.ts";
import { office_conversation } from "./office/verbs/office-conversation.ts";
import { office_import } from "./office/verbs/office-import.ts";
import { office_init } from "./office/verbs/office-init.ts";
import { office_log } from "./office/verbs/office-log.ts";
import { office_members } from "./office/verbs/office-members.ts";
import { office_prune } from "./office/verbs/office-prune.ts";
import { office_read } from "./office/verbs/office-read.ts";
import { office_runner } from "./office/verbs/office-runner.ts";
import { office_send } from "./office/verbs/office-send.ts";
import { office_show } from "./office/verbs/office-show.ts";
import { office_start } from "./office/verbs/office-start.ts";
import { office_stop } from "./office/verbs/office-stop.ts";
import { office_tree } from "./office/verbs/office-tree.ts";
import { trust_office } from "./office/verbs/trust-office.ts";
import { search } from "./search/verbs/search.ts";
import { clone } from "./setup/verbs/clone.ts";
import { init } from "./setup/verbs/init.ts";
import { setup } from "./setup/verbs/setup.ts";
import { event } from "./status/verbs/event.ts";
import { get_server_info } from "./status/verbs/get-server-info.ts";
import { roster } from "./status/verbs/roster.ts";
import { stats } from "./status/verbs/stats.ts";
import { status } from "./status/verbs/status.ts";
import { archive } from "./sync/verbs/archive.ts";
import { config_restore } from "./sync/verbs/config-restore.ts";
import { diff } from "./sync/verbs/diff.ts";
import { forget } from "./sync/verbs/forget.ts";
import { log } from "./sync/verbs/log.ts";
import { record } from "./sync/verbs/record.ts";
import { sync } from "./sync/verbs/sync.ts";
import { undo } from "./sync/verbs/undo.ts";
import { config_accept } from "./trust/verbs/config-accept.ts";
import { config_show } from "./trust/verbs/config-show.ts";
import { next } from "./turn/verbs/next.ts";
import { wait } from "./turn/verbs/wait.ts";
import { usage } from "./usage/verbs/usage.ts";
import { usage_collect } from "./usage/verbs/usage-collect.ts";
import { notify_add } from "./wake/verbs/notify-add.ts";
import { notify_list } from "./wake/verbs/notify-list.ts";
import { notify_remove } from "./wake/verbs/notify-remove.ts";
import { notify_test } from "./wake/verbs/notify-test.ts";
import { part_deliver } from "./wake/verbs/part-deliver.ts";
import { wake_commit } from "./wake/verbs/wake-commit.ts";
import { wake_lease } from "./wake/verbs/wake-lease.ts";
import { wake_renew } from "./wake/verbs/wake-renew.ts";
import { wake_report } from "./wake/verbs/wake-report.ts";
import { wakes } from "./wake/verbs/wakes.ts";

/** Every operation by its name. */
export const operations = {
  init,
  setup,
  status,
  send,
  reply,
  next,
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
  part_add,
  part_rename,
  part_remove,
  part_set_main,
  part_here,
  part_list,
  part_deliver,
  notify_add,
  notify_list,
  notify_remove,
  notify_test,
  wakes,
  wake_lease,
  wake_commit,
  wake_renew,
  wake_report,
  doctor,
  check,
  record,
  sync,
  undo,
  forget,
  clone,
  config_show,
  config_accept,
  config_restore,
  log,
  diff,
  stats,
  get_server_info,
  start_session,
  list_sessions,
  end_session,
  reopen_session,
  save_session_summary,
  get_session_summary,
  apply_plan,
  create_task,
  claim_task,
  update_task,
  release_task,
  get_all_tasks,
  show_task,
  submit_task,
  send_message,
  get_messages,
  post_artifact,
  get_artifact,
  list_artifacts,
  request_review,
  submit_review,
  withdraw_review,
  show_review,
  list_reviews,
  read_memory,
  write_memory,
  append_memory,
  save_orchestrator_state,
  get_orchestrator_state,
  broadcast_thinking,
  list_agents,
  list_pool_agents,
  team_suggest,
  team_write,
  trust,
  trust_office,
  office_init,
  office_import,
  office_add,
  office_runner,
  office_check,
  office_show,
  office_prune,
  office_tree,
  office_start,
  office_log,
  office_conversation,
  office_stop,
  office_send,
  office_members,
  office_close,
  office_ask,
  office_read,
  usage,
  usage_collect,
};
