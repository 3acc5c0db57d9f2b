/** `relay export --html`: the page of one moment as a file, for people without a clone. */
import fs from "node:fs";
import path from "node:path";
import { documentOf } from "../../dashboard/server/export/document.ts";
import { collectAnswers } from "../../dashboard/server/export/questions.ts";
import { readFiles } from "../../dashboard/server/files.ts";
import { openPage } from "../../dashboard/server/page.ts";
import { realFolder } from "../../protocol/core/home/find-home.ts";
import { refuse } from "../../protocol/core/refusal.ts";
import { EXIT, HUMAN, worldAtRecord } from "../../protocol/index.ts";
import { createWhole, ensureFolder } from "../../protocol/store/beside/own-folder.ts";
import { inProject, refuseLinked } from "../../protocol/store/beside/user-file.ts";
import type { Common } from "../commands.ts";
import { writeJson } from "../print/output.ts";
import { plainLine } from "../print/words.ts";

interface Options extends Common {
  html?: string;
}

const FILE = "index.html";

/** Writes the file; gives the exit code. @throws Refusal `usage`, `no_home`, `through_link`, `unknown_part`, `unknown_commit`, `no_repository` */
export async function exportPage(options: Options, version: string): Promise<number> {
  if (options.html === undefined)
    throw refuse("usage", { problem: "--html: expected a folder, given nothing.", help: "Example: `relay export --html page`." });
  if (/^(-|\s*$)/.test(options.html))
    throw refuse("usage", {
      problem: `--html: expected a folder, given ${JSON.stringify(options.html)}.`,
      help: "Example: `relay export --html page`. Put ./ before a name that begins with -.",
    });
  const page = openPage({ home: options.home, part: options.part ?? HUMAN, readOnly: true });
  const folder = path.resolve(options.html);
  if (isInside(page.root, folder))
    throw refuse("usage", {
      problem: `--html: ${folder} lies in the home, and would be recorded and shared with it. Nothing was written.`,
      help: "Name a folder outside of the home.",
    });
  // Below here it may be a link of the code's.
  const within = path.relative(process.cwd(), path.join(folder, FILE));
  const isWithin = !within.startsWith("..") && !path.isAbsolute(within);
  if (isWithin) refuseLinked(process.cwd(), within.replaceAll(path.sep, "/"));
  page.stream.close();
  const past = options.at === undefined ? null : (await worldAtRecord(page.reader, options.at)).past;
  const commit = past?.commit ?? null;
  const at = past == null ? new Date().toISOString() : new Date(past.atMs).toISOString();
  const { answers, leftOut } = await collectAnswers(page, commit);
  const about = { name: page.name, part: page.part, readOnly: true, version } as const;
  const text = documentOf(readFiles(path.join(__dirname, "dashboard")), { page: about, at, commit, leftOut, answers });
  const file = path.join(folder, FILE);
  if (!isWithin) ensureFolder(folder);
  if (!(isWithin ? inProject(process.cwd(), file, (own) => createWhole(own, text)) : createWhole(file, text)))
    throw refuse("usage", { problem: `--html: ${file} exists, so nothing was written.`, help: "Name another folder, or remove the file." });
  const bytes = Buffer.byteLength(text);
  if (options.json === true) writeJson({ schema: 1, success: true, file, bytes, at, commit, leftOut });
  else process.stdout.write(`${file} (${Math.ceil(bytes / 1_000)} kB). Open it in a browser.\n`);
  for (const words of leftOut) process.stderr.write(`relay: left out: ${plainLine(words)}\n`);
  return EXIT.ok;
}

/** Whether a folder, be it there or not, lies in a home. */
function isInside(root: string, folder: string): boolean {
  let at = folder;
  while (!fs.existsSync(at)) at = path.dirname(at);
  return `${realFolder(at)}${path.sep}`.startsWith(`${root}${path.sep}`);
}
