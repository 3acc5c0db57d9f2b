/** Homes that a checkout of the code has in an odd way: deleted by hand, or a home's branch as if it were the code. spec/git.md, "In the tree". */
import fs from "node:fs";
import path from "node:path";
import { CONFIG_PATH } from "../../core/config/config-schema.ts";
import { codeRepository, HOME_FOLDER } from "../../core/home/find-home.ts";
import { type Refusal, refuse } from "../../core/refusal.ts";
import { askGit } from "../git.ts";
import { NOT_INSIDE } from "../git-environment.ts";
import { checkedOutHome } from "./checked-out-home.ts";

/** What of a deleted home git can bring back, from the top of the working tree. */
interface Deleted {
  tracked: string;
  top: string;
}

/** The home that the last commit has and the working tree has not; null where that is not so. */
async function deletedHome(from: string): Promise<Deleted | null> {
  const top = codeRepository(from)?.top ?? null;
  const config = `${HOME_FOLDER}/${CONFIG_PATH}`;
  if (top === null || fs.existsSync(path.join(top, config))) return null;
  const said = async (...args: string[]): Promise<string> => (await askGit(top, args)) ?? "";
  if ((await said("ls-tree", "-z", "--full-tree", "HEAD", "--", config)) === "") return null;
  // What somebody changed there must not be taken back with it.
  const changed = await said("diff", "--name-only", "-z", NOT_INSIDE, "--diff-filter=d", "HEAD", "--", HOME_FOLDER);
  return { tracked: changed === "" ? HOME_FOLDER : config, top };
}

/** @throws Refusal `no_home`, where a new home would replace one that the code has */
export async function refuseDeleted(from: string): Promise<void> {
  const deleted = await deletedHome(from);
  if (deleted !== null) throw refuse("no_home", { looked: from, ...deleted });
}

/** A refusal `no_home`, which says how the home comes back where git has it. Any other is given back as it is. */
export async function explainNoHome(refusal: Refusal, cwd: string): Promise<Refusal> {
  if (refusal.code !== "no_home" || refusal.data["recorded"] === true || refusal.data["tracked"] !== undefined) return refusal;
  const looked = String(refusal.data["looked"]);
  for (const folder of looked.split(", ")) {
    const deleted = await deletedHome(path.resolve(cwd, folder));
    if (deleted !== null) return refuse("no_home", { looked, ...deleted });
    const checkedOut = await checkedOutHome(path.resolve(cwd, folder));
    if (checkedOut !== null) return checkedOut;
  }
  return refusal;
}
