/**
 * The screen of a program without a profile: whether it may ask something that Enter would answer. Only a screen that shows
 * nothing of the kind is typed into. This file starts nothing. spec/waking.md, "Waking in tmux".
 */

/** What encloses a row or parts it from the next. */
const FRAME = /^[\s│┃║|╎▌█]+|[\s│┃║|╎▐█]+$/gu;
const NO_TEXT = /^[\s\u2500-\u259f_=~-]*$/u;

/** Signs that stand before a chosen row, and before what a person said. */
const POINTER = /^\s*(?:(?:[>❯›»⟩→▸►▶▷➤➜◆●◉▌*]|[-=]+>)\s)/u;
const SAID = /^[>❯›]\s/u;

const YES_NO = String.raw`(?:yes|no|all|always|never|once|quit|abort|skip|ja|nein|oui|non|sí|si|\p{L}|\?|!)`;
/** Choices that close a row: `[y/n/t]:`, `(Y/n)`, `[y,n,q]?`. What was answered has its answer behind it. */
const LETTERS = String.raw`[[({<]\s*${YES_NO}(?:(?:\s*[/|]\s*|,)(?:${YES_NO}|\d))+\s*[\])}>]`;
/** A verb behind "enter" that says how a text is sent. */
const SENDS = "(?:send|sends|newline|new|steer|queue|insert)\\b";
const BUTTON =
  "(?:y|n|allow|approve|accept|always|never|yes|no|ok|okay|confirm|trust|deny|reject|decline|cancel|abort|retry|skip|continue|ignore|discard|don't|do not|not now|run|apply|save|submit|close|dismiss|exit|restart|later)\\b";
/** A key by its name, as rows of keys have it. */
const KEY = String.raw`(?:f\d{1,2}|(?:ctrl|control|alt|option|cmd|meta|shift|[\^⌃⌥⌘])\s?[-+ ]?\s?\p{L}\b|tab|space|return|delete|backspace)`;
/** Acts of the keys of an input line; a key for anything else is the answer to a question. */
const KEY_SAFE =
  /\b(?:send|newline|new ?lines?|quit|exit|leave|help|commands?|shortcuts?|keys|modes?|thinking|search|sidebar|tabs?|history|editor|agents?|models?|paste|image|attach|fullscreen|palette|interrupt|stop|transcript|verbose|details?|expand|collapse|clear|suspend|background|theme|variants?|todos?|tasks?|cycle|complete|copy|scroll|redraw|undo|logs?|menu|options|plan|session|files?)\b/iu;
const KEY_ROW = new RegExp(`^\\W*${KEY}(?:\\s+(?:to|for)\\b|[:=]|\\s)\\s*(\\p{L}[\\p{L} -]*)`, "iu");

/** Signs of a question, wherever they stand on the screen. */
const ANYWHERE: readonly RegExp[] = [
  new RegExp(`${LETTERS}\\W*$`, "iu"),
  /\b(?:allow|proceed|continue|approve|apply|execute|trust|accept|overwrite|delete|confirm|want to)\b.*[?？]\W*$/iu,
  // How a question is answered.
  /(?:\b(?:enter|escape|esc)\b|[⏎↵])\W{0,3}(?:to |for )?(?:confirm|select|choose|accept|approve|allow|apply|trust|continue|toggle)/iu,
  /(?:↑|↓|⇆|←→|\barrow[- ]keys?|\bspace)\W{0,4}(?:to\s+)?(?:navigate|select|move|choose|toggle|change|switch)\b/iu,
  /\bany key\b/iu,
  // Pagers and editors.
  /^--\s?more\s?--|^-- MOST: |[◀◂]\s.*\s[▶▸]|\bF\d{1,2}\s?\p{L}+\W+F\d|\(END\)$|^lines \d+-\d+|^ ?Manual page |^HELP -- Press RETURN|\(press h for help or q to quit\)/iu,
  /^-- ?(?:INSERT|REPLACE|VISUAL|NORMAL)\b.*--|^(?:INS|NOR|SEL)\s|\^[A-Z\\_] \w+.*\^[A-Z\\_] \w+|^-[-U:*%]{3,}/u,
];

/** Signs of a question about the input line. */
const NEAR: readonly RegExp[] = [
  new RegExp(`${LETTERS}|\\by(?:es)?\\s*(?:/|\\||or)\\s*no?\\b`, "iu"),
  // (Y)es, [N]o.
  /(?<![\p{L}\d_])[[(]\p{L}[\])]\p{L}/u,
  /^\s*(?:[\u2460-\u24ff]|\d\ufe0f?\u20e3)|^\W*(?:[[<(]\p{L}[\p{L} ]*[\])>]\W*){2,}$/u,
  // Numbered or lettered choices, check boxes and radio buttons.
  /^\W*[[(]?\d{1,2}(?:[\]).:]|\s[-–—])\s+\S/u,
  /^\W*[[(]?\p{L}[\])]\s+\S/u,
  /^\s*(?:[>❯›*-]\s+)?(?:\[[ xX✓✔*•-]?\]|\([ xX*•]?\)|[◉○◯☐☑☒◻◼])\s/u,
  // Run (r), skip (s); accept with a, reject with r.
  /(?:^|\s)[[<]\p{Ll}[\]>]\s+\p{Ll}|\p{L}+: (?:<\p{L}+>|\p{L}) *[|·,].*\p{L}+: (?:<\p{L}+>|\p{L})(?!\p{L})/u,
  /\p{L}+ \(\p{L}\)\W.*\p{L}+ \(\p{L}\)|\p{L}+ with ["'`]?\p{L}["'`]?\b\W+(?:\p{L}+\W+){1,3}with ["'`]?\p{L}\b/iu,
  /(?<!\p{L})(?:ja|yes|是|はい|예)\s*[/|]\s*(?:nein|no|否|いいえ|아니오)(?![\p{L}])/iu,
  /(?:ますか|ですか|でしょうか|吗|呢|습니까|까요)\s*[。.]?$/u,
  /[?？؟](?:\s*[[(<][^\])>]*[\])>])?\s*[:：›>"'”’)\]]*$/u,
  new RegExp(`(?:\\benter\\b|[⏎↵])\\W{0,3}(?:(?:to|for)\\s+)?(?!${SENDS})\\p{L}`, "iu"),
  /\b(?:press|hit|strike|hold|tap)\s+(?:any|enter|return|esc|space|tab|a |the |["'`<[(]?\p{L}["'`>\])]?\s)/iu,
  /^\W*(?:type|say|answer|reply)\s+(?![/@!#$?]|.*\b(?:message|prompt|question|task|request|help)\b)[^.]*\s+to\b|^\W*waiting for\b/iu,
  // What begins by itself unless somebody is quick.
  /\bin \d+\s?(?:s|sec|seconds?)\b.*\b(?:unless|stops?|cancels?|to)\b|\bunless you\b/iu,
  /\b(?:type|say|answer|reply|write)\s+(?:with\s+)?["'`“‘]?(?:y|yes|n|no|ok|approve|confirm|a number|the number|\d+|your(?! (?:message|prompt|question|request|task)))\b/iu,
  /\b(?:esc|escape)\b\W{0,3}(?:to\s+)?(?:cancel|back|reject|deny|close|dismiss|skip|exit|leave|go)\b/iu,
  /^\W*(?:select|choose|pick|confirm|allow|approve|permit|grant|authori[sz]e)\b/iu,
  /\bto (?:confirm|approve|proceed|accept|continue|deny|reject|abort|allow|trust|select|choose)\b/iu,
  // y = yes, n = no.
  /(?<!\p{L})\p{L}\s*[=:]\s*\p{L}+\W+\p{L}\s*[=:]\s*\p{L}/u,
  /\b(?:approval|permission|confirmation|authori[sz]ation|consent)\b.*\b(?:required?|requests?|requested|needed|pending)\b/iu,
  /\b(?:requires?|needs?)\b.*\b(?:you|your|input|answer|decision|approval|permission|confirmation|authori[sz]ation|consent)\b/iu,
  /\b(?:required?|requests?|requested|needed|pending)\b.*\b(?:approval|permission|confirmation|authori[sz]ation|consent)\b/iu,
  /\b(?:accept|approve|allow|keep)\s+(?:or|and)\s+(?:reject|deny|decline|discard|undo)\b|(?:^|\s):w?q\b|↑\W{0,3}↓.*\benter\b/iu,
  /\b(?:waiting|waits?|awaiting)\b.*\b(?:approval|permission|confirmation|answer|you|input|decision)\b/iu,
  /\b(?:password|passphrase|passcode|pin|otp|code|api[ -]?key|token|secret)\b.*[:：]$|\b(?:password|passphrase|passcode|pin|otp|verification code)$|^\W*(?:enter|paste|type)\b.*\b(?:password|key|token|code|secret)\b/iu,
  // Finders, and the prompt of an interpreter.
  /^\d+\/\d+(?:\s*\(\d+\))?[\s─-]*$|^Type "\.help"|^Lua(?:JIT)? \d|^exit using ctrl/u,
  /\bctrl-\w(?: \w)? for help\b|\brow \d+\s+col \d+/iu,
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
    near.some(
      (row, at) =>
        hasButtons(row) ||
        hasKeys(row) ||
        (isPaired(row) && ![near[at - 1], near[at + 1]].some((beside) => /\S\s{2,}\S/u.test(beside?.replace(FRAME, "") ?? ""))),
    ) ||
    [lastBlock(above), below].some((block) => hasPointer(block)) ||
    asksBare(lastBlock(above).map((row) => row.replace(/[│┃║|╎]/gu, " ").trimEnd()))
  );
}

/** Words of a question, or of a demand, that has no sign of one. */
const ASKING = new RegExp(
  String.raw`^(?:which|what|who|how|should|shall|would|do|are|may|please|tell|give|provide|describe|explain|insert|touch|paste|enter|pick|name (?:the|an?|your)|override|run(?! /)|grant)\b|` +
    String.raw`\b(?:are you sure|really|unsaved|dangerous|overwrite|discard|agree|licen[cs]e|log ?in|sign (?:in|up)|unlock|unseal|credentials?|authori[sz]ation|override|wants? to|or later|everything|cannot be undone|do differently|your (?:phone|e-?mail|device|browser)|security key|e-?mail)\b|` +
    String.raw`\b(?:pick|choose|select|resume) (?:an?|one|the|your)\b|\bkeep (?:mine|theirs|ours|both)\b|\b(?:approve|accept|reject|allow|deny|confirm|run|apply) (?:it|this|them)\b`,
  "iu",
);

/** Tells whether the rows right above an input ask without a sign: the last ends as no sentence does, and says what is wanted. */
function asksBare(block: readonly string[]): boolean {
  const [first = "", last = ""] = [block[0], block.at(-1)].map((row) => row?.trim());
  if (ASKED_FOR.test(last) || /[*•●]{4}$/u.test(first) || /\b(?:you|I) (?:agree|accept)\b/u.test(last)) return true;
  const isMenu =
    block.length > 2 &&
    block.length < 9 &&
    /^\p{Lu}[^.:]*$/u.test(first) &&
    block.slice(1).every((row) => /^\s+\p{L}+(?: \p{L}+){0,2}$/u.test(row));
  const isLettered = block.filter((row) => /^\W*\p{Ll}\.\s+\S/u.test(row)).length > 1;
  return isMenu || isLettered || (!/[.!。…]$/u.test(last) && [first, last].some((row) => /^\p{L}/u.test(row) && ASKING.test(row)));
}

/** The row right above an input that says what is to be written there: it ends in a colon, or in a default, or is a field's name. */
const ASKED_FOR =
  /[:：](?:\s*[([<].{0,40}[)\]>])?$|^[Ss]tep \d+ (?:of|\/) ?\d+\b|^\p{Lu}(?:[\p{L}-]+ ){0,3}[\p{L}-]*(?:[Mm]essage|[Nn]ame|[Tt]itle|[Dd]escription|[Mm]ail|[Aa]ddress|URL|[Pp]ath|[Bb]ranch|[Tt]ag|[Vv]ersion|[Pp]ort|[Rr]eason)$/u;

/** The pieces of a row that wide gaps or signs part. */
const piecesOf = (row: string): string[] =>
  row
    .replace(FRAME, "")
    .split(/\s{2,}|\s*[│┃|·•,]\s+/u)
    .filter((piece) => piece !== "");

/** Tells whether a row gives keys for anything that is not done to an input line. */
function hasKeys(row: string): boolean {
  const pieces = piecesOf(row);
  const letters = pieces.filter((piece) => /^\p{Ll} \p{L}{2,12}$/u.test(piece)).length;
  const does = pieces.flatMap((piece) => KEY_ROW.exec(piece)?.[1] ?? []);
  return letters > 1 || does.some((words) => !KEY_SAFE.test(words));
}

/** Tells whether a row is a few titles of at most three words with wide gaps: buttons, unless the row beside it is like it. */
function isPaired(row = ""): boolean {
  const pieces = row.replace(FRAME, "").split(/\s{2,}/u);
  return (
    pieces.length > 1 &&
    pieces.length < 6 &&
    pieces.every((piece) => /^(?:\d{1,2} |[^\p{L}\p{N}\s]+ )?\p{Lu}[\p{L}'’]*(?: [\p{L}'’]+){0,2}$/u.test(piece))
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
const hasPointer = (framed: readonly string[]): boolean =>
  framed
    .map((row) => row.replace(/[│┃║|╎]/gu, " ").trimEnd())
    .some((row, at, block) => {
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
  const isAlone = parts.length === 1 && named === 1 && /^\s{6}/u.test(row) && (parts[0] as string).split(" ").length < 3;
  return drawn > 0 || named > 1 || isAlone || new RegExp(`^\\W*${BUTTON}(?:\\W+${BUTTON})+\\W*$`, "iu").test(row.replace(FRAME, ""));
}
