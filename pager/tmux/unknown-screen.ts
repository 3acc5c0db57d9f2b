/**
 * The screen of a program without a profile: whether it may ask something that Enter would answer. Only a screen that shows
 * nothing of the kind is typed into. This file starts nothing. spec/waking.md, "Waking in tmux".
 */

/** What encloses a row or parts it from the next. */
const FRAME = /^[\s│┃║|╎▌█]+|[\s│┃║|╎▐█]+$/gu;
const NO_TEXT = /^[\s\u2500-\u259f_=~-]*$/u;

/** Signs that stand before a chosen row, and before what a person said. */
const POINTER = /^\s*(?:[>❯›→▸►➤➜●◉▌*]\s)/u;
const SAID = /^[>❯›]\s/u;

const YES_NO = String.raw`(?:yes|no|all|always|never|once|quit|abort|skip|ja|nein|oui|non|sí|si|\p{L}|\?|!)`;
/** Choices that close a row: `[y/n/t]:`, `(Y/n)`, `[y,n,q]?`. What was answered has its answer behind it. */
const LETTERS = String.raw`[[({<]\s*${YES_NO}(?:(?:\s*[/|]\s*|,)(?:${YES_NO}|\d))+\s*[\])}>]`;
/** A verb behind "enter" that says how a text is sent. */
const SENDS = "(?:send|sends|newline|new|steer|queue|insert)\\b";
const BUTTON =
  "(?:y|n|allow|approve|accept|always|never|yes|no|ok|okay|confirm|trust|deny|reject|decline|cancel|abort|retry|skip|continue|ignore|discard|don't|do not)\\b";

/** Signs of a question, wherever they stand on the screen. */
const ANYWHERE: readonly RegExp[] = [
  new RegExp(`${LETTERS}\\W*$`, "iu"),
  /\b(?:allow|proceed|continue|approve|apply|execute|trust|accept|overwrite|delete|confirm|want to)\b.*[?？]\W*$/iu,
  // How a question is answered.
  /(?:\b(?:enter|escape|esc)\b|[⏎↵])\W{0,3}(?:to |for )?(?:confirm|select|choose|accept|approve|allow|apply|trust|continue|toggle)/iu,
  /(?:↑|↓|⇆|←→|\barrow[- ]keys?|\bspace)\W{0,4}(?:to\s+)?(?:navigate|select|move|choose|toggle|change|switch)\b/iu,
  // Pagers and editors.
  /^--\s?more\s?--|\(END\)$|^lines \d+-\d+|^ ?Manual page |^HELP -- Press RETURN|\(press h for help or q to quit\)/iu,
  /^-- ?(?:INSERT|REPLACE|VISUAL|NORMAL)\b.*--|^(?:INS|NOR|SEL)\s|\^[A-Z\\_] \w+.*\^[A-Z\\_] \w+|^-[-U:*%]{3,}/u,
];

/** Signs of a question about the input line. */
const NEAR: readonly RegExp[] = [
  new RegExp(`${LETTERS}|\\by(?:es)?\\s*(?:/|\\||or)\\s*no?\\b`, "iu"),
  // (Y)es, [N]o.
  /(?<![\p{L}\d_])[[(]\p{L}[\])]\p{L}/u,
  // Numbered or lettered choices, check boxes and radio buttons.
  /^\W*[[(]?\d{1,2}(?:[\]).:]|\s[-–—])\s+\S/u,
  /^\W*[[(]?\p{L}[\])]\s+\S/u,
  /^\s*(?:[>❯›*-]\s+)?(?:\[[ xX✓✔*•-]?\]|\([ xX*•]?\)|[◉○◯☐☑☒◻◼])\s/u,
  /[?？](?:\s*[[(<][^\])>]*[\])>])?\s*[:：›>"'”’)\]]*$/u,
  new RegExp(`(?:\\benter\\b|[⏎↵])\\W{0,3}(?:(?:to|for)\\s+)?(?!${SENDS})\\p{L}`, "iu"),
  /\b(?:press|hit|strike)\s+(?:any|enter|return|space|a |the |["'`<[(]?\p{L}["'`>\])]?\s)/iu,
  /\b(?:type|say|answer|reply|write)\s+(?:with\s+)?["'`“‘]?(?:y|yes|n|no|ok|approve|confirm|a number|the number|\d+|your)\b/iu,
  /\b(?:esc|escape)\b\W{0,3}(?:to\s+)?(?:cancel|back|reject|deny|close|dismiss|skip|exit|leave|go)\b/iu,
  /^\W*(?:select|choose|pick|confirm|allow|approve|permit|grant|authori[sz]e)\b/iu,
  /\bto (?:confirm|approve|proceed|accept|continue|deny|reject|abort|allow|trust|select|choose)\b/iu,
  // y = yes, n = no.
  /(?<!\p{L})\p{L}\s*[=:]\s*\p{L}+\W+\p{L}\s*[=:]\s*\p{L}/u,
  /\b(?:approval|permission|confirmation|authori[sz]ation|consent)\b.*\b(?:required?|requests?|requested|needed|pending)\b/iu,
  /\b(?:requires?|needs?)\b.*\b(?:approval|permission|confirmation|authori[sz]ation|consent)\b/iu,
  /\b(?:waiting|waits?|awaiting)\b.*\b(?:approval|permission|confirmation|answer|you|input|decision)\b/iu,
  /\b(?:password|passphrase|passcode|pin|otp|code|api[ -]?key|token|secret)\b.*[:：]$|\b(?:password|passphrase|passcode|pin|otp|verification code)$|^\W*(?:enter|paste|type)\b.*\b(?:password|key|token|code|secret)\b/iu,
  // Finders, and the prompt of an interpreter.
  /^\d+\/\d+(?:\s*\(\d+\))?[\s─-]*$|^Type "\.help"/u,
];

/** Rows about the input in which anything that may be a question is one; farther up only what cannot be anything else. */
const NEAR_ROWS = 14;
/** Rows of text below an input line: the state of a program, and its keys. A text that goes on there is being edited. */
const ROWS_BELOW = 4;

/**
 * Returns whether a screen may ask something. Unknown counts as asking.
 * @param rows the screen as plain text
 * @param first first row of the input, counted from 0
 * @param last last row of the input
 */
export function mayAsk(rows: readonly string[], first: number, last: number): boolean {
  const above = rows.slice(0, first);
  const below = rows.slice(last + 1).filter((row) => !NO_TEXT.test(row));
  const near = [...above.slice(-NEAR_ROWS), ...below];
  const isAny = (list: readonly string[], rules: readonly RegExp[]): boolean =>
    list.some((row) => rules.some((rule) => rule.test(row.replace(FRAME, ""))));
  return (
    below.length > ROWS_BELOW ||
    rows.slice(last + 1).filter((row) => row.trim() === "~").length > 1 ||
    isAny([...above, ...below], ANYWHERE) ||
    isAny(
      near.filter((row) => !SAID.test(row) || hasChoice(row)),
      NEAR,
    ) ||
    near.some(hasButtons) ||
    [lastBlock(above), below].some((block) => hasPointer(block)) ||
    /[:：]$/u.test((lastBlock(above).at(-1) ?? "").replace(FRAME, ""))
  );
}

/** Whether a row that begins like what a person said is a numbered choice, or has letters to choose from. */
const hasChoice = (row: string): boolean => NEAR.slice(0, 5).some((rule) => rule.test(row));

/** The rows of text that stand together right above the input. */
function lastBlock(above: readonly string[]): string[] {
  const end = above.findLastIndex((row) => !NO_TEXT.test(row)) + 1;
  const start = above.slice(0, end).findLastIndex((row) => NO_TEXT.test(row)) + 1;
  return above.slice(start, end);
}

/** Longest row of a menu; a longer one beside a pointer is what a person said, and goes on in the next row. */
const MENU_ROW = 60;

/** Whether one row of a list has a pointer, and the row beside it begins in the same column without one. */
const hasPointer = (block: readonly string[]): boolean =>
  block.some((row, at) => {
    const sign = POINTER.exec(row)?.[0];
    if (sign === undefined || row.trim().length > MENU_ROW) return false;
    const column = row.length - row.slice(sign.length).trimStart().length;
    return [block[at - 1], block[at + 1]].some(
      (beside) => beside !== undefined && /^\s+\S/u.test(beside) && beside.search(/\S/u) === column,
    );
  });

/** Whether a row is a row of buttons: two that are enclosed or begin as buttons do, or one that is drawn with blanks inside. */
function hasButtons(row: string): boolean {
  const parts = row
    .trim()
    .split(/\s{2,}(?![^[<(]*\s[\])>])|\s*[│┃|·•]\s*/u)
    .filter((part) => part !== "");
  const drawn = parts.filter((part) => /^[[<(]\s.{1,24}\s[\])>]$/u.test(part)).length;
  const named = parts.filter((part) => new RegExp(`^(?:\\W|\\d)*${BUTTON}`, "iu").test(part) && part.split(/\s+/u).length <= 4).length;
  return drawn > 0 || named > 1 || new RegExp(`^\\W*${BUTTON}(?:\\W+${BUTTON})+\\W*$`, "iu").test(row.replace(FRAME, ""));
}
