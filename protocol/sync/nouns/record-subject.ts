/** The subject of a record: who did what, as a person would say it. spec/git.md, "Recording". */
import { addTo } from "../../core/format/append.ts";
import { orElse } from "../../core/format/file-error.ts";
import { parseFrontmatter } from "../../core/format/frontmatter.ts";
import { asLine, seen } from "../../core/format/hidden.ts";
import { nounAt } from "../../core/tree/layout.ts";
import { countThings, inWords, thingAt } from "../../core/tree/record.ts";

/** A file that a record adds or changes. */
export interface Told {
  path: string;
  /** Who made it what it is; null where nothing says so. */
  author: string | null;
  /** Its text, and the one before; null where there is none, or nobody read it. */
  text: string | null;
  before: string | null;
}

/** What somebody did: in words of its own, and in words for several such, with `#` for their number. */
interface Deed {
  one: string;
  many: string;
}

type Header = Readonly<Record<string, unknown>>;

/** Characters of a title that are shown. */
const TITLE = 40;
/** Characters of a subject; what does not fit is in the text below it. */
const SUBJECT = 100;
/** Different deeds of one part that a subject names. */
const DEEDS = 3;

const headerOf = (text: string | null): Header | null => (text === null ? null : orElse(null, () => parseFrontmatter(text).header));

/** A title in quotes, on one line, with nothing in it that a terminal would heed. */
function titled(title: unknown): string {
  const line = asLine(seen(String(title)), TITLE + 1);
  return `'${line.length > TITLE ? `${line.slice(0, TITLE - 1).trimEnd()}…` : line}'`;
}

const of = (verb: string, name: unknown, things: string): Deed => ({ one: `${verb} ${titled(name)}`, many: `${verb} # ${things}` });

/** By the status that a task came to. */
const TASK_VERBS: Readonly<Record<string, string>> = {
  ...{ done: "finished", in_review: "handed in", in_progress: "took", todo: "gave back", canceled: "gave up", blocked: "is blocked on" },
};

/** What a change of a file is to whoever made it, by the kind of its noun. What is not here is only counted. */
const DEEDS_OF: Readonly<Record<string, (now: Header, before: Header | null) => Deed | null>> = {
  task({ title, status }, before) {
    const moved = status === before?.["status"] || (before === null && status === "todo") ? undefined : TASK_VERBS[String(status)];
    return of(moved ?? (before === null ? "created" : "changed"), title, "tasks");
  },
  review: ({ name }) => of("asked for a review of", name, "artifacts"),
  result: ({ status }) =>
    status === "approved"
      ? { one: "review approved", many: "# reviews approved" }
      : status === "withdrawn"
        ? { one: "review withdrawn", many: "# reviews withdrawn" }
        : { one: "review asks for changes", many: "# reviews ask for changes" },
  artifact: ({ name }) => of("posted", name, "artifacts"),
  session: () => ({ one: "began a session", many: "began # sessions" }),
  ended: () => ({ one: "ended a session", many: "ended # sessions" }),
  reopened: () => ({ one: "opened a session again", many: "opened # sessions again" }),
};

/** Words of things that a part's deeds tell already, or that are of little interest beside other deeds. */
const SILENT = new Set(["claim", "ack", "session", "thread"]);

/** What one part did, each as words; those with a title first. */
function wordsOf(told: readonly Told[]): string[] {
  const deeds = new Map<string, string[]>();
  const counted: Told[] = [];
  const named = new Set<string>();
  for (const each of told) {
    const now = headerOf(each.text);
    const deed = now === null ? null : (DEEDS_OF[nounAt(each.path)?.noun.kind ?? ""]?.(now, headerOf(each.before)) ?? null);
    if (deed === null) counted.push(each);
    else {
      addTo(deeds, deed.many, deed.one);
      named.add(nameOf(each.path));
    }
  }
  const left = counted.filter(({ path }) => !named.has(nameOf(path)));
  const counts = countThings(left.map(asChange));
  const loud = new Map([...counts].filter(([word]) => !SILENT.has(word)));
  const some = loud.size > 0 || deeds.size > 0 ? loud : counts;
  return [
    ...[...some].map(([word, count]) => inWords(new Map([[word, count]]))),
    ...[...deeds].map(([many, ones]) => (ones.length === 1 ? (ones[0] as string) : many.replace("#", String(ones.length)))),
  ];
}

const asChange = ({ path, before }: Told): { path: string; before: string | null; after: string } => ({ path, before, after: "" });

const nameOf = (path: string): string => {
  const thing = thingAt(path);
  return thing === null ? path : `${thing.word} ${thing.name}`;
};

/**
 * The subject of a record, and a text of one line for each part where it had to be cut.
 * @param counts how many of what the whole record holds: said where no part is known
 * @example web: 3 messages, finished 'Refund a payment'; api: review approved
 */
export function recordSubject(told: readonly Told[], counts: ReadonlyMap<string, number>): { subject: string; text: string } {
  const byPart = new Map<string, Told[]>();
  for (const each of told) if (each.author !== null) addTo(byPart, each.author, each);
  const parts = [...byPart].map(([part, did]) => ({ part, words: wordsOf(did) })).sort((a, b) => (a.part < b.part ? -1 : 1));
  const known = new Set([...byPart.values()].flat().map(({ path }) => nameOf(path)));
  const rest = told.filter(({ author, path }) => author === null && !known.has(nameOf(path)));
  const others = [...countThings(rest.map(asChange))].filter(([word]) => byPart.size === 0 || !SILENT.has(word));
  const tail = byPart.size === 0 ? inWords(counts) : others.map(([word, count]) => inWords(new Map([[word, count]]))).join(", ");
  const whole = [...parts.map(({ part, words }) => `${part}: ${words.join(", ")}`), ...(tail === "" ? [] : [tail])];
  const short = parts.map(({ part, words }) => {
    const more = words.length - DEEDS;
    return `${part}: ${words.slice(0, DEEDS).join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
  });
  const lines = [...short, ...(tail === "" ? [] : [tail])];
  let subject = lines[0] ?? inWords(counts);
  let shown = 1;
  while (shown < lines.length && `${subject}; ${lines[shown]}`.length <= SUBJECT) {
    subject = `${subject}; ${lines[shown]}`;
    shown += 1;
  }
  if (shown < lines.length) subject = `${subject}; and ${lines.length - shown} more`;
  return { subject, text: subject === whole.join("; ") ? "" : `${whole.join("\n")}\n` };
}
