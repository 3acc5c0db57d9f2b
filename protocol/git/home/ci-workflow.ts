/** The workflow that checks the home in CI. spec/commands.md, "init". */
import fs from "node:fs";
import path from "node:path";
import { codeRepository } from "../../core/home/find-home.ts";
import { refuse } from "../../core/refusal.ts";
import { createBeside, says } from "../../store/beside/beside.ts";
import { refuseLinked } from "../../store/beside/user-file.ts";

/** Where a code repository keeps the workflow that checks its home, from the top of its working tree. */
const WORKFLOW = ".github/workflows/relay.yml";

/**
 * Says before anything is written whether the workflow can be.
 * @returns its absolute path
 * @throws Refusal `not_in_git`; `file_differs` where another file has its name
 */
export function workflowPath(from: string, text: string): string {
  const top = codeRepository(from)?.top ?? null;
  if (top === null) throw refuse("not_in_git", { path: from, hint: "The workflow is a file of the code, so run this in a repository" });
  refuseLinked(top, WORKFLOW);
  const file = path.join(top, WORKFLOW);
  if (fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined && !isWorkflow(file, text))
    throw refuse("file_differs", { path: WORKFLOW });
  return file;
}

/** Writes the workflow. @returns whether it says where runners get Relay @throws Refusal `file_differs` */
export function writeWorkflow(file: string, text: string): boolean {
  if (createBeside(file.slice(0, -WORKFLOW.length), file, text) === "differs" && !isWorkflow(file, text))
    throw refuse("file_differs", { path: WORKFLOW });
  return !/^ +RELAY_PACKAGE: ""$/m.test(says(file) ?? "");
}

/** Whether a file is the workflow, wherever it says that runners get Relay: that is for people to set. */
function isWorkflow(file: string, text: string): boolean {
  const rest = (said: string | null): string | undefined => said?.replace(/^( +RELAY_(?:PACKAGE|SUMMARIES):).*$/gm, "$1");
  return rest(says(file)) === rest(text);
}
