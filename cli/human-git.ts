/** What people see of recording, syncing and looking back. */
import { many, type Printers, plainLine, table } from "./style.ts";

/** The printers of git's operations, by operation. */
export const gitPrinters: Printers = {
  record: ({ commit, changes, parts, restored }, style) => {
    const counted = Object.entries(changes as Record<string, number>).map(([noun, count]) => many(count, noun));
    const who = parts.length === 0 ? "" : ` (${parts.join(", ")})`;
    const what = counted.length === 0 ? "deliveries" : counted.join(", ");
    const lines = [commit === null ? "Nothing new to record." : `${style.green("Recorded")} ${commit.slice(0, 10)}: ${what}${who}`];
    return [...lines, ...restoredLines(restored, style.yellow)].join("\n");
  },
  sync: ({ remote, branch, commit, arrived, sent, restored }, style) => {
    const came = arrived.files === 0 ? "nothing new came" : `${many(arrived.messages, "message")} came (${many(arrived.files, "file")})`;
    return [
      `${style.green("Synced")} with ${plainLine(remote)} (branch ${branch}, ${commit.slice(0, 10)}): ${came}; ${sent ? "what is here was sent" : "nothing to send"}`,
      ...restoredLines(restored, style.yellow),
    ].join("\n");
  },
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
      style.dim(`Next: cd ${folder} && relay part here PART`),
    ].join("\n"),
  log: ({ entries, cursor }, style) => {
    if (entries.length === 0) return "Nothing recorded.";
    const rows = entries.map(({ commit, at, by, subject }: { commit: string; at: string; by: string; subject: string }) => [
      { text: commit.slice(0, 10), paint: style.yellow },
      at.slice(0, 16).replace("T", " "),
      plainLine(by),
      plainLine(subject),
    ]);
    const more = cursor === null ? [] : [style.dim(`more: --cursor ${cursor}`)];
    return [table(rows, style), ...more, style.dim(`look: relay threads --at ${entries[0].commit.slice(0, 10)}`)].join("\n");
  },
  stats: ({ kinds, files, bytes, git, days, perDay }, style) => {
    const rows = kinds.map(({ kind, files: count, bytes: size }: { kind: string; files: number; bytes: number }) => [
      { text: kind, paint: style.bold },
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
      `Growth: ${perDay.messages} messages and ${inUnits(perDay.bytes)} a day`,
    ].join("\n");
  },
};

/** What went back to where it was; a long list is cut. */
function restoredLines(restored: string[], paint: (text: string) => string): string[] {
  const shown = restored.slice(0, 10).map((path) => paint(`restored ${plainLine(path)}`));
  return restored.length > shown.length ? [...shown, paint(`and ${restored.length - shown.length} more`)] : shown;
}

/** Bytes as people say them. */
function inUnits(bytes: number): string {
  const units = ["B", "kB", "MB", "GB"];
  let [value, unit] = [bytes, 0];
  while (value >= 1_000 && unit < units.length - 1) [value, unit] = [value / 1_000, unit + 1];
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}
