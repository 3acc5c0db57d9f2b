import path from "node:path";
import * as z from "zod/mini";
import { CONFIG_PATH, FORMAT } from "../../core/config/config-schema.ts";
import { nameInUrl } from "../../core/config/install-url.ts";
import { flag, LIMITS, line, maybe } from "../../core/format/schema.ts";
import { type CodeRepository, findHome } from "../../core/home/find-home.ts";
import { openHome } from "../../core/home/home.ts";
import { starterOf } from "../../core/home/starter.ts";
import { HUMAN, partProblem } from "../../core/names.ts";
import { defineOperation } from "../../core/operation.ts";
import { refuse } from "../../core/refusal.ts";
import { configTemplate, RELAY_MD } from "../../core/templates.ts";
import { type World, withHome } from "../../core/world.ts";
import { resolveCommit } from "../../git/git-commits.ts";
import type { Repository } from "../../git/git-run.ts";
import { writeWorkflow } from "../../git/home/ci-workflow.ts";
import { createRepository, isHome, removeRepository, type Site, siteFor, writeHomeFiles, writeLinks } from "../../git/home/create-home.ts";
import { refuseDeleted } from "../../git/home/deleted-home.ts";
import { namedRemote, remoteNames, usualName } from "../../git/home/remotes.ts";
import { branchName, repositoryAt } from "../../git/home/repository.ts";
import { bindHere } from "../../mail/files/bound-parts.ts";
import { makeInbox } from "../../mail/files/inbox-files.ts";
import { ensureFolder } from "../../store/beside/own-folder.ts";
import { publish } from "../../store/write/publish.ts";
import { endJoining, findHomeRecord, recordHere } from "../../sync/sync/find-record.ts";
import { ignoredPlaces, setMergeDriver } from "../../sync/sync/in-tree.ts";
import { joinHome } from "../../sync/sync/join-home.ts";
import { recordHome } from "../../sync/sync/record-home.ts";
import { planWorkflow, unknownPackage } from "./plan-workflow.ts";

/** Makes a home. */
export const init = defineOperation({
  name: "init",
  summary: "Make a home for this repository; run it again to complete a home",
  effect: "write",
  idempotent: true,
  identity: "none",
  home: false,
  positionals: ["parts"],
  input: () => ({
    parts: maybe(z.array(z.string()).check(z.maxLength(200), z.describe("parts to begin with, besides main and human"))),
    name: maybe(line(LIMITS.name, "name of the project; default: the name of the remote, else of the folder")),
    main: z._default(z.string(), "main").check(z.describe("the part that coordinates")),
    branch: z._default(line(128, "branch of the home's own repository"), "relay"),
    ci: maybe(z.enum(["github"]).check(z.describe("write a workflow that runs `relay check`"))),
    inTree: flag("keep the home as files of the code; people commit them, and Relay never does"),
  }),
  output: () => ({
    home: z.string(),
    created: z.boolean(),
    parts: z.array(z.string()),
    repository: z.enum(["own", "in-tree", "none"]),
    branch: z.nullable(z.string()),
    links: z.array(z.string()),
    joined: z.optional(z.string()),
    restored: z.optional(z.boolean()),
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
    if (known === null) await refuseDeleted(world.cwd);
    const site = await siteFor(world.cwd, known === null ? input.inTree === true : openHome(known).config().inTree);
    const own = site.repository !== null && !site.inTree;
    const workflow = input.ci === undefined ? null : await planWorkflow(world, site, own ? input.branch : null);
    const remotes = await remoteNames(site.repository);
    const { record, notes } = isHome(site.home) ? { record: null, notes: [] } : await findHomeRecord(site, input.branch, remotes);
    const created = !isHome(site.home) && record === null;
    const project = { id: `p-${world.random(12)}`, name: input.name ?? (await projectName(site, remotes)) };
    const config = configTemplate({ format: FORMAT, project, main: input.main, parts, inTree: site.inTree });
    const joined = record === null ? null : await join(world, site, input.branch, record, notes);
    const store = writeHomeFiles(site, RELAY_MD);
    if (own) await createRepository(site, input.branch);
    // What a join left that was ended before it began says nothing of a home that is made anew.
    if (own && created) endJoining(withHome(world, openHome(site.home)));
    for (const part of created ? parts : []) makeInbox(store, part, site.inTree);
    // The configuration comes last: a home without it is none yet, and a later `init` begins again.
    publish(store, CONFIG_PATH, config);
    const all = [...openHome(site.home).config().parts.keys()];
    for (const part of all) makeInbox(store, part, site.inTree);
    if (created) bindHere(withHome(world, openHome(site.home)), all);
    const branch = own ? await recordFirst(world, site) : null;
    const where = workflow === null ? [] : unknownPackage(workflow, writeWorkflow(workflow.at, workflow.text));
    const inGit = site.inTree && site.repository !== null;
    if (inGit) await setMergeDriver(store.root, starterOf(world, process.argv[1]));
    const hidden = (inGit ? await ignoredPlaces(store.root) : []).map(
      ({ path: at, found: by }) => `git ignores ${at} (${by}), so it reaches no commit`,
    );
    const repository = own ? ("own" as const) : site.inTree ? ("in-tree" as const) : ("none" as const);
    return {
      home: store.root,
      created,
      parts: all,
      repository,
      branch,
      links: writeLinks(site),
      ...(joined === null ? {} : { joined }),
      ...(record?.from === "here" && joined === null ? { restored: true } : {}),
      ...(workflow === null ? {} : { workflow: workflow.at }),
      ...warningOf([...ignored(created, input, all, site.inTree), ...notes, ...where, ...hidden]),
    };
  },
});

const warningOf = (all: readonly string[]): { warning?: string } => (all.length === 0 ? {} : { warning: all.join("; ") });

/** Takes in a record that is there already. @returns the remote it came from */
async function join(
  world: World,
  site: Site,
  branch: string,
  record: Parameters<typeof joinHome>[2],
  notes: string[],
): Promise<string | null> {
  ensureFolder(site.home);
  const isNew = record.from === "remote" && repositoryAt(site.home) === null;
  await createRepository(site, branch);
  try {
    const there = withHome(world, openHome(site.home));
    return await joinHome(there, site, record.from === "here" ? await recordHere(there, site.repository as CodeRepository) : record, notes);
  } catch (error) {
    if (isNew && !isHome(site.home)) removeRepository(site);
    throw error;
  }
}

/** The name of the repository that the code came from, or of the folder that it lies in. */
async function projectName({ home, repository }: Site, remotes: readonly string[]): Promise<string> {
  const usual = usualName(remotes);
  const remote = usual === undefined ? null : await namedRemote(repository, usual).catch(() => null);
  const name = nameInUrl(remote?.url ?? "") || path.basename(path.dirname(home)).replace(/\.git$/, "") || "project";
  return name.slice(0, LIMITS.name).toWellFormed();
}

/** Makes the one first record, unless there is one. @returns the branch */
async function recordFirst(world: World, site: Site): Promise<string> {
  const repository = repositoryAt(site.home) as Repository;
  if ((await resolveCommit(repository, "HEAD")) === null) await recordHome(withHome(world, openHome(site.home)));
  return branchName(repository);
}

/** What was asked for and not done, because the home was there already and stays what it is. */
function ignored(
  created: boolean,
  input: { parts?: string[] | undefined; inTree?: boolean | undefined },
  parts: readonly string[],
  inTree: boolean,
): string[] {
  if (created) return [];
  const missing = (input.parts ?? []).filter((part) => !parts.includes(part));
  const asked = [
    ...missing.map((part) => `${part} was not added (\`relay part add ${part}\` adds it)`),
    ...(input.inTree === true && !inTree ? ["it keeps its own repository (--in-tree is for a new home)"] : []),
  ];
  return asked.length === 0 ? [] : [`the home existed already: ${asked.join("; ")}`];
}
