/** Prints for people: the findings of `check`. */
import type { Printer, Style } from "../style.ts";
import { boundedEntries } from "../table.ts";
import { plainLine } from "../words.ts";
import { type CheckAnswer, checkSummary, type Finding } from "./check-answer.ts";
import { annotations } from "./print-annotations.ts";

/** The findings of a home or a commit by file, or annotations for GitHub where those were asked for. */
export const printCheck: Printer<"check"> = (answer: CheckAnswer, style, input) =>
  input["github"] === true ? annotations(answer) : report(answer, style);

/** Grouped by file, counts at the end. */
function report(answer: CheckAnswer, style: Style): string {
  const groups = new Map<string, Finding[]>();
  for (const finding of answer.findings) {
    const place = finding.path ?? `commit ${finding.commit?.slice(0, 12)}`;
    groups.set(place, [...(groups.get(place) ?? []), finding]);
  }
  const warnings = answer.warnings.map(({ path, line, commit, code, problem }) => {
    const place = path ?? `commit ${commit?.slice(0, 12)}`;
    const at = line === undefined ? place : `${place}:${line}`;
    return `${style.yellow("warning")} ${plainLine(`${at}: ${problem}`)} ${style.dim(`(${code})`)}`;
  });
  const blocks = [...groups].map(([place, findings]) => {
    const lines = findings.map(({ line, code, problem }) => {
      const at = line === undefined ? "" : `${line}: `;
      return `  ${at}${plainLine(problem)} ${style.dim(`(${code})`)}`;
    });
    return [style.bold(plainLine(place)), ...lines].join("\n");
  });
  const end = answer.ok ? style.green(checkSummary(answer)) : style.red(checkSummary(answer));
  const isOnlySummary = answer.findings.every(({ code }) => code.startsWith("summary_") || code.startsWith("commit_"));
  const hints = ["To find the commit of a file: git -C .relay log --oneline -- PATH. To undo a push: relay undo COMMIT"];
  const message = answer.findings.map(brokenMessage).find((id) => id !== null);
  if (message != null) hints.push(`To remove a message that does not match its name: relay forget ${message}`);
  const hint = answer.ok || isOnlySummary || answer.ref !== null || answer.under !== "" ? [] : hints.map((line) => style.dim(line));
  return [...boundedEntries([...blocks, ...warnings], style), end, ...hint].join("\n");
}

/** The id of the message that a finding says is broken; null where it is about another file. */
function brokenMessage({ code, path }: Finding): string | null {
  const [, thread, message] = /^threads\/[^/]+\/t-([\w-]+)\/(\d+-\w+)\.md$/.exec(code === "malformed" ? (path ?? "") : "") ?? [];
  return message === undefined ? null : `m-${thread}-${message}`;
}
