/** The few things Relay writes beside the home, in the code's repository: never its files, index or refs. spec/commands.md, "What Relay touches". */
import fs from "node:fs";
import path from "node:path";
import { quietly } from "../../core/format/file-error.ts";
import { refuse } from "../../core/refusal.ts";
import { thisThread } from "../process.ts";
import { readPlain, readPlainText } from "../read/plain-file.ts";
import { errorCode, flushAt } from "../root.ts";
import { inProject, refuseLinked } from "./user-file.ts";

/** Adds a line to a text file of a git directory or of a home unless it has it. @returns whether it was added @throws Refusal `through_link` where it is a link, or lies in one; `malformed_file` */
export function ensureLine(file: string, line: string): boolean {
  const folder = path.dirname(file);
  const top = path.dirname(folder);
  refuseLinked(top, `${path.basename(folder)}/${path.basename(file)}`);
  return inProject(top, file, (own) => {
    let before = "";
    let mode: number | undefined;
    try {
      const stat = fs.lstatSync(own);
      if (!stat.isFile()) throw refuse("malformed_file", { path: file, problem: "expected a plain file" });
      mode = stat.mode & 0o777;
      before = readPlain(own, fs.constants.O_NOFOLLOW ?? 0).toString("utf8");
    } catch (error) {
      if (errorCode(error) !== "ENOENT") throw error;
    }
    if (before.split(/\r?\n/).includes(line)) return false;
    writeBeside(own, `${before}${before === "" || before.endsWith("\n") ? "" : "\n"}${line}\n`, mode);
    return true;
  });
}

/** Puts a copy in the place of a file that has another name, too, which may be one of another project (`cp -al`), before something is appended to it. */
export function unshare(file: string): void {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  if (stat?.isFile() !== true || stat.nlink < 2) return;
  const aside = `${file}.${thisThread()}.tmp`;
  fs.copyFileSync(file, aside, fs.constants.COPYFILE_EXCL);
  fs.renameSync(aside, file);
}

/** Replaces a small file whole; a loss of power after it leaves the new one. @param mode the rights of the new one; the usual ones without it */
export function writeBeside(file: string, text: string, mode?: number): void {
  const aside = `${file}.${thisThread()}.tmp`;
  fs.writeFileSync(aside, text, { flag: "wx", flush: true });
  if (mode !== undefined) fs.chmodSync(aside, mode);
  fs.renameSync(aside, file);
  flushAt(path.dirname(file));
}

/** Writes a small file of a project unless there is one. @returns `differs` when there is another one, which stays @throws Refusal `through_link` */
export function createBeside(top: string, file: string, text: string): "created" | "same" | "differs" {
  try {
    inProject(top, file, (own) => fs.writeFileSync(own, text, { flag: "wx" }));
    return "created";
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    return says(file) === text ? "same" : "differs";
  }
}

/** The text of a file; null when it is missing, or not a plain file. */
export const says = (file: string): string | null =>
  fs.lstatSync(file, { throwIfNoEntry: false })?.isFile() === true ? readPlainText(file) : null;

/** Removes a small file for good. @returns whether it was there */
export function removeBeside(file: string): boolean {
  try {
    fs.unlinkSync(file);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
  flushAt(path.dirname(file));
  return true;
}

/** Removes a folder that Relay made and nobody else wrote into, with all that is in it. */
export function removeFolder(folder: string): void {
  fs.rmSync(folder, { recursive: true, force: true });
}

/** Removes a folder, if it is empty. */
export function removeEmpty(folder: string): void {
  // It stays where somebody else's files are in it.
  quietly(() => fs.rmdirSync(folder));
}

/**
 * Links a folder to a name, so that agents in a linked worktree can read the files too; everything works without it.
 * A link that leads nowhere is made anew: its target was moved.
 * @returns `kept` when something else has the name, `failed` where links cannot be made
 */
export function ensureFolderLink(target: string, link: string): "made" | "there" | "kept" | "failed" {
  const relative = path.relative(path.dirname(link), target);
  try {
    if (leadsNowhere(target, link)) fs.unlinkSync(link);
    const stat = fs.lstatSync(link, { throwIfNoEntry: false });
    if (stat !== undefined) return stat.isSymbolicLink() && fs.readlinkSync(link) === relative ? "there" : "kept";
    fs.symlinkSync(relative, link, "dir");
    return "made";
  } catch {
    return "failed";
  }
}

/** Whether a name is a link to where a folder of the same name as another once was. */
export function leadsNowhere(target: string, link: string): boolean {
  if (fs.lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() !== true || fs.existsSync(link)) return false;
  return path.basename(fs.readlinkSync(link)) === path.basename(target);
}
