import path from "node:path";
import * as z from "zod/mini";
import {
  branchFor,
  branchOf,
  commitFirst,
  isHome,
  layFiles,
  layLinks,
  layRepository,
  layWorkflow,
  siteFor,
  workflowPath,
} from "../home/create.ts";
import { findHome } from "../home/discover.ts";
import { openHome } from "../home/home.ts";
import { makeInbox } from "../home/parts.ts";
import { CONFIG_PATH, FORMAT } from "../objects/config.ts";
import { HUMAN, partProblem } from "../objects/part.ts";
import { flag, LIMITS, line, maybe } from "../objects/schema.ts";
import { defineOperation } from "../operation.ts";
import { refuse } from "../refusal.ts";
import { publish } from "../store/files.ts";
import { configTemplate, RELAY_MD, workflowTemplate } from "../templates.ts";

/** Makes a home. */
export const init = defineOperation({
  name: "init",
  tool: null,
  command: "init",
  summary: "Make a home for this repository; run again, it completes what is missing",
  when: "Make a home.",
  effect: "write",
  idempotent: true,
  identity: "none",
  home: false,
  positionals: ["parts"],
  input: () =>
    z.object({
      parts: maybe(z.array(z.string()).check(z.maxLength(200), z.describe("parts to begin with, besides main and human"))),
      name: maybe(line(LIMITS.name, "name of the project; the folder's by default")),
      main: z._default(z.string(), "main").check(z.describe("the part that coordinates")),
      branch: z._default(line(128, "branch of the home's own repository"), "relay"),
      ci: maybe(z.enum(["github"]).check(z.describe("write a workflow that runs `relay check`"))),
      inTree: flag("keep the home as files of the code; Relay then never commits"),
    }),
  output: () =>
    z.object({
      home: z.string(),
      created: z.boolean(),
      parts: z.array(z.string()),
      repository: z.enum(["own", "in-tree", "none"]),
      branch: z.nullable(z.string()),
      links: z.array(z.string()),
      workflow: z.optional(z.string()),
      warning: z.optional(z.string()),
    }),
  example: { parts: ["web", "api"] },
  async run(world, input) {
    const parts = [...new Set([input.main, ...(input.parts ?? []), HUMAN])];
    for (const part of parts) {
      const problem = partProblem(part);
      if (problem !== null) throw refuse("bad_part", { given: part, problem });
      const twin = parts.find((other) => other !== part && other.toLowerCase() === part.toLowerCase());
      if (twin !== undefined) throw refuse("part_exists", { given: twin, existing: part });
    }
    const known = findHome(world.cwd);
    const site = await siteFor(world.cwd, known === null ? input.inTree === true : openHome(known).config().inTree);
    const created = !isHome(site.home);
    const own = site.repository !== null && !site.inTree;
    const branch = own ? await branchFor(site, input.branch) : null;
    const workflow = input.ci === undefined ? undefined : { text: workflowTemplate(branch), at: "" };
    if (workflow !== undefined) workflow.at = workflowPath(world.cwd, workflow.text);
    const folder = path.basename(path.dirname(site.home));
    const project = { id: `p-${world.random(12)}`, name: input.name ?? (folder === "" ? "project" : folder) };
    const config = configTemplate({ format: FORMAT, project, main: input.main, parts, inTree: site.inTree });
    const store = layFiles(site, RELAY_MD);
    if (own) await layRepository(site, input.branch);
    for (const part of created ? parts : []) makeInbox(store, part);
    // The configuration comes last: a home without it is none yet, and a later `init` begins again.
    publish(store, CONFIG_PATH, config);
    const all = [...openHome(site.home).config().parts.keys()];
    for (const part of all) makeInbox(store, part);
    if (own) await commitFirst(site);
    if (workflow !== undefined) layWorkflow(workflow.at, workflow.text);
    const repository = own ? ("own" as const) : site.inTree ? ("in-tree" as const) : ("none" as const);
    return {
      home: store.root,
      created,
      parts: all,
      repository,
      branch: own ? await branchOf(site.home) : null,
      links: layLinks(site),
      ...(workflow === undefined ? {} : { workflow: workflow.at }),
      ...ignored(created, input, all, site.inTree),
    };
  },
});

/** What was asked for and not done, because the home was there already and stays what it is. */
function ignored(
  created: boolean,
  input: { parts?: string[] | undefined; inTree?: boolean | undefined },
  parts: readonly string[],
  inTree: boolean,
): { warning?: string } {
  if (created) return {};
  const missing = (input.parts ?? []).filter((part) => !parts.includes(part));
  const asked = [
    ...missing.map((part) => `${part} was not added (\`relay part add ${part}\` does)`),
    ...(input.inTree === true && !inTree ? ["it keeps its own repository (--in-tree is for a new home)"] : []),
  ];
  return asked.length === 0 ? {} : { warning: `the home was there already: ${asked.join("; ")}` };
}
