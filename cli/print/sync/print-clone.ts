/** Prints for people: a clone. */
import { shellWord } from "../../../protocol/core/format/shell-word.ts";
import type { Printer } from "../style.ts";

/** Where a project was cloned to, and which home it has. */
export const printClone: Printer<"clone"> = ({ folder, created, joined, parts, branch }, style) =>
  [
    `${style.green("Cloned")} into ${folder}; ${
      joined !== null
        ? `joined the home of ${joined} (branch ${branch})`
        : created
          ? `there was no home yet, so one was made (branch ${branch})`
          : "its home came along, as files of the code"
    }`,
    `Parts: ${parts.join(", ")}`,
    style.dim(`Next: cd ${shellWord(folder)} && relay part here PART`),
  ].join("\n");
