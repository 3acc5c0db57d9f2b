/** What people, and GitHub Actions, see of `relay check`. */
import { many, type Printers, plainLine, type Style } from "./style.ts";

interface Finding {
  code: string;
  path?: string;
  line?: number;
  commit?: string;
  problem: string;
  /** Of one that stands for others. */
  more?: number;
}

interface Answer {
  ok: boolean;
  home: string;
  ref: string | null;
  commit: string | null;
  under: string;
  rules: "given" | "home";
  files: number;
  findings: Finding[];
  warnings: Finding[];
  counts: Record<string, number>;
}

/** The printer of `check`. */
export const checkPrinters: Printers = {
  check: (answer: Answer, style, input) => (input["github"] === true ? annotations(answer) : report(answer, style)),
};

const sourceOf = ({ home, ref, commit }: Answer): string => (ref === null ? home : `${ref} (${commit?.slice(0, 12)})`);

/** How many there are, told one by one or not. */
const total = (findings: readonly Finding[]): number => findings.reduce((sum, { more }) => sum + (more ?? 1), 0);

function summary(answer: Answer): string {
  const { ok, files, findings, warnings, counts } = answer;
  const source = sourceOf(answer);
  const warned = warnings.length === 0 ? "" : ` (${many(total(warnings), "warning")})`;
  const asked =
    answer.ref === null || answer.rules === "given"
      ? ""
      : " Summaries were held to what that commit itself asks; --summaries asks from outside.";
  if (ok) return `${many(files, "file")} of ${source} checked; nothing is wrong${warned}.${asked}`;
  const kinds = Object.entries(counts).sort(([, a], [, b]) => b - a);
  return `${many(total(findings), "finding")} in ${many(files, "file")} of ${source}: ${kinds.map(([code, count]) => `${code} ${count}`).join(", ")}${warned}.${asked}`;
}

/** Grouped by file, counts at the end. */
function report(answer: Answer, style: Style): string {
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
  const end = answer.ok ? style.green(summary(answer)) : style.red(summary(answer));
  const isOnlySummary = answer.findings.every(({ code }) => code.startsWith("summary_") || code.startsWith("commit_"));
  const hints = ["Which commit brought a file: git -C .relay log --oneline -- PATH. What a push brought: relay undo COMMIT"];
  const message = answer.findings.map(brokenMessage).find((id) => id !== null);
  if (message != null) hints.push(`A message that is not what its name says is taken out by: relay forget ${message}`);
  const hint = answer.ok || isOnlySummary || answer.ref !== null || answer.under !== "" ? [] : hints.map((line) => style.dim(line));
  return [...blocks, ...warnings, end, ...hint].join("\n");
}

/** The id of the message that a finding says is broken; null where it is about another file. */
function brokenMessage({ code, path }: Finding): string | null {
  const [, thread, message] = /^threads\/[^/]+\/t-([\w-]+)\/(\d+-\w+)\.md$/.exec(code === "malformed" ? (path ?? "") : "") ?? [];
  return message === undefined ? null : `m-${thread}-${message}`;
}

/** Workflow commands: what GitHub Actions shows beside the files. */
function annotations(answer: Answer): string {
  const command = (level: "error" | "warning", { path, line, commit, code, problem }: Finding): string => {
    const file = path === undefined ? [] : [`file=${property(answer.under === "" ? path : `${answer.under}/${path}`)}`];
    const at = line === undefined ? [] : [`line=${line}`];
    const text = commit === undefined ? problem : `${commit.slice(0, 12)}: ${problem}`;
    return `::${level} ${[...file, ...at, `title=${property(`relay check: ${code}`)}`].join(",")}::${data(text)}`;
  };
  const errors = answer.findings.map((finding) => command("error", finding));
  const warnings = answer.warnings.map((finding) => command("warning", finding));
  return [...errors, ...warnings, data(summary(answer))].join("\n");
}

/** What a workflow command says, on one line. */
const data = (text: string): string => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
/** The value of a workflow command's property. */
const property = (text: string): string => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
