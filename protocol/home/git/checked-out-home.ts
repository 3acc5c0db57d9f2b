/** A home's branch that was checked out as if it were the code, as in a clone when the remote's HEAD is on it. spec/commands.md, "Finding the home". */
import path from "node:path";
import { type Refusal, refuse } from "../../refusal.ts";
import { askGit } from "../../store/git/git.ts";
import { checkoutOf, USUAL } from "./deleted-home.ts";

/** The refusal of a folder that lies in a checkout of a home's branch; null of any other. */
export async function checkedOutHome(from: string): Promise<Refusal | null> {
  const folder = checkoutOf(path.resolve(from));
  if (folder === null) return null;
  const said = async (...args: string[]): Promise<string[]> =>
    ((await askGit(folder, args)) ?? "").split("\n").filter((line) => line !== "");
  const [branch = "HEAD"] = await said("symbolic-ref", "--short", "HEAD");
  const names = await said("for-each-ref", "--format=%(refname:lstrip=3)", "refs/remotes/");
  const others = [...names, ...(await said("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/"))].filter(
    (name) => name !== branch && name !== "HEAD",
  );
  return refuse("home_checked_out", { folder, branch, other: USUAL.find((name) => others.includes(name)) ?? others[0] ?? null });
}
