/** The configuration as a branch has it: which version of it a clone can take, and whether a later Relay wrote it. spec/git.md, "Guard". */
import { ownConfig, parseConfig } from "../../core/config/config.ts";
import { CONFIG_PATH, FORMAT } from "../../core/config/config-schema.ts";
import { FormatError } from "../../core/format/file-error.ts";
import { LIMITS } from "../../core/format/schema.ts";
import { textOf } from "../../core/noun/merge-tree.ts";
import { isPlainMode } from "../../core/tree/record.ts";
import { readAll, writeBlobs } from "../git-blobs.ts";
import { topEntry } from "../git-folders.ts";
import { gitText, type Repository } from "../git-run.ts";
import { whileAsking } from "../objects/object-process.ts";
import { sameAuthorship } from "./authorship.ts";
import { commitFiles } from "./commit-files.ts";

/** Versions of the configuration that are tried, on the first parents and then on all. */
const TRIED = 200;

/** The configuration that a commit has, as text; null where it has none that is a plain file of a lawful size and UTF-8. */
export async function configIn(repository: Repository, commit: string): Promise<string | null> {
  const key = `${repository.gitDir} ${commit}`;
  const known = read.get(key);
  if (known !== undefined) return known;
  const text = await readConfig(repository, commit);
  if (read.size >= READ_MOST) read.clear();
  // A commit never changes; a branch does.
  if (text !== null && /^[0-9a-f]{40,64}$/.test(commit)) read.set(key, text);
  return text;
}

/** Configurations that were read, by repository and commit: one sync asks for the same several times. */
const read = new Map<string, string>();
const READ_MOST = 16;

const readConfig = (repository: Repository, commit: string): Promise<string | null> =>
  whileAsking(repository, async () => {
    const file = await topEntry(repository, commit, CONFIG_PATH);
    if (file === null || !isPlainMode(file.mode)) return null;
    const bytes = (await readAll(repository, [file.id], LIMITS.configBytes)).get(file.id);
    return bytes === undefined ? null : textOf(bytes);
  });

/** The format that a commit's configuration names; 0 where it names none that is a number. */
export async function formatIn(repository: Repository, commit: string): Promise<number> {
  const text = await configIn(repository, commit);
  if (text === null) return 0;
  try {
    parseConfig(text);
    return FORMAT;
  } catch (error) {
    const format = error instanceof FormatError ? error.format : 0;
    return Number.isSafeInteger(format) && (format as number) > FORMAT ? (format as number) : 0;
  }
}

/** The newest configuration of a commit or of its history that a clone can take; null where there is none. */
async function newestGood(repository: Repository, commit: string): Promise<string | null> {
  const tip = await configIn(repository, commit);
  if (ownConfig(tip) !== null) return tip;
  const tried = new Set<string>();
  for (const along of [["--first-parent"], ["--full-history"]]) {
    const args = ["rev-list", ...along, `--max-count=${TRIED}`, commit, "--", CONFIG_PATH];
    for (const earlier of (await gitText(repository, args)).split("\n").filter((line) => line !== "")) {
      if (tried.has(earlier)) continue;
      tried.add(earlier);
      const text = await configIn(repository, earlier);
      if (ownConfig(text) !== null) return text;
    }
  }
  return null;
}

/** Whether a commit is of a home: it, or its history, has a configuration that a clone can take. */
export const holdsHome = async (repository: Repository, commit: string): Promise<boolean> =>
  (await newestGood(repository, commit)) !== null;

/**
 * A commit whose configuration a clone can take: the one given, or one on top of it with the newest that its history has.
 * Every clone makes the same one.
 */
export async function withGoodConfig(repository: Repository, commit: string): Promise<{ commit: string; isBack: boolean }> {
  const [there, good] = [await configIn(repository, commit), await newestGood(repository, commit)];
  if (good === null || good === there) return { commit, isBack: false };
  const [id] = await writeBlobs(repository, [Buffer.from(good)]);
  const files = [{ path: CONFIG_PATH, id: id as string }];
  const message = `relay: put back the last ${CONFIG_PATH} that can be read\n`;
  const env = await sameAuthorship(repository, commit);
  return { commit: await commitFiles(repository, { on: commit, files, message, env }), isBack: true };
}
