/**
 * A home that is files of the code: what git must not ignore of it, and how git merges its files. spec/git.md, "In the tree".
 */

import fs from "node:fs";
import path from "node:path";
import { formatTask, parseTask } from "../../board/nouns/task.ts";
import { mergeConfig } from "../../core/config/merge-config.ts";
import { succeeds } from "../../core/format/file-error.ts";
import { type Finding, finding } from "../../core/format/finding.ts";
import { shellWord } from "../../core/format/shell-word.ts";
import { codeRepository, HOME_FOLDER } from "../../core/home/find-home.ts";
import type { Starter } from "../../core/names.ts";
import { textOf } from "../../core/noun/merge-tree.ts";
import { placeOf } from "../../core/tree/layout.ts";
import { askGit, git } from "../../git/git.ts";
import { IN_TREE_ATTRIBUTES } from "../../git/home/create-home.ts";
import { ensureLine, writeBeside } from "../../store/beside/beside.ts";
import { refuseLinked } from "../../store/beside/user-file.ts";
import { sha256 } from "../../store/digest.ts";
import { readPlain, readPlainText } from "../../store/read/plain-file.ts";
import { storeAt } from "../../store/root.ts";
import { publish } from "../../store/write/publish.ts";
import { planMerge } from "../nouns/merge.ts";

/** A path of each kind of file, and what it stands for. */
const PLACES: Readonly<Record<string, string>> = {
  "relay.yml": "relay.yml",
  "threads/2026-01-31/t-20260131-k3f9x2ab/1-1kg9p6je0khyvdn0me1qn97a8.md": "threads/",
  "inbox/web/new/m-20260131-k3f9x2ab-1-1kg9p6je0khyvdn0me1qn97a8.md": "inbox/",
  "sessions/2026-01-31-001-K3F9/tasks/task-k3f9x2ab7q.md": "sessions/",
  "sessions/2026-01-31-001-K3F9/summary.md": "sessions/",
  "session-agents-2026-01-31-001-K3F9.yml": "session-agents-*.yml",
  "agents.pool.yml": "agents.pool.yml",
  "memory/project.md": "memory/",
  "org/office.yml": "org/",
  "dispatches/2026-01-31/k3f9x2ab/dispatch.md": "dispatches/",
  "archive/2026-01/t-20260131-k3f9x2ab.md": "archive/",
  "events/2026-01-31/k3f9x2ab.jsonl": "events/",
};

/** Finds what the code's git ignores of a home: it reaches no commit. @param root absolute path of the home */
export async function ignoredPlaces(root: string): Promise<Finding[]> {
  const asked = Object.keys(PLACES);
  const said = await askGit(root, ["check-ignore", "--no-index", "--verbose", "--", ...asked]);
  const ignored = new Map<string, string>();
  for (const answer of (said ?? "").split("\n")) {
    const [, file, line, pattern = "", asPath = ""] = /^(.*?):(\d+):(.*)\t([^\t]+)$/.exec(answer) ?? [];
    const place = PLACES[asPath];
    if (place !== undefined && !pattern.startsWith("!")) ignored.set(place, `${file}:${line} "${pattern}"`);
  }
  return [...ignored].map(([place, by]) => finding("ignored_by_git", { path: place }, `ignored by ${by}`, "a rule that leaves it to git"));
}

const DRIVER = "merge.relay.driver";

/** The command by which git merges a file of a home. */
const driverOf = ({ program, args }: Starter): string =>
  [...[program, ...args].map(shellWord), "merge-file", "--", "%O", "%A", "%B", "%P"].join(" ");

/** Whether this clone of the code merges the files of its home by Relay. */
export async function hasMergeDriver(root: string): Promise<boolean> {
  const names = succeeds(() => {
    if (!readPlainText(path.join(root, ".gitattributes")).includes("merge=relay")) throw new Error("it does not");
  });
  return names && (await askGit(root, ["config", DRIVER])) !== null;
}

/** Has git merge the files of a home by Relay, in this clone of the code. @throws Refusal `through_link`: git writes its settings through one */
export async function setMergeDriver(root: string, starter: Starter): Promise<void> {
  const top = path.dirname(root);
  refuseLinked(codeRepository(top)?.commonDir ?? top, "config");
  ensureLine(path.join(root, ".gitattributes"), IN_TREE_ATTRIBUTES);
  await git(top, ["config", "--local", "merge.relay.name", "Relay merges files of a home"]);
  await git(top, ["config", "--local", DRIVER, driverOf(starter)]);
}

/** Absolute paths of three versions of a file; that of the base is empty where there is none. */
interface Versions {
  base: string;
  ours: string;
  theirs: string;
}

/**
 * Merges a file of a home as git asks for it, into the file of our side. What gives way is kept beside its name.
 * @param top absolute path of the worktree
 * @param at path of the file in the worktree
 * @returns false where a conflict is left
 */
export async function mergeFile(top: string, files: Versions, at: string): Promise<boolean> {
  const inHome = at.slice(HOME_FOLDER.length + 1);
  // Whoever wrote the branch could lay a folder of that name, or a link, anywhere else.
  const place = at.startsWith(`${HOME_FOLDER}/`) ? placeOf(inHome) : null;
  if (place === null || place.kind === "ignored" || place.kind === "machine")
    return (await askGit(top, ["merge-file", files.ours, files.base, files.theirs])) !== null;
  const read = (file: string): string | null => textOf(readPlain(file));
  const [base, ours, theirs] = [read(files.base), read(files.ours), read(files.theirs)];
  if (base === null || ours === null || theirs === null) return false;
  if (place.kind === "config") {
    // The merge of homes with a repository takes such a file for another's.
    const [lead, other] = sha256(ours) < sha256(theirs) ? [ours, theirs] : [theirs, ours];
    const { text, isWhole } = mergeConfig(base === "" ? null : base, lead, other);
    if (isWhole) writeBeside(files.ours, text);
    return isWhole;
  }
  const texts = new Map<string, string>();
  const tree = (text: string, isThere = true): Map<string, string> => {
    const id = sha256(text);
    texts.set(id, text);
    return new Map(isThere ? [[inHome, id]] : []);
  };
  const outcomes = planMerge(tree(base, base !== ""), tree(ours), tree(theirs), undefined, sha256).run((id) => texts.get(id) ?? "");
  for (const [name, outcome] of outcomes) {
    if ("absent" in outcome) continue;
    const text = "take" in outcome ? (texts.get(outcome.take) ?? "") : outcome.content;
    if (name === inHome) writeBeside(files.ours, place.kind === "task" ? byItsClaims(place.task, text, [base, ours, theirs]) : text);
    else publish(storeAt(path.join(fs.realpathSync.native(top), HOME_FOLDER)), name, text);
  }
  return true;
}

/** A task whose claims both sides changed: whoever reads it next takes it as the merged chain says, so it knows of none that one side lacks. */
function byItsClaims(id: string, text: string, [base, ...sides]: [string, string, string]): string {
  const fence = (source: string): number => (source === "" ? 0 : parseTask(source, id).fence);
  try {
    const [was, ...is] = [fence(base), ...sides.map(fence)];
    if (is.includes(was)) return text;
    return formatTask({ ...parseTask(text, id), fence: was });
  } catch {
    return text;
  }
}
