/** A page that was exported as a file: it has the answers of one moment with it, and asks nobody. */
import type { About, Reply } from "../state/server.ts";

type Row = Record<string, unknown>;
interface Exported {
  page: About;
  at: string;
  commit: string | null;
  leftOut: string[];
  answers: Record<string, [input: Row, answer: Row][]>;
}

const read = (): Exported | null => {
  const text = document.getElementById("exported")?.textContent;
  return text == null ? null : (JSON.parse(text) as Exported);
};

/** What the file holds; null for a page that a server sends. */
export const exported = read();

/** How much of a list is asked for: the file has all that it has. */
const HOW_MUCH = new Set(["limit", "cursor"]);
const keyOf = (input: Row): string =>
  JSON.stringify(
    Object.entries(input)
      .filter(([name, value]) => !HOW_MUCH.has(name) && value !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

const FILTERS = new Set(["status", "part", "tag", "q"]);

/** The answer that the file has. */
export function answerIn({ page, answers }: Exported, name: string, given: Row): Reply<Row> {
  const isFiltered = name === "threads";
  const input = isFiltered ? Object.fromEntries(Object.entries(given).filter(([each]) => !FILTERS.has(each))) : given;
  const all = answers[name] ?? [];
  const found =
    all.find(([each]) => keyOf(each) === keyOf(input)) ?? all.find(([each]) => keyOf(each) === keyOf({ agent_id: page.part, ...input }));
  if (found === undefined) return { failure: { status: 404, error: "This exported page does not hold that. The home has it." } };
  if (!isFiltered) return { data: found[1] };
  const threads = (found[1]["threads"] as Thread[]).filter((thread) => fits(thread, given));
  return { data: { ...found[1], threads } };
}

interface Thread {
  subject: string;
  status: string;
  archived?: boolean;
  participants: string[];
  tags?: string[];
}

const fits = ({ subject, status, archived, participants, tags = [] }: Thread, { status: of, part, tag, q }: Row): boolean =>
  (of === undefined || (of === "archived" ? archived === true : status === of)) &&
  (part === undefined || participants.includes(part as string)) &&
  (tag === undefined || tags.includes(tag as string)) &&
  (q === undefined || subject.toLowerCase().includes((q as string).toLowerCase()));
