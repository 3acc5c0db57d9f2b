/** Help in the columns of a terminal: descriptions in a column of their own, or below; a command to paste is never broken. */
import { columns, fitted, lines } from "./style.ts";

/** A description that would have less room stands below what it describes. */
const BESIDE_AT_LEAST = 30;
const BELOW = "    ";

/** Indented words, a gap, and what they mean. */
const TWO_COLUMNS = /^( *)(\S.*?)( {2,})(\S.*)$/;
/** What a shell runs. */
const COMMAND = /^ +(?:relay|claude|codex|eval|git|npm) /;
/** `0 done, 1 failed`: a number and its meaning stay together. */
const CODES = /^ *\d+ [a-z ]+, /;

/** A text of help in `width` columns. */
export const helpLines = (text: string, width: number): string =>
  text
    .split("\n")
    .flatMap((line) => helpLine(line, width))
    .join("\n");

function helpLine(line: string, width: number): string[] {
  const [, indent = "", term = "", gap = "", meaning] = TWO_COLUMNS.exec(line) ?? [];
  if (meaning !== undefined) {
    const used = columns(indent + term + gap);
    const [first = "", ...rest] = lines(meaning, width - used);
    if (width - used >= BESIDE_AT_LEAST) return [indent + term + gap + first, ...rest.map((each) => " ".repeat(used) + each)];
    const below = indent + BELOW;
    return [indent + term, ...lines(meaning, width - below.length).map((each) => below + each)];
  }
  if (columns(line) <= width || COMMAND.test(line)) return [line];
  if (CODES.test(line)) return codeLines(line, width);
  return /^\w/.test(line) && !line.startsWith("Usage: ") ? lines(line, width) : fitted(line, width).split("\n");
}

/** Exit codes and what they mean, broken between them. */
function codeLines(line: string, width: number): string[] {
  const before = /^ */.exec(line)?.[0] ?? "";
  const broken: string[] = [];
  for (const code of line.trim().split(/(?<=,) /)) {
    const last = broken.at(-1);
    if (last === undefined || columns(`${last} ${code}`) > width) broken.push(before + code);
    else broken[broken.length - 1] = `${last} ${code}`;
  }
  return broken;
}
