/** A word where a text is wanted, that was meant as the name of a file: the text would be lost, and the word kept for it. */
import type { AnyOperation } from "../../protocol/index.ts";
import { refuse, shellWord } from "../../protocol/internal.ts";

/** Texts that lie in files mostly. A summary of one word says nothing, so there any word is taken for a name. */
const FROM_FILES = new Set(["summary", "content", "state"]);
const NAMES_A_FILE = /\.(?:md|markdown|txt|json|ya?ml|html?)$/i;

/**
 * Refuses a text that is the name of a file.
 * @param place how the argument is typed: `--summary`, `<content>`
 * @throws Refusal `usage`
 */
export function requireText(text: string, operation: AnyOperation, argument: string, place: string): void {
  if (!FROM_FILES.has(argument) || text === "" || /\s/.test(text) || /^[a-z][\w+.-]*:\/\//i.test(text)) return;
  if (argument !== "summary" && !NAMES_A_FILE.test(text) && !isFile(text)) return;
  throw refuse("usage", {
    problem: `${place} takes the text itself, and ${JSON.stringify(text)} is one word${isFile(text) ? ", the name of a file here" : ""}; nothing was written.`,
    help: `To give the contents of a file, use -: \`relay ${operation.command} … ${place.startsWith("--") ? `${place} ` : ""}- < ${shellWord(text)}\`.`,
  });
}

function isFile(name: string): boolean {
  try {
    return process.getBuiltinModule("node:fs").statSync(name).isFile();
  } catch {
    // Also a text that no file could be named by.
    return false;
  }
}
