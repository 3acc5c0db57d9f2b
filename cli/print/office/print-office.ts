/** Prints for people: the office. */
import { shellWord } from "../../../protocol/core/format/shell-word.ts";
import type { Answer, Printer, Style } from "../style.ts";
import { table } from "../table.ts";
import { plainLine } from "../words.ts";

type Position = Answer<"office_show">["positions"][number];
type Fault = Answer<"office_check">["faults"][number];

const place = ({ path, line }: Fault): string => (line === undefined ? path : `${path}:${line}`);
const faultLine = (fault: Fault): string => plainLine(`${place(fault)}: ${fault.problem}`);

/** The positions, each below the one that may give it work. */
function tree(positions: readonly Position[], style: Style): string {
  const depth = new Map<string | null, number>([[null, -1]]);
  const rows = inOrder(positions, null).map(({ id, name, parent, description }) => {
    depth.set(id, (depth.get(parent) ?? -1) + 1);
    return [
      { text: `${"  ".repeat(depth.get(id) as number)}${name}`, paint: style.bold },
      { text: id, paint: style.dim },
      plainLine(description),
    ];
  });
  return table(rows, style);
}

const inOrder = (positions: readonly Position[], parent: string | null): Position[] =>
  positions.filter((each) => each.parent === parent).flatMap((each) => [each, ...inOrder(positions, each.id)]);

/** The positions of an office below each other, or the roster of one. */
export const printOfficeShow: Printer<"office_show"> = ({ name, description, positions, position, roster }, style) => {
  if (position === undefined)
    return [style.bold(plainLine(name)), plainLine(description), tree(positions, style)].filter(Boolean).join("\n");
  const entries = Object.entries(roster ?? {});
  const head = `${style.bold(position.id)}  ${plainLine(position.name)}: ${plainLine(position.description)}`;
  if (entries.length === 0) return `${head}\n${style.dim("Its roster is empty: it may give work to nobody.")}`;
  return `${head}\n${table(
    entries.map(([each, entry]) => [{ text: `  ${each}`, paint: style.bold }, plainLine(entry.description)]),
    style,
  )}`;
};

/** The positions of a whole office, or what is wrong with one by file and line. */
export const printOfficeCheck: Printer<"office_check"> = ({ ok, positions, rosters, faults, unknown, missing }, style) => {
  const warnings = [
    ...unknown.map(faultLine),
    ...missing.map(
      (program) =>
        `agents are run by ${program}, which was not found on this machine. Install it, or: relay office runner ${program} -- PATH`,
    ),
  ].map((text) => `${style.yellow("warning")} ${text}`);
  if (!ok) {
    const end = style.red(`${faults.length} ${faults.length === 1 ? "fault" : "faults"}: nobody of this office can give work to anybody`);
    return [...faults.map(faultLine), ...warnings, end].join("\n");
  }
  const rows = positions.map(({ id, name }) => [id, { text: name, paint: style.bold }, Object.keys(rosters[id] ?? {}).join(", ")]);
  return [table(rows, style), ...warnings, style.green(`The office is whole: ${positions.length} positions`)].join("\n");
};

/** What was written, and what was there. */
const written = (created: readonly string[], kept: readonly string[], style: Style): string[] => [
  ...created.map((path) => `${style.green("Made")} ${path}`),
  ...kept.map((path) => style.dim(`${path} was there already`)),
];

/** The files of a new office, made or left as they were. */
export const printOfficeInit: Printer<"office_init"> = ({ created, kept }, style) =>
  [
    ...written(created, kept, style),
    style.dim("Edit them by hand. See the office: relay office show. Add an agent: relay office add NAME"),
  ].join("\n");

/** The files that were imported, and what of the tree was left out. */
export const printOfficeImport: Printer<"office_import"> = ({ created, kept, leftOut, faults }, style) =>
  [
    ...written(created, kept, style),
    ...leftOut.map(({ path, problem }) => `${style.yellow("left out")} ${plainLine(`${path}: ${problem}`)}`),
    ...faults.map((fault) => `${style.red("to correct")} ${faultLine(fault)}`),
    style.dim("Nothing of it runs yet. See what would, and allow it: relay trust office"),
  ].join("\n");

/** Which position was added to which unit. */
/** `office prune`: what went, and what stays and why. */
export const printOfficePrune: Printer<"office_prune"> = ({ removed, left }, style) =>
  [
    ...removed.map(({ branch, folder }) => `${style.green("Removed")} ${branch} ${style.dim(plainLine(folder))}`),
    ...left.map(({ branch, folder, why }) => `${style.yellow("left")} ${branch} ${style.dim(plainLine(folder))}: ${plainLine(why)}`),
    ...(removed.length + left.length === 0 ? [style.dim("There are no worktrees of agents.")] : []),
  ].join("\n");

export const printOfficeAdd: Printer<"office_add"> = ({ position, added, unit, agent, created }, style) =>
  [
    added ? `${style.green("Added")} ${position} in ${unit}` : style.dim(`${position} was there already`),
    ...(created ? [`${style.green("Made")} ${agent}; write its prompt there`] : []),
  ].join("\n");

export const printOfficeRunner: Printer<"office_runner"> = ({ runners, folder }, style) => {
  const rows = Object.entries(runners).map(([name, argv]) => [{ text: name, paint: style.bold }, argv.map(shellWord).join(" ")]);
  const rest = style.dim("Every other program is found on the PATH by its name. Say where one is: relay office runner claude -- PATH");
  const where = folder === null ? [] : [style.dim(`Kept in ${plainLine(folder)}, as are limits (limits.json)`)];
  return [...(rows.length === 0 ? [] : [table(rows, style)]), rest, ...where].join("\n");
};
