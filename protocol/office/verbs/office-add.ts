import * as z from "zod/mini";
import { FileError } from "../../core/format/file-error.ts";
import { FILE_BYTES, LIMITS, line, maybe, text } from "../../core/format/schema.ts";
import { nearest } from "../../core/names.ts";
import { defineOperation } from "../../core/operation.ts";
import { type Refusal, refuse } from "../../core/refusal.ts";
import { exists } from "../../store/read/facts.ts";
import { publish } from "../../store/write/publish.ts";
import { replaceFile } from "../../store/write/replace.ts";
import { inspectOffice, requireWholeOffice } from "../files/read-office.ts";
import { trustWhatIsWritten } from "../files/trusted-office.ts";
import { type AgentFile, formatAgentFile, RUNNERS } from "../nouns/agent-file.ts";
import { agentProblem, expectedName, LEAD, OFFICE_LEAD, slugOf } from "../nouns/name.ts";
import { locateOrg, type OrgPlace, orgPath } from "../nouns/org-files.ts";
import { baseOf, positionId } from "../nouns/positions.ts";
import type { UnitKind } from "../nouns/unit.ts";
import { withMember } from "../nouns/write-unit.ts";

/** Adds an agent to the roster of a lead. */
export const office_add = defineOperation({
  name: "office_add",
  summary: "Add an agent to the roster of a lead, with a file of its own where it has none",
  effect: "write",
  idempotent: true,
  identity: "none",
  positionals: ["name"],
  input: () => ({
    name: line(LIMITS.name, "the agent"),
    to: maybe(line(LIMITS.name, "the lead's position, as `relay office show` lists it; default: om")),
    description: maybe(text(LIMITS.taskDescription, "what the agent is for")),
    runner: maybe(z.enum(RUNNERS).check(z.describe("the program of the agent; default: that of its lead"))),
  }),
  output: () => ({ position: z.string(), added: z.boolean(), unit: z.string(), agent: z.string(), created: z.boolean() }),
  example: { name: "tester", to: "om", description: "Tests what others made." },
  async run(world, { name, to = OFFICE_LEAD, description, runner }) {
    const problem = slugOf(name) === LEAD ? "it is in the ids of leads" : agentProblem(name);
    if (problem !== null) throw badName(name, problem);
    const { office, files } = requireWholeOffice(world);
    const { positions } = office;
    const lead = positions.get(positionId(to));
    if (lead === undefined) throw refuse("unknown_position", { given: to, nearest: nearest(to, [...positions.keys()]) });
    const { leads, unit } = lead;
    if (leads === null)
      throw refuse("invalid_argument", {
        argument: "to",
        expected: "the position of a lead",
        given: to,
        example: lead.parent ?? OFFICE_LEAD,
      });
    const { store } = world.home();
    const place = locateOrg(unit) as OrgPlace;
    const own = orgPath({ kind: "agent", project: "project" in place ? place.project : null, agent: slugOf(name) });
    const agent = [own, orgPath({ kind: "agent", project: null, agent: slugOf(name) })].find((path) => exists(store, path)) ?? own;
    const file = formatAgentFile({
      name,
      description: description ?? "",
      runner: runner ?? (files.find(({ path }) => path === lead.agent)?.value as AgentFile | null | undefined)?.runner,
      prompt: `You are ${name}. Your lead sends you one piece of work.`,
    });
    let [added, created, isOnTrusted] = [false, false, false];
    const { texts, trust } = trustWhatIsWritten(world);
    const after = await replaceFile(store, unit, FILE_BYTES.team, (source) => {
      const text = changed(leads, source ?? "", name);
      added = text !== null;
      // Of a text that came meanwhile nothing is trusted, whatever is added to it.
      isOnTrusted = source === texts.get(unit);
      if (text === null) return null;
      // A name that is somebody else's in that roster would close the whole office.
      const [fault] = inspectOffice(store, new Map([[unit, text], ...(exists(store, agent) ? [] : [[agent, file] as const])])).faults;
      if (fault !== undefined) throw badName(name, fault.message);
      created ||= publish(store, agent, file) === "created";
      return text;
    });
    if (isOnTrusted) trust(new Map([...(added ? [[unit, after as string] as const] : []), ...(created ? [[agent, file] as const] : [])]));
    // Who leads a workgroup of the unit has its position.
    const made = [...(inspectOffice(store).office?.positions.values() ?? [])].find(
      (each) => each.parent === lead.id && each.name === slugOf(name),
    );
    return { position: made?.id ?? `${baseOf(lead.id)}/${slugOf(name)}`, added, unit, agent, created };
  },
});

/** The unit's text with the agent. @throws Refusal `invalid_argument` */
function changed(kind: UnitKind, source: string, name: string): string | null {
  try {
    return withMember(kind, source, name);
  } catch (error) {
    throw error instanceof FileError ? badName(name, error.message) : error;
  }
}

const badName = (given: string, problem: string): Refusal =>
  refuse("invalid_argument", { argument: "name", expected: expectedName(problem), given, example: "tester" });
