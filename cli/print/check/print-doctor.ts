/** Prints for people: the findings of `doctor`. */
import type { Printer } from "../style.ts";
import { plainLine } from "../words.ts";

/** The findings of a home and of this machine with what to do, and what was repaired. */
export const printDoctor: Printer<"doctor"> = ({ ok, home, findings, fixed, looked }, style) => {
  const paints = { error: style.red, warning: style.yellow, note: style.dim };
  const lines = findings.map(({ severity, path, line, problem, remedy, fixable }) => {
    const where = path === undefined ? "" : `${plainLine(path)}${line === undefined ? "" : `:${line}`}: `;
    const what = fixable ? " (--fix repairs it)" : remedy === undefined ? "" : ` → ${remedy}`;
    return `${paints[severity](severity.padEnd(7))} ${where}${plainLine(problem)}${style.dim(what)}`;
  });
  const fixes = fixed.map((text) => `${style.green("fixed  ")} ${plainLine(text)}`);
  const seen = looked.map((what) => style.dim(`checked ${what}`));
  return [...seen, ...fixes, ...lines, ok ? `${style.green("Healthy")}: ${home}` : `${style.red("Problems found")}: ${home}`].join("\n");
};
