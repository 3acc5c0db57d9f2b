/** Prints for people: the findings of `doctor`. */
import type { Printer } from "../style.ts";
import { boundedEntries } from "../table.ts";
import { many, plainLine } from "../words.ts";

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
  const sum =
    findings.length === 0
      ? style.green("Healthy")
      : ok
        ? style.green(`No problems, ${many(findings.length, "note")}`)
        : style.red("Problems found");
  return [...seen, ...fixes, ...boundedEntries(lines, style), `${sum}: ${home}`].join("\n");
};
