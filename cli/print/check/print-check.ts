/** Prints for people: the findings of `check`. */
import type { Printer, Style } from "../style.ts";
import { plainLine } from "../words.ts";
import { type CheckAnswer, checkSummary, type Finding } from "./check-answer.ts";
import { annotations } from "./print-annotations.ts";

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
  const broken = answer.findings.filter(({ code }) => code === "malformed");
  const message = broken.map(brokenMessage).find((id) => id !== null);
  if (message != null) hints.push(`To remove a message that does not match its name: relay forget ${message}`);
  const others = broken.filter((finding) => brokenMessage(finding) === null);
  const followed = others.filter(({ path }) => FOLLOWED.test(path ?? ""));
  if (others.length > followed.length) hints.push("To correct a file that is not valid: change it by hand, then relay record");
  if (followed.length > 0) hints.push("To repair mail or a claim that is not valid: relay doctor --fix");
  const hint = answer.ok || isOnlySummary || answer.ref !== null || answer.under !== "" ? [] : hints.map((line) => style.dim(line));
  return [...blocks, ...warnings, end, ...hint].join("\n");
}

/** Mail, which is its message, and claims, which a later record follows: a record brings back what a hand makes of them. */
const FOLLOWED = /^inbox\/.*\.md$|^sessions\/[^/]+\/claims\//;

/** The id of the message that a finding is about; null where it is about another file. */
function brokenMessage({ path }: Finding): string | null {
  const [, thread, message] = /^threads\/[^/]+\/t-([\w-]+)\/(\d+-\w+)\.md$/.exec(path ?? "") ?? [];
  return message === undefined ? null : `m-${thread}-${message}`;
}
