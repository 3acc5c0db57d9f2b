/**
 * Characters that nobody sees, or that turn the order of what is read, are shown as marks: what a person reads on the page is what is
 * there. The one place that knows them.
 */
import { options, type VNode } from "preact";

/** What a browser draws nothing for (Unicode's Default_Ignorable_Code_Point), controls, halves of characters, and marks of interlinear text. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cs}\ufff9-\ufffb]/u;

/** Scripts that write with joiners, and those that are read from right to left. */
const ofScripts = (names: string): string => `[${names.replace(/\S+\s*/g, (name) => `\\p{Script=${name.trim()}}`)}]`;
const JOINED = ofScripts(
  "Arabic Syriac Nko Mandaic Mongolian Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Myanmar Tibetan",
);
const LEFTWARD = ofScripts("Arabic Hebrew Syriac Thaana Nko Mandaic");

/** Where scripts and emoji need them: each is left as it is there. */
const NEEDED = [
  "[\\t\\n\\r]",
  // A joiner after a letter of a script that joins, and one within an emoji.
  `(?<=${JOINED})[\\u200c\\u200d]`,
  "(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=\\p{Extended_Pictographic})",
  // The form of an emoji or of a character of China; the vowels of Mongolian.
  "(?<=[\\p{Emoji}\\p{S}\\p{Script=Han}\\p{Script=Myanmar}])[\\ufe00-\\ufe0f]",
  "(?<=\\p{Script=Han})[\\u{e0100}-\\u{e01ef}]",
  "(?<=\\p{Script=Mongolian})[\\u180b-\\u180f]",
  // The flags of England, Scotland and Wales.
  "(?<=\\u{1f3f4})\\u{e0067}\\u{e0062}(?:\\u{e0065}\\u{e006e}\\u{e0067}|\\u{e0073}\\u{e0063}\\u{e0074}|\\u{e0077}\\u{e006c}\\u{e0073})\\u{e007f}",
  // A mark of direction beside a letter of that direction, and a hyphen that is offered within a word.
  `(?<=${LEFTWARD})[\\u061c\\u200e\\u200f]`,
  `[\\u061c\\u200e\\u200f](?=${LEFTWARD})`,
  "(?<=\\p{L})\\u00ad(?=\\p{L})",
].join("|");
const EACH = new RegExp(`(${NEEDED})|${UNSEEN.source}`, "gu");

/** A text with a mark in place of each character that is not seen, such as `‹U+202E›`; what a script or an emoji needs stays. */
export const withMarks = (text: string): string =>
  UNSEEN.test(text) ? text.replace(EACH, (found, needed?: string) => needed ?? `‹U+${hexOf(found)}›`) : text;

/** The names of those characters of a text that would be marks, such as `U+202E`, in their order. */
export const unseenIn = (text: string): string[] =>
  UNSEEN.test(text) ? [...text.matchAll(EACH)].flatMap(([found, needed]) => (needed === undefined ? [`U+${hexOf(found)}`] : [])) : [];

const hexOf = (character: string): string => (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");

/** Attributes whose text a person reads or hears. What stands in a field stays as it is, for it is edited and sent: `Unseen` names them below it. */
const READ = ["title", "aria-label", "placeholder", "label"];

/** Shows the marks in every text of the page, and in every attribute that is read; Markdown makes HTML of its own. */
export function markUnseen(): void {
  const before = options.vnode;
  options.vnode = (node: VNode): void => {
    const made = node as { type: unknown; props: unknown };
    if (typeof made.props === "string") made.props = withMarks(made.props);
    else if (typeof made.type === "string") {
      const given = made.props as Record<string, unknown>;
      for (const name of READ) if (typeof given[name] === "string") given[name] = withMarks(given[name] as string);
    }
    before?.(node);
  };
}
