/** Prints the beginning of a part's turn: the same words that a tool answers. */
import { turnWords } from "../../../protocol/internal.ts";
import type { Answer, Style } from "../style.ts";

/** What is new for a part, with what to type. */
export const printNext = (answer: Answer<"next"> | Answer<"wait">, style: Style): string => turnWords(answer, "command", style.now);
