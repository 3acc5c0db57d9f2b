/** `relay export --html`: the page of one moment as a file, for people without a clone. */
import path from "node:path";
import { documentOf } from "../../dashboard/server/export/document.ts";
import { collectAnswers } from "../../dashboard/server/export/questions.ts";
import { readFiles } from "../../dashboard/server/files.ts";
import { openPage } from "../../dashboard/server/page.ts";
import { EXIT, HUMAN, worldAtRecord } from "../../protocol/index.ts";
import { createWhole, ensureFolder, refuse } from "../../protocol/internal.ts";
import type { Common } from "../commands.ts";

interface Options extends Common {
  html?: string;
}

const FILE = "index.html";

/** Writes the file; gives the exit code. @throws Refusal `usage`, `no_home`, `unknown_part`, `unknown_commit`, `no_repository` */
export async function exportPage(options: Options, version: string): Promise<number> {
  if (options.html === undefined)
    throw refuse("usage", { problem: "--html: expected a folder, given nothing.", help: "Example: `relay export --html page`." });
  const page = openPage({ home: options.home, part: options.part ?? HUMAN, readOnly: true });
  page.stream.close();
  const past = options.at === undefined ? null : (await worldAtRecord(page.reader, options.at)).past;
  const commit = past?.commit ?? null;
  const at = past == null ? new Date().toISOString() : new Date(past.atMs).toISOString();
  const { answers, leftOut } = await collectAnswers(page, commit);
  const about = { name: page.name, part: page.part, readOnly: true, version } as const;
  const text = documentOf(readFiles(path.join(__dirname, "dashboard")), { page: about, at, commit, leftOut, answers });
  const folder = path.resolve(options.html);
  ensureFolder(folder);
  const file = path.join(folder, FILE);
  if (!createWhole(file, text))
    throw refuse("usage", { problem: `--html: ${file} exists, so nothing was written.`, help: "Name another folder, or remove the file." });
  const bytes = Buffer.byteLength(text);
  if (options.json === true) process.stdout.write(`${JSON.stringify({ schema: 1, success: true, file, bytes, at, commit, leftOut })}\n`);
  else process.stdout.write(`${file} (${Math.ceil(bytes / 1_000)} kB). Open it in a browser.\n`);
  for (const words of leftOut) process.stderr.write(`relay: left out: ${words}\n`);
  return EXIT.ok;
}
