/** What `check` answers, and the one line that sums it up. */
import type { Answer } from "../style.ts";
import { many } from "../words.ts";

/** What `check` answers. */
export type CheckAnswer = Answer<"check">;
/** One finding of `check`; one with `more` stands for others. */
export type Finding = CheckAnswer["findings"][number];

const sourceOf = ({ home, ref, commit }: CheckAnswer): string => (ref === null ? home : `${ref} (${commit?.slice(0, 12)})`);

/** How many there are, told one by one or not. */
const total = (findings: readonly Finding[]): number => findings.reduce((sum, { more }) => sum + (more ?? 1), 0);

/** The line that sums a check up. */
export function checkSummary(answer: CheckAnswer): string {
  const { ok, files, findings, warnings, counts } = answer;
  const source = sourceOf(answer);
  const warned = warnings.length === 0 ? "" : ` (${many(total(warnings), "warning")})`;
  const asked =
    answer.ref === null || answer.rules === "given"
      ? ""
      : " Summaries were checked by the rules in that commit; --summaries gives other rules.";
  if (ok) return `${many(files, "file")} of ${source} checked; no findings${warned}.${asked}`;
  const kinds = Object.entries(counts).sort(([, a], [, b]) => b - a);
  return `${many(total(findings), "finding")} in ${many(files, "file")} of ${source}: ${kinds.map(([code, count]) => `${code} ${count}`).join(", ")}${warned}.${asked}`;
}
