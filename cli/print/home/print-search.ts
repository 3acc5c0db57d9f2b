/** Prints for people: a search. */
import type { Answer, Printer } from "../style.ts";
import { table } from "../table.ts";
import { ago, many, more, plainLine, short } from "../words.ts";

type Hit = Answer<"search">["hits"][number];

/** What it is, where it is no message; a summary's title says so itself. */
const kindOf = ({ kind }: Hit): string => (kind === "task" ? "task" : "");

/** The hits of a search, a line each, how many there are, and how to get more. */
export const printSearch: Printer<"search"> = (answer, style) => {
  if (answer.hits.length === 0)
    return answer.cursor === null ? style.dim("No hits.") : `${style.dim("No hits so far.")}${more(answer, style)}`;
  const rows = answer.hits.map((hit) => [
    { text: short(hit.threadId ?? hit.task_id ?? hit.session_id ?? ""), paint: style.yellow },
    { text: ago(hit.at, style.now), paint: style.dim },
    { text: kindOf(hit), paint: style.dim },
    `${style.bold(plainLine(hit.subject))}${hit.snippet === "" ? "" : ` — ${plainLine(hit.snippet)}`}`,
  ]);
  return `${table(rows, style, "cut")}\n${style.dim(answer.total === null ? `${many(answer.hits.length, "hit")} so far` : many(answer.total, "hit"))}${more(answer, style)}`;
};
