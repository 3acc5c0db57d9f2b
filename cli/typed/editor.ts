/** A text that a person writes in their editor, as git asks for one. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { refuse } from "../../protocol/core/refusal.ts";
import { askGit } from "../../protocol/git/git.ts";
import type { AnyOperation } from "../../protocol/index.ts";
import { removeFolder, writeBeside } from "../../protocol/store/beside/beside.ts";
import { withOwnPath } from "../../protocol/store/program.ts";

/** What stands above this line is the text. */
const LINE = "# ------------------------ >8 ------------------------";

/** The file of the text that is being edited; null when there is none. */
let draft: string | null = null;

/**
 * Opens git's editor (`GIT_EDITOR`, the user's `core.editor`, `VISUAL`, `EDITOR`) and gives what was written, without blank lines around it.
 * @param argument what the text is, for the lines below it
 * @throws Refusal `usage` where nothing was written or no editor can be started
 */
export async function textFromEditor(operation: AnyOperation, argument: string): Promise<string> {
  // Asked outside of the project, whose own git configuration may have come with it.
  const editor = ((await askGit(path.parse(process.cwd()).root, ["var", "GIT_EDITOR"])) ?? "").trim();
  if (editor === "") throw missing(operation, argument, "no editor is set (VISUAL, EDITOR, or git's core.editor)");
  draft = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "relay-")), `${argument}.md`);
  writeBeside(
    draft,
    `\n${LINE}\n# The ${argument} of \`relay ${operation.command}\` is the text above this line.\n# Leave it empty to do nothing.\n`,
  );
  // The editor is a line of shell, as git has it; the file is never part of that line.
  const file = process.platform === "win32" ? "%RELAY_DRAFT%" : "$RELAY_DRAFT";
  const run = spawnSync(`${editor} "${file}"`, {
    shell: true,
    stdio: "inherit",
    env: withOwnPath({ ...process.env, RELAY_DRAFT: draft }),
  });
  const [above = ""] = fs.readFileSync(draft, "utf8").split(LINE);
  const text = above.trim();
  if (run.status !== 0) {
    if (text === "") dropDraft();
    throw missing(operation, argument, `the editor (${editor}) did not start, or ended with ${run.status ?? run.signal}`);
  }
  if (text === "") {
    dropDraft();
    throw missing(operation, argument, "you wrote nothing in the editor");
  }
  return text;
}

const missing = (operation: AnyOperation, argument: string, why: string): Error =>
  refuse("usage", { problem: `The ${argument} is missing: ${why}.`, help: `See \`relay ${operation.command} --help\`.` });

/** Removes the file once its text was taken. */
export function dropDraft(): void {
  if (draft !== null) removeFolder(path.dirname(draft));
  draft = null;
}

/** Where a text is that could not be sent; null when there is none. */
export const keptDraft = (): string | null => draft;
