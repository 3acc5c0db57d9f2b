/** Operations that print somebody's text and nothing else. */

/** The text that an operation gives, null where there is none, and what to say then; undefined where it gives more. */
// biome-ignore lint/suspicious/noExplicitAny: each entry knows the shape that its own operation answers.
type GiveContent = (answer: any) => { text: string | null; beside?: string | undefined } | undefined;

/** Lists the keys and dated entries of a memory, each with its length in characters. */
const listed = (keys: { key?: string; date?: string; characters: number }[]): string =>
  keys.map(({ key, date, characters }) => `${String(characters).padStart(6)}  ${key ?? date}\n`).join("");

/** Operations that print somebody's text and nothing else, so that it can be piped. */
export const contents: Record<string, GiveContent> = {
  end_session: ({ template }) => (template === undefined ? undefined : { text: template }),
  get_session_summary: ({ summary }) => ({ text: summary }),
  get_artifact: ({ artifact }) => ({ text: artifact.content }),
  read_memory: ({ content, keys, origin, warning }) => ({
    text: keys === undefined ? content : listed(keys),
    beside:
      content === null && keys === undefined ? (warning ?? "There are no memories yet.") : origin && `The text was changed ${origin}.`,
  }),
  get_orchestrator_state: ({ state }) => ({ text: state, ...(state === null ? { beside: "No state was saved." } : {}) }),
};
