/** A file of somebody's that is not what its name says, and what the files that are changed as text have in common. */

/** What is wrong, and where. */
export class TextFault extends Error {
  /** Counted from 1. */
  readonly line: number;
  constructor(line: number, problem: string) {
    super(problem);
    this.name = "TextFault";
    this.line = line;
  }
}

/** The fault at a place of a text. */
export function textFault(text: string, offset: number, problem: string): TextFault {
  return new TextFault(text.slice(0, offset).split("\n").length, problem);
}

/** The fault at the first line that has some words. */
export function faultAt(text: string | null, words: string, problem: string): TextFault {
  return new TextFault(Math.max(1, (text ?? "").split("\n").findIndex((line) => line.includes(words)) + 1), problem);
}

/** The same text with every line but the first further in. */
export function indented(text: string, indent: string, eol: string): string {
  return text.split("\n").join(`${eol}${indent}`);
}
