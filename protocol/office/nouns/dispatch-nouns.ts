/** Dispatches and their turns as files of a home. spec/office.md, "Dispatches" and "Turns". */
import type { ThreadLocation } from "../../core/format/id.ts";
import { threadId } from "../../core/format/id.ts";
import { FILE_BYTES } from "../../core/format/schema.ts";
import { agree, defineNoun, earliest, plainText, type Reference, saidBy } from "../../core/noun/noun.ts";
import { closedPath, DISPATCHES, dispatchPath, formatClosed, formatDispatch, inDispatch, parseClosed, parseDispatch } from "./dispatch.ts";
import { endPath, formatEnd, formatTurn, parseEnd, parseTurn, textPath, turnFile, turnPath } from "./turn.ts";

/** What the path of a file of a dispatch says. */
export interface OfDispatch {
  key: ThreadLocation;
}
/** What the path of a file of a turn says; turns count from 1. */
export interface OfTurn extends OfDispatch {
  turn: number;
}

const OF_DISPATCH = {
  words: ["dispatch", "dispatches"],
  at: DISPATCHES,
  section: "spec/office.md, Dispatches",
  limit: FILE_BYTES.dispatch,
  name: ({ key }: OfDispatch): string => threadId(key),
  guard: "once",
} as const;

const ofDispatch = ({ key }: OfDispatch): Reference[] => [{ kind: "dispatch", name: threadId(key), code: "dangling_turn" }];

/** A dispatch. */
export const dispatch = defineNoun({
  ...OF_DISPATCH,
  kind: "dispatch",
  path: ({ key }: OfDispatch) => dispatchPath(key),
  locate: (path) => located(path, "dispatch.md"),
  expected: "a dispatch",
  parse: (source, { key }) => parseDispatch(source, key),
  format: formatDispatch,
  author: saidBy("initiator"),
  merge: earliest("at"),
  refersTo: ({ key }) => [{ kind: "thread", name: threadId(key) }],
});

/** What says that a dispatch is closed. */
export const dispatchClosed = defineNoun({
  ...OF_DISPATCH,
  kind: "dispatch_closed",
  path: ({ key }: OfDispatch) => closedPath(key),
  locate: (path) => located(path, "closed.md"),
  expected: "the end of a dispatch",
  parse: (source) => parseClosed(source),
  format: formatClosed,
  author: saidBy("by"),
  merge: earliest("at"),
  refersTo: ofDispatch,
});

function located(path: string, name: string): OfDispatch | null {
  const found = inDispatch(path);
  return found?.rest === name ? { key: found.key } : null;
}

/** What the files of a turn have in common. */
const ofTurn = <const Kind extends "turn" | "turn_end" | "turn_text">(kind: Kind, pathOf: (key: ThreadLocation, turn: number) => string) =>
  ({
    ...OF_DISPATCH,
    kind,
    words: ["turn", "turns"],
    section: "spec/office.md, Turns",
    name: ({ key, turn: n }: OfTurn): string => `${threadId(key)}/${n}`,
    path: ({ key, turn: n }: OfTurn): string => pathOf(key, n),
    locate(path: string): OfTurn | null {
      const found = inDispatch(path);
      const file = found === null ? null : turnFile(found.rest);
      return found !== null && file?.file === kind ? { key: found.key, turn: file.turn } : null;
    },
    // An end and a text are of a turn, and a turn follows the one before it.
    refersTo: (place: OfTurn) => [...ofDispatch(place), ...turnBefore(place.key, kind === "turn" ? place.turn - 1 : place.turn)],
  }) as const;

const turnBefore = (key: ThreadLocation, n: number): Reference[] =>
  n === 0 ? [] : [{ kind: "turn", name: `${threadId(key)}/${n}`, code: "dangling_turn" }];

/** The beginning of a turn. */
export const turn = defineNoun({
  ...ofTurn("turn", turnPath),
  expected: "the beginning of a turn",
  parse(source, { turn: n }) {
    const read = parseTurn(source);
    agree(source, "turn", read.turn, n);
    return read;
  },
  format: formatTurn,
  merge: earliest("at"),
});

/** The end of a turn. */
export const turnEnd = defineNoun({
  ...ofTurn("turn_end", endPath),
  expected: "the end of a turn",
  parse(source, { turn: n }) {
    const read = parseEnd(source);
    agree(source, "turn", read.turn, n);
    return read;
  },
  format: formatEnd,
  merge: earliest("at"),
});

/** The whole final text of a turn that is too long for a message. */
export const turnText = defineNoun({
  ...ofTurn("turn_text", textPath),
  limit: FILE_BYTES.turnText,
  expected: "a text",
  parse: plainText,
  format: (text) => text,
});
