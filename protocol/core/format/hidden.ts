/** Characters that a reader does not see, or takes for others, and texts that are without some of them. spec/agents.md, "Hooks and trust"; SPEC.md, "Limits". */
import { FileError } from "./file-error.ts";

/**
 * Control, format, private characters, lone surrogates, line separators, what a display may leave out (zero
 * width, tags, fillers, variation selectors), and the blank of Braille; but not tab and line feed. A pattern of Unicode's
 * classes takes long to make, so each is made when it is needed.
 */
const hidden = (): RegExp => /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** The first character of a text that a person would not see, as `U+200B`; null where there is none. */
export function hiddenIn(text: string): string | null {
  const found = hidden().exec(text)?.[0].codePointAt(0);
  return found === undefined ? null : `U+${found.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Runs of such characters, but for no-break spaces, which a text may well have. A carriage return before a line feed is half of a line break. */
const hiddenRun = (): RegExp => /(?:(?![\t\n]|\r\n)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800])+/gu;
/** What comes before a joiner or a variation selector that belongs there: part of an emoji. */
const emoji = (): RegExp => /(?:[\p{Extended_Pictographic}\p{Emoji_Modifier}#*0-9]|\ufe0f)$/u;
/** Letters of scripts that need joiners to be spelt. */
const joined = (): RegExp =>
  /[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Khmer}\p{Script=Mongolian}]\p{M}*$/u;

/** Whether a run is a joiner or a variation selector in its place. */
function belongs(run: string, before: string): boolean {
  if (run === "\u200d" || run === "\ufe0f" || run === "\ufe0e") return emoji().test(before) || (run === "\u200d" && joined().test(before));
  return run === "\u200c" && joined().test(before);
}

/** So much before a run says whether it belongs there: a letter with its marks. */
const BEFORE = 16;

/** What most texts are made of; this quick test comes first. */
const ORDINARY = /^[\t\n -~]*$/;

function replaced(text: string, by: (run: string) => string): string {
  if (ORDINARY.test(text)) return text;
  return text.replace(hiddenRun(), (run, at: number) => (belongs(run, text.slice(Math.max(0, at - BEFORE), at)) ? run : by(run)));
}

/**
 * Text that others wrote, for a person: what would not be seen, or would move what is seen, is taken out, and where a text hides
 * something a mark says so. Line feeds and tabs stay.
 */
export function seen(text: string): string {
  // Control characters and carriage returns hide nothing once they are gone.
  return replaced(text.replaceAll("\r\n", "\n"), (run) => {
    const hidden = [...run.replace(/\p{Cc}/gu, "")].length;
    return hidden === 0 ? "" : `\u27e8${hidden} hidden\u27e9`;
  });
}

/** JSON, or words for a model, in which such characters are written as escapes: the same value, and who reads the text sees that they are there. */
export function escapedJson(json: string): string {
  return replaced(json, (run) =>
    Array.from({ length: run.length }, (_, at) => `\\u${run.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""),
  );
}

/** What is wrong with a text that has one. */
export const NUL_PROBLEM = "expected text without NUL characters, it has one";

/** The line of the first NUL of a text, counted from 1; null where there is none. */
export function nulLine(text: string): number | null {
  const at = text.indexOf("\0");
  return at === -1 ? null : text.slice(0, at).split("\n").length;
}

/** A text as it is given. @throws FileError with the line, when there is a NUL in it */
export function withoutNul(source: string): string {
  const line = nulLine(source);
  if (line !== null) throw new FileError(NUL_PROBLEM, line);
  return source;
}

/** What no text of one line has. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
export const CONTROL = /[\u0000-\u001f\u007f]/;
/** Runs of control characters and of what else ends a line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;

/** Says why a text that was read is not one line of words; null where it is. A file is bound by the limits as a call is. */
export function lineProblem(text: string, most: number): string | null {
  if (text.length > most) return `expected at most ${most} characters, it has ${text.length}`;
  if (!text.isWellFormed()) return "it has half of a character (a lone surrogate)";
  if (CONTROL.test(text)) return "expected one line without control characters";
  return text.trim() === "" ? "expected words, it has none" : null;
}

/** Characters that are shown of a name that a file says, which need not be the name of a part. */
export const NAME_CHARACTERS = 200;

/** A text as one line of at most so many characters, cut between them; one that is such a line stays as it is. */
export function asLine(text: string, most: number): string {
  const flat = text.toWellFormed().replace(CONTROLS, " ");
  // Half of a character that the cut left is no character.
  const cut = flat.length <= most ? flat : flat.slice(0, most).replace(/[\ud800-\udbff]$/, "");
  return cut.trim() === "" ? "(no words)" : cut;
}

/** Characters of an author's name and address that are shown. */
export const AUTHOR_CHARACTERS = 80;

/** The author of a commit as Relay's words name one: in quotes and on one line, with what nobody sees as escapes, because whoever pushes chooses it. */
export const quotedAuthor = (author: string): string => escapedJson(JSON.stringify(asLine(author, AUTHOR_CHARACTERS)));
