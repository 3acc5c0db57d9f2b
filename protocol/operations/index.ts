/** The list of every operation; the command line and the MCP server are loops over it. */
import type { AnyOperation } from "../operation.ts";
import { ack } from "./ack.ts";
import { listAgents, listPoolAgents } from "./agents.ts";
import { close, reopen } from "./close.ts";
import { doctor } from "./doctor.ts";
import { event } from "./event.ts";
import { inbox } from "./inbox.ts";
import { init } from "./init.ts";
import { partAdd, partHere, partList, partRemove, partRename, partSetMain } from "./part.ts";
import { reply } from "./reply.ts";
import { roster } from "./roster.ts";
import { search } from "./search.ts";
import { send } from "./send.ts";
import { show } from "./show.ts";
import { status } from "./status.ts";
import { teamSuggest, teamWrite } from "./team.ts";
import { threads } from "./threads.ts";
import { trust } from "./trust.ts";
import { wait } from "./wait.ts";
import { whoami } from "./whoami.ts";

/** Every operation by its name. */
export const operations = {
  init,
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
  event,
  list_agents: listAgents,
  list_pool_agents: listPoolAgents,
  team_suggest: teamSuggest,
  team_write: teamWrite,
  trust,
  part_add: partAdd,
  part_rename: partRename,
  part_remove: partRemove,
  part_set_main: partSetMain,
  part_here: partHere,
  part_list: partList,
  doctor,
};

/** The operations in the order in which help and tool lists show them. */
export const operationList: readonly AnyOperation[] = Object.values(operations);
