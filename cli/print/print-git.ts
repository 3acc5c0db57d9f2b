/** What people see of recording, syncing and looking back. */
import { inWords, type Noun, shellWord } from "../../protocol/internal.ts";
import { many, type Printers, plainLine, type Style, table } from "./style.ts";

/** Kinds of files whose names say too little. */
const KINDS: Record<string, string> = { delivery: "name in an inbox", private: "this machine's own" };

interface BroughtBack {
  commit: string;
  by: string[];
  deleted: number;
  changed: number;
  paths: string[];
}

/** What a push took away or changed, and this clone brought back. */
function guardedLines({ commit, by, deleted, changed, paths }: BroughtBack, style: Style): string[] {
  const who = by.map((each) => each.slice(0, 10)).join(", ") || "a push";
  const what = [deleted > 0 ? `${many(deleted, "file")} deleted` : "", changed > 0 ? `${many(changed, "file")} changed` : ""];
  const more = deleted + changed - paths.length;
  return [
    style.yellow(`${what.filter((words) => words !== "").join(" and ")} by ${who}; brought back by ${commit.slice(0, 10)}:`),
    ...paths.map((path) => `  ${plainLine(path)}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}

/** The commits that came, for who wants to look at one or take it back. */
function commitLine({ commits, commitCount }: { commits: string[]; commitCount: number }): string[] {
  const more = commitCount > commits.length ? ` and ${commitCount - commits.length} more` : "";
  return commits.length === 0 ? [] : [`  by ${commits.map((commit) => commit.slice(0, 8)).join(", ")}${more}`];
}

/** How to take back what others did, where they did more than write: each commit that is named. */
function undoLine({ did }: { did: string[] }, style: Style): string[] {
  const commits = [...new Set(did.flatMap((line) => /^commit ([0-9a-f]{8}) /.exec(line)?.[1] ?? []))];
  return commits.length === 0 ? [] : [style.dim(`  To take back what a commit did: ${undoing(commits)}`)];
}

/** What to type after a push that did harm: how to see all of it, and how to be rid of what else it did. */
function harmLines(
  brought: BroughtBack[],
  { commits, commitCount }: { commits: string[]; commitCount: number },
  odd: boolean,
  style: Style,
): string[] {
  const blamed = brought.flatMap(({ by }) => by);
  const came = odd && commitCount <= UNDONE ? commits : [];
  const all = [...new Set([...blamed, ...came].map((commit) => commit.slice(0, 8)))];
  if (all.length === 0) return [];
  return [
    style.yellow("If nobody you know meant that:"),
    `  ${looking(all)}  ${style.dim("shows what came")}`,
    `  ${undoing(all)} && relay sync  ${style.dim("takes back all else that it did, and its odd files")}`,
    style.dim("  and protect the branch at its host: whoever can push can write in anybody's name"),
  ];
}

const undoing = (commits: readonly string[]): string =>
  commits.length > UNDONE ? "relay undo COMMIT, for each" : commits.map((commit) => `relay undo ${commit}`).join(" && ");
const looking = (commits: readonly string[]): string => `git -C .relay show --stat ${commits.slice(0, UNDONE).join(" ")}`;
/** So many commits are named in a line that can be pasted. */
const UNDONE = 3;

/** The printers of git's operations, by operation. */
export const gitPrinters: Printers = {
  record: ({ commit, changes, parts, restored, broughtBack }, style) => {
    const who = parts.length === 0 ? "" : ` (${parts.join(", ")})`;
    const what = wordsFor(changes);
    const lines = [commit === null ? "Nothing new to record." : `${style.green("Recorded")} ${commit.slice(0, 10)}: ${what}${who}`];
    const back = broughtBack === null ? [] : guardedLines(broughtBack, style);
    return [...lines, ...listed("restored", restored, style.yellow), ...back].join("\n");
  },
  sync: ({ remote, branch, commit, arrived, sent, restored, broughtBack, contested, contestedCount, problems }, style) => {
    const isHarm = broughtBack.length > 0;
    const came = Object.keys(arrived.changes).length === 0 ? "nothing new came" : `${wordsFor(arrived.changes)} came`;
    return [
      `${style.green("Synced")} with ${plainLine(remote)} (branch ${branch}, ${commit.slice(0, 10)}): ${came}; ${sent ? "what is here was sent" : "nothing to send"}`,
      ...commitLine(arrived),
      ...listed("", arrived.did, (line) => `  ${line}`),
      ...listed("gave way", arrived.gaveWay, style.yellow),
      ...(isHarm ? [] : undoLine(arrived, style)),
      ...listed("restored", restored, style.yellow),
      ...broughtBack.flatMap((each: BroughtBack) => guardedLines(each, style)),
      ...listed("contested, as the branch has it", contested, style.yellow),
      ...(contestedCount > contested.length ? [style.yellow(`  and ${contestedCount - contested.length} more contested`)] : []),
      ...harmLines(broughtBack, arrived, problems !== undefined, style),
    ].join("\n");
  },
  forget: ({ messageId, state, notes }, style) =>
    [
      state === "refused"
        ? `${messageId} is not to be forgotten.`
        : `${style.green(state === "forgotten" ? "Took out" : "Let go")} ${messageId}.`,
      ...notes.map((note: string) => `  ${plainLine(note)}`),
    ].join("\n"),
  archive: ({ archived, back, left }, style) =>
    [
      ...archived.map(({ threadId, path }: { threadId: string; path: string }) => `${style.green("Archived")} ${threadId}: ${path}`),
      ...back.map((id: string) => `${style.green("Brought back")} ${id}`),
      ...left.map((why: string) => `${style.yellow("left")}  ${plainLine(why)}`),
      ...(archived.length + back.length + left.length === 0 ? ["Nothing to do."] : []),
    ].join("\n"),
  undo: ({ commit, undone, left }, style) =>
    [
      undone.length === 0
        ? `Nothing of ${commit.slice(0, 10)} is left to take back.`
        : `${style.green("Took back")} what ${commit.slice(0, 10)} did; \`relay sync\` sends it:`,
      ...undone.map((line: string) => `  ${plainLine(line)}`),
      ...listed("stays", left, style.yellow),
    ].join("\n"),
  accept: ({ path, bytes, from }, style) =>
    from === "branch"
      ? `${style.green("Laid out")} ${plainLine(path)} (${bytes} bytes): these bytes are accepted on this machine`
      : `${style.green("Accepted")} ${plainLine(path)} (${bytes} bytes) as it is now: the next record has it`,
  clone: ({ folder, created, joined, parts, branch }, style) =>
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
    ].join("\n"),
  log: ({ entries, cursor }, style, input) => {
    if (entries.length === 0) return input["machine"] === true ? "Nothing was allowed on this machine." : "Nothing recorded.";
    const rows = entries.map(({ commit, at, by, subject }: { commit: string; at: string; by: string; subject: string }) => [
      { text: commit.slice(0, 10), paint: style.yellow },
      at.slice(0, 16).replace("T", " "),
      plainLine(by),
      plainLine(subject),
    ]);
    const more = cursor === null ? [] : [style.dim(`more: --cursor ${cursor}`)];
    if (input["machine"] === true) return [table(rows, style), ...more].join("\n");
    return [table(rows, style), ...more, style.dim(`look: relay threads --at ${entries[0].commit.slice(0, 10)}`)].join("\n");
  },
  stats: ({ kinds, files, bytes, git, days, perDay }, style) => {
    const rows = kinds.map(({ kind, files: count, bytes: size }: { kind: string; files: number; bytes: number }) => [
      { text: KINDS[kind] ?? kind, paint: style.bold },
      String(count),
      inUnits(size),
    ]);
    const record =
      git === null ? [] : [`Recorded: ${inUnits(git.bytes)} in git, ${many(git.commits, "commit")}, ${git.loose} loose objects`];
    const grown = days.map(({ day, messages, bytes: size }: { day: string; messages: number; bytes: number }) => [
      day,
      many(messages, "message"),
      inUnits(size),
    ]);
    return [
      table(rows, style),
      `In all: ${many(files, "file")}, ${inUnits(bytes)}`,
      ...record,
      ...(grown.length === 0 ? [] : [table(grown, style)]),
      `Growth: ${many(perDay.messages, "message")} and ${inUnits(perDay.bytes)} a day`,
    ].join("\n");
  },
};

/** What happened to some paths; a long list is cut. */
function listed(what: string, paths: string[], paint: (text: string) => string): string[] {
  const shown = paths.slice(0, 10).map((path) => paint(`${what === "" ? "" : `${what}: `}${plainLine(path)}`));
  return paths.length > shown.length ? [...shown, paint(`and ${paths.length - shown.length} more`)] : shown;
}

/** Counts of things in words. */
const wordsFor = (counts: Record<string, number>): string => inWords(new Map(Object.entries(counts)) as ReadonlyMap<Noun, number>);

/** Bytes as people say them. */
function inUnits(bytes: number): string {
  const units = ["B", "kB", "MB", "GB"];
  let [value, unit] = [bytes, 0];
  while (value >= 1_000 && unit < units.length - 1) [value, unit] = [value / 1_000, unit + 1];
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}
