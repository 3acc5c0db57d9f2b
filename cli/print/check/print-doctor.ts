/** Prints for people: the findings of `doctor`. */
import type { Printer } from "../style.ts";
import { plainLine } from "../words.ts";

export const printDoctor: Printer<"doctor"> = ({ ok, home, findings, fixed, looked }, style) => {
  const paints = { error: style.red, warning: style.yellow, note: style.dim };
  const lines = findings.map(
    (finding: {
      severity: keyof typeof paints;
      code: string;
      path?: string;
      line?: number;
      problem: string;
      remedy?: string;
      fixable: boolean;
    }) => {
      const where = finding.path === undefined ? "" : `${plainLine(finding.path)}${finding.line === undefined ? "" : `:${finding.line}`}: `;
      const what = finding.fixable ? " (--fix repairs it)" : finding.remedy === undefined ? "" : ` → ${finding.remedy}`;
      return `${paints[finding.severity](finding.severity.padEnd(7))} ${where}${plainLine(finding.problem)}${style.dim(what)}`;
    },
  );
  const fixes = fixed.map((text) => `${style.green("fixed  ")} ${plainLine(text)}`);
  const seen = (looked as string[]).map((what) => style.dim(`checked ${what}`));
  return [...seen, ...fixes, ...lines, ok ? `${style.green("Healthy")}: ${home}` : `${style.red("Problems found")}: ${home}`].join("\n");
};
