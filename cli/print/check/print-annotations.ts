/** The findings of `check` as annotations of GitHub. */
import { type CheckAnswer, checkSummary, type Finding } from "./check-answer.ts";

/** Workflow commands: what GitHub Actions shows beside the files. */
export function annotations(answer: CheckAnswer): string {
  const command = (level: "error" | "warning", { path, line, commit, code, problem }: Finding): string => {
    const file = path === undefined ? [] : [`file=${property(answer.under === "" ? path : `${answer.under}/${path}`)}`];
    const at = line === undefined ? [] : [`line=${line}`];
    const text = commit === undefined ? problem : `${commit.slice(0, 12)}: ${problem}`;
    return `::${level} ${[...file, ...at, `title=${property(`relay check: ${code}`)}`].join(",")}::${data(text)}`;
  };
  const errors = answer.findings.map((finding) => command("error", finding));
  const warnings = answer.warnings.map((finding) => command("warning", finding));
  return [...errors, ...warnings, data(checkSummary(answer))].join("\n");
}

/** What a workflow command says, on one line. */
const data = (text: string): string => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");

/** The value of a workflow command's property. */
const property = (text: string): string => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
