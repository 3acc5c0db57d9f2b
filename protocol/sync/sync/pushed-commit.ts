/** What one commit of the home's branch did, for who wants to take it back. spec/trust.md, "Undo". */
import { CONFIG_PATH } from "../../core/config/config-schema.ts";
import { FILE_BYTES } from "../../core/format/schema.ts";
import type { Changed } from "../../core/noun/noun-effects.ts";
import { refuse } from "../../core/refusal.ts";
import { mostBytesAt } from "../../core/tree/broken.ts";
import { placeOf } from "../../core/tree/layout.ts";
import { ofFiles } from "../../core/tree/record.ts";
import type { World } from "../../core/world.ts";
import { readAll } from "../../git/git-blobs.ts";
import type { Change } from "../../git/git-changes.ts";
import { isAncestor, resolveCommit } from "../../git/git-commits.ts";
import { diffTrees, historyOf } from "../../git/git-history.ts";
import type { Repository } from "../../git/git-run.ts";
import { branchRef, requireRepository } from "../../git/home/repository.ts";
import { sha256 } from "../../store/digest.ts";
import { witnessOf } from "../../trust/files/note-origins.ts";
import { type Effect, effectsOf } from "../nouns/push-effect.ts";
import { contentsOf } from "./push-effects.ts";

/** A commit, and what it did. */
export interface PushedCommit {
  commit: string;
  /** What this clone was at before the commit came. Of one that was made here, or came as the clone joined: its parent. */
  base: string;
  effects: Effect[];
  /** What it changed, by path, with the texts that say what it did. */
  files: ReadonlyMap<string, Changed>;
  /** The files that came here in the same push before it: none counts as what was here. */
  cameAlong: ReadonlySet<string>;
  /** Every change of it. */
  changes: readonly Change[];
  /** The tasks that it began, with their texts. */
  begun: readonly Changed[];
  /** How many messages it brought. */
  messages: number;
}

/**
 * Reads a commit of the branch that the home has.
 * @param given its id, or the beginning of it
 * @throws Refusal `no_repository`, `unknown_commit`
 */
export async function readPushed(world: World, given: string): Promise<PushedCommit> {
  const repository = requireRepository(world);
  const commit = /^[0-9a-f]{4,64}$/.test(given) ? await resolveCommit(repository, given) : null;
  const head = await resolveCommit(repository, branchRef(repository));
  if (commit === null || head === null || !(await isAncestor(repository, commit, head))) throw refuse("unknown_commit", { given });
  const { later, others } = await linesBeside(repository, commit, head);
  const ours = broughtTo(world, later);
  const base = ours == null ? null : await resolveCommit(repository, ours);
  const own = (await changesOf(repository, commit)).filter(({ path, after }) => !others.has(`${after} ${path}`));
  // Who joined with the commit had nothing before it; settings, and the units of an office, count only once a person accepts them.
  const isAccepted = (path: string): boolean => path === CONFIG_PATH || path.startsWith("org/");
  const cameAlong = new Set(ours === null ? own.flatMap(({ path, before }) => (before === null || isAccepted(path) ? [] : path)) : []);
  const changes = base === null ? own : await since(repository, base, commit, own, cameAlong);
  const contents = await contentsOf(repository, base ?? `${commit}^`, changes, mostBytesAt);
  return {
    commit,
    base: base ?? `${commit}^`,
    changes,
    begun: await begunTasks(repository, changes),
    effects: effectsOf(contents, sha256),
    files: new Map(contents.map((each) => [each.path, { ...each, cameAlong: cameAlong.has(each.path) }])),
    cameAlong,
    messages: changes.filter(({ path, before, after }) => before === null && after !== null && placeOf(path)?.kind === "message").length,
  };
}

async function begunTasks(repository: Repository, changes: readonly Change[]): Promise<Changed[]> {
  const begun = changes.filter(({ path, before, after }) => before === null && after !== null && placeOf(path)?.kind === "task");
  const ids = begun.map(({ after }) => after as string);
  const texts = await readAll(repository, [...new Set(ids)], FILE_BYTES.task);
  return begun.map(({ path, after }) => ({ path, before: null, after: texts.get(after as string)?.toString("utf8") ?? "" }));
}

/**
 * The commits that have a commit, itself among them, and what other lines of the history did: what honest commits beside it did is
 * not its own, however a push repeats it.
 */
async function linesBeside(repository: Repository, commit: string, head: string): Promise<{ later: Set<string>; others: Set<string> }> {
  const later = new Set([commit]);
  const others = new Set<string>();
  for await (const events of historyOf(repository, [head, `^${commit}`]))
    for (const event of events) {
      if (event.change === null) {
        if (event.parents.some((parent) => later.has(parent))) later.add(event.commit);
      } else if (!later.has(event.commit)) others.add(`${event.change.after} ${event.change.path}`);
    }
  return { later, others };
}

/**
 * What this home was at when the sync began that brought a commit: null where it joined with the commit, undefined where none brought it.
 * @param later the commits that have it
 */
function broughtTo(world: World, later: ReadonlySet<string>): string | null | undefined {
  const syncs = witnessOf(world).syncs();
  return syncs.findLast(({ theirs, ours }) => later.has(theirs) && (ours === null || !later.has(ours)))?.ours;
}

/**
 * The changes of a commit by what this clone had before: never by what came in the same push. Where it left that as it was, it
 * changed nothing here. A file that came in the same push keeps the text before the commit, which never comes back.
 * @param cameAlong takes the files that came in the same push
 */
async function since(
  repository: Repository,
  base: string,
  commit: string,
  own: readonly Change[],
  cameAlong: Set<string>,
): Promise<Change[]> {
  const had = new Map((await diffTrees(repository, base, commit)).map((change) => [change.path, ofFiles(change)]));
  const begun = new Set(own.flatMap(({ path, before }) => (before === null ? path : [])));
  for (const [path, { before }] of had) if (before === null && !begun.has(path)) cameAlong.add(path);
  return own.flatMap((change) => {
    const { before, after } = had.get(change.path) ?? { before: null, after: null };
    return before === after ? [] : [cameAlong.has(change.path) ? change : { ...change, before }];
  });
}

/** What a commit changed; of a merge, what none of its parents has. One git compares it with all of them, however many it names. */
async function changesOf(repository: Repository, commit: string): Promise<Change[]> {
  const own = new Map<string, { change: Change; times: number }>();
  let parents = 0;
  for await (const events of historyOf(repository, [`${commit}^!`]))
    for (const event of events) {
      if (event.change === null) parents = event.parents.length;
      else {
        const { change, times } = own.get(event.change.path) ?? { change: event.change, times: 0 };
        own.set(change.path, { change, times: times + 1 });
      }
    }
  return [...own.values()].flatMap(({ change, times }) => {
    const { before, after } = ofFiles(change);
    return (before === null && after === null) || times < parents ? [] : [{ ...change, before, after }];
  });
}
