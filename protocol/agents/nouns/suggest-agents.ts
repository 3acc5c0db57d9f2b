/** Which agents of a pool fit a task, by the words of both. spec/agents.md, "Team files". */
import type { ResolvedAgent } from "./agent.ts";

/** An agent that fits, and why. */
export interface Suggestion {
  id: string;
  name: string;
  emoji: string;
  reason: string;
}

/** More than these, and a person cannot look at each. */
const MOST = 5;
/** Words that say nothing about who should do it. */
const EMPTY = new Set(
  "the and for with from into that this are our all any not new use add make made its has have can will should when what who how".split(
    " ",
  ),
);

const wordsOf = (text: string): string[] => [
  ...new Set((text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []).filter((word) => !EMPTY.has(word))),
];

/** Whether two words are one, but for an ending (`test`, `tests`, `testing`). */
function alike(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short === long || (short.length >= 4 && long.startsWith(short) && long.length - short.length <= 4);
}

const reviews = ({ id, tags }: ResolvedAgent): boolean => [id, ...tags].some((word) => /^review/i.test(word));

/**
 * Proposes agents for a task, the best fit first, and always one who reviews, if there is one.
 * What is said in tags and the id counts more than what is said in the description.
 */
export function suggest(task: string, agents: readonly ResolvedAgent[]): Suggestion[] {
  const asked = wordsOf(task);
  const fits = agents
    .map((agent) => {
      const within = (words: string[]): string[] => words.filter((word) => asked.some((each) => alike(each, word)));
      const tags = within(wordsOf([agent.id, agent.name, ...agent.tags].join(" ")));
      const described = within(wordsOf(agent.description)).filter((word) => !tags.includes(word));
      return { agent, words: [...tags, ...described], score: tags.length * 3 + described.length };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST);
  const proposed = fits.map(({ agent, words }) => proposal(agent, `the task speaks of ${words.join(", ")}`));
  const reviewer = fits.some(({ agent }) => reviews(agent)) ? undefined : agents.find(reviews);
  return reviewer === undefined ? proposed : [...proposed, proposal(reviewer, "somebody other than the author should review")];
}

const proposal = ({ id, name, emoji }: ResolvedAgent, reason: string): Suggestion => ({ id, name, emoji, reason });
