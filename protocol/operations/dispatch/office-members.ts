import * as z from "zod/mini";
import { requireOffice } from "../../home/office/read-office.ts";
import { rosterOf } from "../../home/team/give-work.ts";
import { nameOf, officeCallerOf } from "../../home/team/office-caller.ts";
import { defineOperation } from "../../operation.ts";
import { RosterShape } from "../office/office-answers.ts";

/** The roster of whoever calls. */
export const office_members = defineOperation({
  name: "office_members",
  tool: "team",
  toolName: "ListTeamMembers",
  summary: "List whom you may give work to, and what each is for",
  when: "Whom you may Send to, and what each is for. type requestor: gave you this work.",
  hidden: true,
  effect: "read",
  onlyNow: true,
  identity: "optional",
  output: () => ({ you: z.string(), members: RosterShape }),
  async run(world, _input, who) {
    const office = requireOffice(world);
    const caller = officeCallerOf(world, who);
    return { you: nameOf(caller), members: { ...rosterOf(office, caller) } };
  },
});
