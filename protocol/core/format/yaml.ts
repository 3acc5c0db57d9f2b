/** YAML as Relay reads it: a text that would take long to read is refused by its first marks, before it is parsed. SPEC.md, "Limits". */
import * as YAML from "yaml";
import { FileError } from "./file-error.ts";
import { NUL_PROBLEM, nulLine } from "./hidden.ts";

/** Maps and lists within each other at the most. */
const DEPTH = 16;
/** Words and marks at the most of a file of which a home has few; a long text in quotes is one word. */
const WORDS = 16_384;
/** The same of a text of which a home has many, so that reading one takes some milliseconds at the most. */
export const WORDS_OF_MANY = 1_024;
/** Lines and spaces to each of these words at the most: they take time as well. */
const SPACES_TO_WORD = 4;

/** What was read, with the line of each of its places. */
export interface YamlText {
  document: YAML.Document;
  /** The line of a place in the text, from 1. */
  lineAt(offset: number): number;
}

/**
 * Reads YAML as a document that keeps its comments: the core schema, keys that are texts, none of them twice.
 * @param words words and marks at the most
 * @throws FileError for other YAML, or where it is nested more than 16 deep, is longer than that, has more than 200 aliases or one of what it is in
 */
export function readYaml(source: string, words = WORDS): YamlText {
  // A text that ends too early lacks something after its last line, so the error names that line.
  const lineAt = linesOf(source.trimEnd());
  const nul = nulLine(source);
  if (nul !== null) throw new FileError(NUL_PROBLEM, nul);
  checkBounds(source, words);
  const document = parsed(source);
  const fault = document.errors[0];
  if (fault !== undefined) throw new FileError(fault.message.split("\n")[0] as string, lineAt(fault.pos[0]));
  let aliases = 0;
  YAML.visit(document, {
    Map: (_key, { items }) => checkKeys(items, lineAt),
    // Each looks for its anchor in the whole document.
    Alias: (_key, { range, source: name }, path) => {
      aliases += 1;
      if (path.some((above) => YAML.isNode(above) && "anchor" in above && above.anchor === name))
        throw new FileError(`the alias ${name} stands within what it names`, lineAt(range?.[0] ?? 0));
      if (aliases > ALIASES_IN_TEXT) throw new FileError(`more than ${ALIASES_IN_TEXT} aliases`, lineAt(range?.[0] ?? 0));
    },
  });
  return { document, lineAt };
}

/** The document with its errors, of which each would take more time for its stack than a whole line of text. */
function parsed(source: string): YAML.Document {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    // The parser compares each key with each other: `readYaml` compares keys.
    return YAML.parseDocument(source, { schema: "core", uniqueKeys: false, stringKeys: true, prettyErrors: false });
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Aliases of a text at the most. */
const ALIASES_IN_TEXT = 200;
/** Aliases of one value at the most, each counted with those within it. */
const ALIASES = 100;

/**
 * The same, for a caller that changes it: in place of each alias stands the value that it means, so that every place can be changed by itself.
 * @throws FileError, also for aliases that multiply beyond reason
 */
export function readEditableYaml(source: string): YamlText {
  const read = readYaml(source);
  const { document } = read;
  try {
    document.toJS({ maxAliasCount: ALIASES });
  } catch (error) {
    throw new FileError((error as Error).message, 1);
  }
  YAML.visit(document, {
    Alias: (_key, alias) => document.createNode(alias.toJS(document, { maxAliasCount: ALIASES }), { aliasDuplicateObjects: false }),
  });
  // Only now: an alias is found by the anchor.
  const dropAnchor = (_key: unknown, node: { anchor?: string }): void => {
    delete node.anchor;
  };
  YAML.visit(document, { Scalar: dropAnchor, Map: dropAnchor, Seq: dropAnchor });
  return read;
}

/** Keys that no file may have: a parser could take them for those of an object's prototype. */
export const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/**
 * The same, without what could run, multiply or pretend: tags, aliases, keys of a prototype.
 * @param words words and marks at the most
 * @param instead what a person may write in place of an alias, as the end of a sentence
 * @throws FileError, also for one of these
 */
export function readBareYaml(source: string, words = WORDS, instead = ""): YamlText {
  const read = readYaml(source, words);
  const { document, lineAt } = read;
  const [fault] = document.warnings;
  if (fault !== undefined) throw new FileError(fault.message.split("\n")[0] as string, lineAt(fault.pos[0]));
  YAML.visit(document, {
    Alias: (_key, node) => {
      throw new FileError(`aliases are not read${instead}`, lineAt(node.range?.[0] ?? 0));
    },
    Pair: (_key, { key }) => {
      const name = YAML.isScalar(key) ? String(key.value) : "";
      if (FORBIDDEN_KEYS.has(name))
        throw new FileError(`the key ${JSON.stringify(name)} is refused`, lineAt((key as YAML.Scalar).range?.[0] ?? 0));
    },
  });
  return read;
}

/** The document as plain data. @throws FileError for aliases that multiply beyond reason */
export function plainOf({ document }: YamlText): unknown {
  try {
    return document.toJS({ maxAliasCount: ALIASES });
  } catch (error) {
    throw new FileError((error as Error).message);
  }
}

/** The line of the value at a path, or of the nearest that holds it; undefined where not even its first step is there. */
export function lineOf({ document, lineAt }: YamlText, path: readonly PropertyKey[]): number | undefined {
  let node: unknown = document.contents;
  let offset: number | undefined;
  for (const key of path) {
    if (YAML.isMap(node)) {
      const pair = node.items.find((item) => String(YAML.isScalar(item.key) ? item.key.value : item.key) === String(key));
      if (pair === undefined) break;
      offset = (pair.key as YAML.Node).range?.[0] ?? offset;
      node = pair.value;
    } else if (YAML.isSeq(node)) {
      node = node.items[Number(key)];
      offset = (node as YAML.Node | undefined)?.range?.[0] ?? offset;
    } else break;
  }
  return offset === undefined ? undefined : lineAt(offset);
}

/** The line of any place of a text, found without counting from its beginning each time. */
function linesOf(source: string): (offset: number) => number {
  const starts = [0];
  for (let at = source.indexOf("\n"); at !== -1; at = source.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] as number) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}

function checkKeys(items: readonly YAML.Pair[], lineAt: (offset: number) => number): void {
  const known = new Set<string>();
  for (const { key } of items) {
    const name = String(YAML.isScalar(key) ? key.value : key);
    if (known.has(name)) throw new FileError("Map keys must be unique", lineAt((key as YAML.Node | null)?.range?.[0] ?? 0));
    known.add(name);
  }
}

/** What the lexer says of the text that is none of its characters, or only space. */
const isSilent = (token: string): boolean =>
  token === YAML.CST.DOCUMENT || token === YAML.CST.SCALAR || token === YAML.CST.FLOW_END || token.trim() === "";

/** Counts depth and words by the lexer alone, which takes as long as the text is, and stops at the first that is too much. @param most words and marks */
function checkBounds(source: string, most: number): void {
  let [line, spaces, words, flow, explicit, inLine, indent] = [1, 0, 0, 0, 0, 0, 0];
  let isStart = true;
  const indents: number[] = [];
  for (const token of new YAML.Lexer().lex(source)) {
    if (!isSilent(token)) {
      words += 1;
      if (isStart && flow === 0 && !token.startsWith("#")) {
        while (indents.length > 0 && (indents.at(-1) as number) > indent) indents.pop();
        if ((indents.at(-1) ?? -1) < indent) indents.push(indent);
      }
      isStart = false;
      if (token === "[" || token === "{") flow += 1;
      else if (token === "]" || token === "}") flow -= 1;
      else if (token === "?") explicit += 1;
      else if (flow === 0 && (token === "-" || token === ":")) inLine += 1;
      // A line such as `- a: 1` has two marks more than the maps and lists above it.
      if (indents.length + flow + explicit + inLine > DEPTH + 2)
        throw new FileError(`it is nested too deeply: expected at most ${DEPTH} maps and lists within each other`, line);
      if (words > most) throw new FileError(`it is too long: expected at most ${most} words and marks`, line);
    } else {
      spaces += 1;
      if (isStart && token.startsWith(" ")) indent = token.length;
    }
    if (spaces + line > most * SPACES_TO_WORD) throw new FileError("it has too many lines and spaces", line);
    if (token.endsWith("\n")) [isStart, indent, inLine] = [true, 0, 0];
    for (let at = token.indexOf("\n"); at !== -1; at = token.indexOf("\n", at + 1)) line += 1;
  }
}
