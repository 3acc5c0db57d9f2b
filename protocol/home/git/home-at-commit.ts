/** An earlier record of the home, read in the same way as the home itself. spec/git.md, "Looking back". */
import { layTree } from "../../store/git/git-tree.ts";
import { absolute } from "../../store/root.ts";
import type { Past, World } from "../../world.ts";
import { type Home, openHome } from "../home.ts";
import { commitAt, isKnown, lastChanges, PAST } from "./home-reader.ts";
import { requireRepository } from "./repository.ts";

/** A home as it was recorded. */
interface HomeAtCommit {
  home: Home;
  past: Past;
}

/**
 * Opens the home as it was.
 * @param given a commit, or an instant: then the last record that was made here before it. A minute is meant as a whole, so
 *   that the time that `relay log` prints finds its record
 * @throws Refusal `unknown_commit`, `no_repository`
 */
export async function openHomeAt(world: World, given: string): Promise<HomeAtCommit> {
  const repository = requireRepository(world);
  const commit = await commitAt(repository, given);
  const { store } = world.home();
  const folder = await layTree(store, repository, commit, PAST, isKnown);
  return {
    home: openHome(absolute(store, folder), false),
    past: { commit, changedMs: (paths) => lastChanges(repository, commit, paths) },
  };
}
