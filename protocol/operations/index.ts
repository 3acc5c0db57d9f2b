/** The list of every operation; the command line and the MCP server are loops over it. The build evaluates each when it is first used. */
import { listOperations } from "../operation.ts";
import { list_agents } from "./agent/list-agents.ts";
import { list_pool_agents } from "./agent/list-pool-agents.ts";
import { team_suggest } from "./agent/team-suggest.ts";
import { team_write } from "./agent/team-write.ts";
import { trust } from "./agent/trust.ts";
import { get_artifact } from "./artifact/get-artifact.ts";
import { list_artifacts } from "./artifact/list-artifacts.ts";
import { list_reviews } from "./artifact/list-reviews.ts";
import { post_artifact } from "./artifact/post-artifact.ts";
import { request_review } from "./artifact/request-review.ts";
import { show_review } from "./artifact/show-review.ts";
import { submit_review } from "./artifact/submit-review.ts";
import { withdraw_review } from "./artifact/withdraw-review.ts";
import { check } from "./check/check.ts";
import { doctor } from "./check/doctor.ts";
import { office_ask } from "./dispatch/office-ask.ts";
import { office_close } from "./dispatch/office-close.ts";
import { office_conversation } from "./dispatch/office-conversation.ts";
import { office_log } from "./dispatch/office-log.ts";
import { office_members } from "./dispatch/office-members.ts";
import { office_read } from "./dispatch/office-read.ts";
import { office_send } from "./dispatch/office-send.ts";
import { office_start } from "./dispatch/office-start.ts";
import { office_stop } from "./dispatch/office-stop.ts";
import { office_tree } from "./dispatch/office-tree.ts";
import { config_accept } from "./home/config-accept.ts";
import { config_restore } from "./home/config-restore.ts";
import { config_show } from "./home/config-show.ts";
import { event } from "./home/event.ts";
import { get_server_info } from "./home/get-server-info.ts";
import { init } from "./home/init.ts";
import { search } from "./home/search.ts";
import { setup } from "./home/setup.ts";
import { stats } from "./home/stats.ts";
import { status } from "./home/status.ts";
import { append_memory } from "./memory/append-memory.ts";
import { read_memory } from "./memory/read-memory.ts";
import { write_memory } from "./memory/write-memory.ts";
import { ack } from "./message/ack.ts";
import { archive } from "./message/archive.ts";
import { broadcast_thinking } from "./message/broadcast-thinking.ts";
import { close } from "./message/close.ts";
import { forget } from "./message/forget.ts";
import { get_messages } from "./message/get-messages.ts";
import { inbox } from "./message/inbox.ts";
import { next } from "./message/next.ts";
import { reopen } from "./message/reopen.ts";
import { reply } from "./message/reply.ts";
import { send } from "./message/send.ts";
import { send_message } from "./message/send-message.ts";
import { show } from "./message/show.ts";
import { threads } from "./message/threads.ts";
import { wait } from "./message/wait.ts";
import { notify_add } from "./notify/notify-add.ts";
import { notify_list } from "./notify/notify-list.ts";
import { notify_remove } from "./notify/notify-remove.ts";
import { notify_test } from "./notify/notify-test.ts";
import { office_add } from "./office/office-add.ts";
import { office_check } from "./office/office-check.ts";
import { office_import } from "./office/office-import.ts";
import { office_init } from "./office/office-init.ts";
import { office_prune } from "./office/office-prune.ts";
import { office_runner } from "./office/office-runner.ts";
import { office_show } from "./office/office-show.ts";
import { trust_office } from "./office/trust-office.ts";
import { part_add } from "./part/part-add.ts";
import { part_here } from "./part/part-here.ts";
import { part_list } from "./part/part-list.ts";
import { part_remove } from "./part/part-remove.ts";
import { part_rename } from "./part/part-rename.ts";
import { part_set_main } from "./part/part-set-main.ts";
import { roster } from "./part/roster.ts";
import { whoami } from "./part/whoami.ts";
import { end_session } from "./session/end-session.ts";
import { get_orchestrator_state } from "./session/get-orchestrator-state.ts";
import { get_session_summary } from "./session/get-session-summary.ts";
import { list_sessions } from "./session/list-sessions.ts";
import { reopen_session } from "./session/reopen-session.ts";
import { save_orchestrator_state } from "./session/save-orchestrator-state.ts";
import { save_session_summary } from "./session/save-session-summary.ts";
import { start_session } from "./session/start-session.ts";
import { clone } from "./sync/clone.ts";
import { diff } from "./sync/diff.ts";
import { log } from "./sync/log.ts";
import { record } from "./sync/record.ts";
import { sync } from "./sync/sync.ts";
import { undo } from "./sync/undo.ts";
import { apply_plan } from "./task/apply-plan.ts";
import { claim_task } from "./task/claim-task.ts";
import { create_task } from "./task/create-task.ts";
import { get_all_tasks } from "./task/get-all-tasks.ts";
import { release_task } from "./task/release-task.ts";
import { show_task } from "./task/show-task.ts";
import { submit_task } from "./task/submit-task.ts";
import { update_task } from "./task/update-task.ts";
import { usage } from "./usage/usage.ts";
import { usage_collect } from "./usage/usage-collect.ts";
import { part_deliver } from "./wake/part-deliver.ts";
import { wake_commit } from "./wake/wake-commit.ts";
import { wake_lease } from "./wake/wake-lease.ts";
import { wake_renew } from "./wake/wake-renew.ts";
import { wake_report } from "./wake/wake-report.ts";
import { wakes } from "./wake/wakes.ts";

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

listOperations(operations);
