import * as z from "zod/mini";
import { defineOperation } from "../../core/operation.ts";
import { rosterOf } from "../files/give-work.ts";
import { nameOf, officeCallerOf } from "../files/office-caller.ts";
import { requireOffice } from "../files/read-office.ts";
import { RosterShape } from "./office-answers.ts";

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
