/** Operations that print somebody's text and nothing else. */

import { iso } from "./board/board-words.ts";
import { atCommit } from "./board/print-artifact.ts";
import type { Answer } from "./style.ts";
import { ago, plainLine, short } from "./words.ts";

/** The text that an operation gives, null where there is none, and what to say then; undefined where it gives more. */
// biome-ignore lint/suspicious/noExplicitAny: each entry knows the shape that its own operation answers.
type GiveContent = (answer: any) => { text: string | null; beside?: string | undefined } | undefined;

/** Lists the keys and dated entries of a memory, each with its length in characters, and the number of the others. */
const listed = (keys: { key?: string; date?: string; characters: number }[], more: number): string =>
  keys.map(({ key, date, characters }) => `${String(characters).padStart(6)}  ${key ?? date}\n`).join("") +
  (more === 0 ? "" : `and ${more} more\n`);

/** Says which version a text is of, and how to read its code. */
function artifactHeader({
  id,
  name,
  version,
  type,
  created_by,
  origin = "",
  created_at,
  task_id,
  commit,
  branch,
  ahead,
  read,
}: Shown): string {
  const of = task_id === null ? "" : `, of ${short(task_id)}`;
  const on = branch === undefined || ahead !== undefined ? "" : ` on ${branch}`;
  const by = `${created_by} ${origin === "" ? "" : `${origin} `}${ago(iso(created_at), Date.now())}`;
  const header = `${name} v${version} (${short(id)}), ${type} by ${by}${of}${atCommit(commit, branch, ahead)}${on}`;
  return [plainLine(header), ...(read === undefined ? [] : [`Read it: ${plainLine(read)}`])].join("\n");
}
type Shown = Answer<"get_artifact">["artifact"];

/** Operations that print somebody's text and nothing else, so that it can be piped. */
export const contents: Record<string, GiveContent> = {
  end_session: ({ template }) => (template === undefined ? undefined : { text: template }),
  get_session_summary: ({ summary, origin }) => ({ text: summary, ...(origin === undefined ? {} : { beside: `Written ${origin}.` }) }),
  get_artifact: ({ artifact }) => ({ text: artifact.content, beside: artifactHeader(artifact) }),
  read_memory: ({ content, keys, more = 0, origin, warning }) => ({
    // A section ends without a line break.
    text: keys !== undefined ? listed(keys, more) : (content?.replace(/(?<=[^\n])$/, "\n") ?? null),
    beside:
      content === null && keys === undefined
        ? (warning ?? "There are no memories yet.")
        : [
            ...(keys === undefined || content === null
              ? []
              : [`It has ${content.length} characters. --key KEY reads a section, --all all of it.`]),
            ...(origin === undefined ? [] : [`The text was changed ${origin}.`]),
          ].join("\n") || undefined,
  }),
  get_orchestrator_state: ({ state }) => ({ text: state, ...(state === null ? { beside: "No state was saved." } : {}) }),
};
