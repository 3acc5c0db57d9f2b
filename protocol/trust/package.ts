/** Trust, as a package: where files came from. */
import type { Package } from "../core/package.ts";
import { noteHere, noteWork } from "./files/note-origins.ts";

/** What trust gives to the core: every act is noted, that of work of the office before it may be refused no more. */
export const trust: Package = {
  acts: {
    prepare(world, { paths = [], isNotedFirst }) {
      if (isNotedFirst === true) noteWork(world, paths);
    },
    note(world, { paths = [], isNotedFirst }) {
      if (isNotedFirst !== true && paths.length > 0) noteHere(world, paths);
    },
  },
};
