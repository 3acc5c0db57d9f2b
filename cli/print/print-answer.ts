/** Prints for people: an answer. */
import { contents } from "./contents.ts";
import { printers } from "./printers.ts";
import type { Style } from "./style.ts";
import { plain, plainLine } from "./words.ts";

/** The same answer with every text made safe for a terminal. */
function withoutControls(value: unknown): unknown {
  if (typeof value === "string") return plain(value);
  if (Array.isArray(value)) return value.map(withoutControls);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutControls(each)]));
}

const printerOf = (operation: string): ((answer: never, style: Style, input: Record<string, unknown>) => string) | undefined =>
  Object.hasOwn(printers, operation) ? printers[operation as keyof typeof printers] : undefined;

/** What a person sees of an answer. */
export function printAnswer(operation: string, answer: Record<string, unknown>, style: Style, input: Record<string, unknown>): string {
  const safe = withoutControls(answer) as Record<string, unknown>;
  const text = printerOf(operation)?.(safe as never, style, input) ?? JSON.stringify(safe, null, 2);
  const problems = (safe["problems"] as { path: string; line?: number; problem: string }[] | undefined) ?? [];
  const skipped = problems.map(({ path, line, problem }) =>
    style.yellow(`skipped ${plainLine(path)}${line === undefined ? "" : `:${line}`}: ${plainLine(problem)}`),
  );
  return [text, ...skipped].join("\n").toWellFormed();
}

/** What an operation prints of an answer, where that is somebody's text and nothing else. */
export interface Content {
  /** Byte for byte into a file or a pipe; made safe for a terminal. Empty where there is none. */
  text: string;
  /** What to say beside it: that there is none, or where it came from. */
  beside?: string | undefined;
}

/** The text that an operation was asked for; null when its answer is more than that. */
export function contentOf(operation: string, answer: Record<string, unknown>, terminal: boolean): Content | null {
  const found = contents[operation]?.(answer);
  if (found === undefined) return null;
  if (found.text === null) return { text: "", beside: found.beside };
  return { text: terminal ? plain(found.text).replace(/\n?$/, "\n") : found.text, beside: found.beside };
}
