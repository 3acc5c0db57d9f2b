/** Prints for people: a search. */
import type { Answer, Printer } from "../style.ts";
import { table } from "../table.ts";
import { ago, many, more, plainLine, short } from "../words.ts";

type Hit = Answer<"search">["hits"][number];

/** What stands beside a hit: its kind, and where it came from. These kinds need no word: messages, and what says in its title what it is. */
const PLAIN: ReadonlySet<Hit["kind"]> = new Set(["message", "summary", "memory"]);
const wordsOf = ({ kind, origin }: Hit): string =>
  [...(PLAIN.has(kind) ? [] : [kind]), ...(origin === undefined ? [] : [origin])].join(", ");

/** What people type to come to it: a piece of an id, or a whole name. */
function nameOf({ threadId, task_id, review_id, artifact_id, session_id, part }: Hit): string {
  const id = threadId ?? task_id ?? review_id;
  if (id !== undefined) return short(id);
  return artifact_id ?? (session_id === undefined ? (part ?? "project") : short(session_id));
}

/** The hits of a search, a line each, how many there are, and how to get more. */
export const printSearch: Printer<"search"> = (answer, style) => {
  if (answer.hits.length === 0)
    return answer.cursor === null ? style.dim("No hits.") : `${style.dim("No hits so far.")}${more(answer, style)}`;
  const rows = answer.hits.map((hit) => [
    { text: plainLine(nameOf(hit)), paint: style.yellow },
    { text: ago(hit.at, style.now), paint: style.dim },
    { text: wordsOf(hit), paint: style.dim },
    `${style.bold(plainLine(hit.subject))}${hit.snippet === "" ? "" : ` — ${plainLine(hit.snippet)}`}`,
  ]);
  return `${table(rows, style, "cut")}\n${style.dim(answer.total === null ? `${many(answer.hits.length, "hit")} so far` : many(answer.total, "hit"))}${more(answer, style)}`;
};
