/** What one commit of the home's branch did, for who wants to take it back. spec/trust.md, "Undo". */
import { FILE_BYTES } from "../../core/format/schema.ts";
import type { Changed } from "../../core/noun/noun-effects.ts";
import { refuse } from "../../core/refusal.ts";
import { placeOf } from "../../core/tree/layout.ts";
import { ofFiles } from "../../core/tree/record.ts";
import type { World } from "../../core/world.ts";
import { readAll } from "../../git/git-blobs.ts";
import type { Change } from "../../git/git-changes.ts";
import { isAncestor, resolveCommit } from "../../git/git-commits.ts";
import { historyOf } from "../../git/git-history.ts";
import type { Repository } from "../../git/git-run.ts";
import { branchRef, requireRepository } from "../../git/home/repository.ts";
import { sha256 } from "../../store/digest.ts";
import { type Effect, effectsOf } from "../nouns/push-effect.ts";
import { contentsOf } from "./push-effects.ts";

/** A commit, and what it did. */
export interface PushedCommit {
  commit: string;
  effects: Effect[];
  /** What it changed, by path, with the texts that say what it did. */
  files: ReadonlyMap<string, Changed>;
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
  const changes = await withoutOthers(repository, commit, head, await changesOf(repository, commit));
  const contents = await contentsOf(repository, `${commit}^`, changes);
  return {
    commit,
    changes,
    begun: await begunTasks(repository, changes),
    effects: effectsOf(contents, sha256),
    files: new Map(contents.map((each) => [each.path, each])),
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
 * The changes of a commit that no other line of the history made: what honest commits beside it did is not its own, however a push
 * repeats it.
 */
async function withoutOthers(repository: Repository, commit: string, head: string, changes: readonly Change[]): Promise<Change[]> {
  const later = new Set([commit]);
  const others = new Set<string>();
  for await (const events of historyOf(repository, [head, `^${commit}`]))
    for (const event of events) {
      if (event.change === null) {
        if (event.parents.some((parent) => later.has(parent))) later.add(event.commit);
      } else if (!later.has(event.commit)) others.add(`${event.change.after} ${event.change.path}`);
    }
  return changes.filter(({ path, after }) => !others.has(`${after} ${path}`));
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
