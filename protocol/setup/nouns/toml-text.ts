/** A user's TOML file: its tables, to find out the effect of an added block, and its statements, to change one. The only file that knows smol-toml. */
import { parse, TomlError } from "smol-toml";
import { FileError } from "../../core/format/file-error.ts";

/** The tables of a TOML text. @throws FileError where it cannot be read */
export function parseToml(text: string): Record<string, unknown> {
  try {
    return parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    if (error instanceof TomlError) throw new FileError(`not TOML: ${(error.message.split("\n")[0] as string).trim()}`, error.line);
    throw error;
  }
}

/** A header, an entry, or a comment on a line of its own. */
export interface Statement {
  kind: "table" | "entry" | "comment";
  /** The whole name, with that of the table it stands in; of a comment the table's. */
  path: readonly string[];
  /** From the begin of its first line. */
  from: number;
  /** To behind the line break that ends it, or the end of the text. */
  to: number;
}

const NAME = /[ \t]*(?:"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)'|([\w-]+))[ \t]*(\.)?/y;
/** A piece of a value or of what stands behind it: strings of four kinds, a comment, a bracket, the end of a line, anything else. */
const PIECE =
  /"""(?:[^"\\]+|\\[\s\S]|"{1,2}(?!"))*"{3,5}|'''(?:[^']+|'{1,2}(?!'))*'{3,5}|"(?:[^"\\\n]+|\\.)*"|'[^'\n]*'|#[^\n]*|[[{]|[\]}]|\n|[^"'#[\]{}\n]+/y;

/** The statements of a text, in their order. @param text what is TOML */
export function statementsOf(text: string): Statement[] {
  const found: Statement[] = [];
  let table: readonly string[] = [];
  for (let from = 0; from < text.length; ) {
    const line = text.slice(from, endOfLine(text, from));
    // A byte order mark is white space to `trimStart` too.
    const plain = line.trimStart();
    const begin = from + line.length - plain.length;
    if (plain.trim() === "") {
      from += line.length;
      continue;
    }
    const kind = plain.startsWith("#") ? "comment" : plain.startsWith("[") ? "table" : "entry";
    const brackets = kind === "table" ? (/^\[+/.exec(plain) as RegExpExecArray)[0].length : 0;
    const { names, behind } = kind === "comment" ? { names: [], behind: begin } : namesAt(text, begin + brackets);
    if (kind === "table") table = names;
    const to = kind === "entry" ? endOfValue(text, behind) : from + line.length;
    found.push({ kind, path: kind === "entry" ? [...table, ...names] : table, from, to });
    from = to;
  }
  return found;
}

/** Behind the break that ends a line. */
function endOfLine(text: string, from: number): number {
  const at = text.indexOf("\n", from);
  return at === -1 ? text.length : at + 1;
}

/** The words of a dotted name. */
function namesAt(text: string, from: number): { names: string[]; behind: number } {
  const names: string[] = [];
  let behind = from;
  for (let isMore = true; isMore; ) {
    NAME.lastIndex = behind;
    const match = NAME.exec(text);
    if (match === null) break;
    names.push(match[1] === undefined ? ((match[2] ?? match[3]) as string) : unescaped(match[1]));
    behind = NAME.lastIndex;
    isMore = match[4] !== undefined;
  }
  return { names, behind };
}

/** A name as it is meant; TOML has an escape or two that JSON has not, and no name of Relay's has them. */
function unescaped(name: string): string {
  try {
    return JSON.parse(`"${name}"`) as string;
  } catch {
    return name;
  }
}

/** Behind the line on which a value ends: a string or a list may go over several. */
function endOfValue(text: string, from: number): number {
  let depth = 0;
  PIECE.lastIndex = from;
  for (let match = PIECE.exec(text); match !== null; match = PIECE.exec(text)) {
    const [piece] = match;
    if (piece === "[" || piece === "{") depth += 1;
    else if (piece === "]" || piece === "}") depth -= 1;
    else if (piece === "\n" && depth <= 0) return PIECE.lastIndex;
  }
  return text.length;
}
