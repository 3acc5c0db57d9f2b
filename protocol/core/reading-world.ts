/** A world in which nothing is written: for a page that shows a home, whose looks must change nothing. */
import { openHome } from "./home/home.ts";
import { readBefore } from "./home/read-before.ts";
import { asViewer, type World, withHome } from "./world.ts";

/**
 * The same world for somebody who only looks on, in which nothing at all is written: not what an operation would complete that
 * others began, and no sign that somebody looked.
 * @throws Refusal `no_home`
 */
export function asReader(world: World): World {
  const known = readBefore(() => reader);
  const home = openHome(world.home().store.root, {
    before: () => ({ find: known.find, keep: () => {} }),
    readOnly: true,
  });
  home.store.passesOver = true;
  const reader = withHome(asViewer(world), home);
  return reader;
}
