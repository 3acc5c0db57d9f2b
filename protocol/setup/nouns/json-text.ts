/**
 * Changing a JSON file of somebody's as text: what is put in can be taken out again, and everything else stays byte for
 * byte, comments, order and spacing too. The only file that knows jsonc-parser. spec/agents.md, "Setting up agents".
 *
 * The law: `takeOut(putIn(text)) = text`. A container that was made for an entry has white space before its first entry;
 * in one that was there and empty the entry follows the bracket at once. That tells the two apart afterwards.
 */
import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { errorAt } from "../../core/format/file-error.ts";

/** An entry of an object, or of an array where it has no key. */
export interface Entry {
  key?: string;
  value: unknown;
}

/** Whether the file may hold comments and commas after the last entry. */
export interface Dialect {
  comments: boolean;
}

/** JSON as its standard has it. */
export const STRICT: Dialect = { comments: false };
/** JSON with comments, and commas after the last entry. */
export const LENIENT: Dialect = { comments: true };

/** @throws FileError for what is no JSON object */
function treeOf(text: string, { comments }: Dialect): Node {
  const errors: ParseError[] = [];
  // A byte order mark counts as one character, so every place in the text stays where it is.
  const plain = text.startsWith("\uFEFF") ? ` ${text.slice(1)}` : text;
  if (plain.trim() === "") throw errorAt(text, 0, "it is empty; expected a JSON object, such as {}");
  const tree = deepTree(text, () => parseTree(plain, errors, { disallowComments: !comments, allowTrailingComma: comments }));
  const [first] = errors;
  if (first !== undefined) throw errorAt(text, first.offset, `not JSON: ${problemOf(printParseErrorCode(first.error))}`);
  if (tree?.type !== "object") throw errorAt(text, tree?.offset ?? 0, "expected a JSON object");
  return tree;
}

/** The parser's own word for a fault, as words: `PropertyNameExpected` is "property name expected". */
const problemOf = (code: string): string => code.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();

/** What is nested without end no reader of it can read either. */
function deepTree<T>(text: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof RangeError) throw errorAt(text, 0, "nested too deeply to be read");
    throw error;
  }
}

const endOf = (node: Node): number => node.offset + node.length;
const partOf = (child: Node): Node => (child.type === "property" ? ((child.children as Node[])[1] as Node) : child);
const keyOf = (child: Node): string | undefined =>
  child.type === "property" ? (((child.children as Node[])[0] as Node).value as string) : undefined;

/** The last property of a name: of two the last counts, as everywhere in JSON. */
const property = (node: Node, name: string): Node | undefined => node.children?.filter((child) => keyOf(child) === name).at(-1);

/** The plain value of a node. */
function plainValue(node: Node): unknown {
  if (node.type === "array") return (node.children ?? []).map(plainValue);
  if (node.type !== "object") return node.value;
  return Object.fromEntries((node.children ?? []).map((child) => [keyOf(child) as string, plainValue(partOf(child))]));
}

/** The entries of the container at a path, in which a list's are named by their number; none where there is no such container. @throws FileError */
export function entriesAt(text: string | null, path: readonly string[], dialect: Dialect): Entry[] {
  if (text === null) return [];
  const container = containerAt(text, treeOf(text, dialect), path);
  return (container?.children ?? []).map((child) => {
    const key = keyOf(child);
    return { ...(key === undefined ? {} : { key }), value: plainValue(partOf(child)) };
  });
}

function containerAt(text: string, root: Node, path: readonly string[]): Node | null {
  let at = root;
  for (const [depth, name] of path.entries()) {
    const found = at.type === "object" ? property(at, name) : at.children?.[Number(name)];
    if (found === undefined) return null;
    at = partOf(found);
    if (at.type !== "object" && at.type !== "array")
      throw errorAt(text, at.offset, `${path.slice(0, depth + 1).join(".")}: expected an object or a list`);
  }
  return at;
}

/**
 * Puts an entry at the end of the container at a path; what is missing of the path is made.
 * @param text null where there is no file
 * @throws FileError
 */
export function putIn(text: string | null, path: readonly string[], entry: Entry, dialect: Dialect): string {
  if (text === null) return `${JSON.stringify(nested(path, entry), null, 2)}\n`;
  const root = treeOf(text, dialect);
  const kept = path.findIndex((_name, at) => containerAt(text, root, path.slice(0, at + 1)) === null);
  const container = containerAt(text, root, kept === -1 ? path : path.slice(0, kept)) as Node;
  const child = kept === -1 ? entry : { key: path[kept] as string, value: nested(path.slice(kept + 1), entry) };
  if ((container.type === "array") !== (child.key === undefined))
    throw errorAt(text, container.offset, `${path.join(".")}: expected ${child.key === undefined ? "a list" : "an object"}`);
  const { at, lead, indent } = placeFor(text, container);
  return text.slice(0, at) + lead + rendered(text, child, indent) + text.slice(at);
}

/**
 * Puts an entry of an object in the place of the one of its name, or at the end where there is none.
 * @throws FileError
 */
export function setIn(text: string, path: readonly string[], entry: Required<Entry>, dialect: Dialect): string {
  const container = containerAt(text, treeOf(text, dialect), path);
  const there = container === null ? undefined : property(container, entry.key);
  if (there === undefined) return putIn(text, path, entry, dialect);
  const value = partOf(there);
  if (JSON.stringify(plainValue(value)) === JSON.stringify(entry.value)) return text;
  return text.slice(0, value.offset) + rendered(text, { value: entry.value }, indentOf(text, value.offset)) + text.slice(endOf(value));
}

function nested(path: readonly string[], { key, value }: Entry): unknown {
  const inner: unknown = key === undefined ? [value] : { [key]: value };
  return path.reduceRight((within, name) => ({ [name]: within }), inner);
}

/** Where a new last entry goes, what stands before it, and how far in its further lines are. */
function placeFor(text: string, container: Node): { at: number; lead: string; indent: string } {
  const last = container.children?.at(-1);
  if (last === undefined) return { at: container.offset + 1, lead: "", indent: indentOf(text, container.offset) };
  const own = text.slice(text.lastIndexOf("\n", last.offset) + 1, last.offset);
  const alone = /^[ \t]*$/.test(own) && text.lastIndexOf("\n", last.offset) > container.offset;
  return { at: endOf(last), lead: alone ? `,${eolOf(text)}${own}` : ", ", indent: alone ? own : indentOf(text, last.offset) };
}

const eolOf = (text: string): string => (text.includes("\r\n") ? "\r\n" : "\n");
const indentOf = (text: string, at: number): string =>
  (/^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", at - 1) + 1, at)) as RegExpExecArray)[0];

function rendered(text: string, { key, value }: Entry, indent: string): string {
  const unit = /^([ \t]+)\S/m.exec(text)?.[1] ?? "  ";
  const lines = JSON.stringify(value, null, unit);
  // Text in one line stays so; the line breaks are those between entries, for in strings they are escaped.
  const json = text.includes("\n") ? lines.split("\n").join(`${eolOf(text)}${indent}`) : lines.replace(/\n\s*/g, " ");
  return key === undefined ? json : `${JSON.stringify(key)}: ${json}`;
}

/**
 * Takes out every entry of the container at a path that is meant, and what was made for it.
 * @returns null when nothing is left of a file that was made for it
 * @throws FileError
 */
export function takeOut(text: string, path: readonly string[], isMeant: (entry: Entry) => boolean, dialect: Dialect): string | null {
  const meant = entriesAt(text, path, dialect).flatMap((entry, index) => (isMeant(entry) ? [index] : []));
  if (meant.length === 0) return text;
  const children = containerAt(text, treeOf(text, dialect), path)?.children as Node[];
  // At once, because there may be thousands: each leaves what stands before it as it is.
  const behind = meant.filter((index) => index > 0);
  const now = uncut(
    text,
    behind.flatMap((index) => cutsBetween(text, children[index - 1] as Node, children[index] as Node, children[index] as Node)),
  );
  return meant[0] === 0 ? without(now, treeOf(now, dialect), path, 0) : now;
}

/** A piece of a text, from one place up to another. */
type Cut = readonly [from: number, to: number];

/** The text without some pieces, which are in order. */
const uncut = (text: string, cuts: readonly Cut[]): string =>
  [...cuts, [text.length, text.length] as const].map(([to], at) => text.slice(cuts[at - 1]?.[1] ?? 0, to)).join("");

/** The text without one entry; a container that held nothing else and was made for it goes too. */
function without(text: string, root: Node, path: readonly string[], index: number): string | null {
  const container = containerAt(text, root, path) as Node;
  const children = container.children as Node[];
  const child = children[index] as Node;
  const [before, next] = [children[index - 1], children[index + 1]];
  if (before !== undefined) return uncut(text, cutsBetween(text, before, child, child));
  if (next !== undefined) return uncut(text, cutsBetween(text, child, next, child));
  const lead = text.slice(container.offset + 1, child.offset);
  const tail = text.slice(endOf(child), endOf(container) - 1);
  if (!/^\s+$/.test(lead) || !/^\s*$/.test(tail)) return uncut(text, [[child.offset, endOf(child)]]);
  if (path.length === 0) return null;
  const above = path.slice(0, -1);
  const holder = containerAt(text, root, above) as Node;
  const name = path.at(-1) as string;
  const at = holder.type === "array" ? Number(name) : holder.children?.findLastIndex((each) => keyOf(each) === name);
  return without(text, root, above, at as number);
}

/** What goes with one of two entries that follow each other: itself, and the comma between them, which may stand among comments. */
function cutsBetween(text: string, left: Node, right: Node, gone: Node): Cut[] {
  const gap = text.slice(endOf(left), right.offset);
  const blank = gap.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (comment) => " ".repeat(comment.length));
  const comma = endOf(left) + blank.indexOf(",");
  if (/^\s*,\s*$/.test(gap)) return [gone === left ? [left.offset, right.offset] : [comma, endOf(right)]];
  const alone: Cut[] = blank.includes(",") ? [[comma, comma + 1]] : [];
  return gone === left ? [[left.offset, endOf(left)], ...alone] : [...alone, [right.offset, endOf(right)]];
}
