/** Trust, as a package: where files came from. */
import type { Package } from "../core/package.ts";
import { noteHere, noteWork } from "./files/note-origins.ts";

/** The followers of trust: they note every act, and refuse work of the office that cannot be noted. */
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
