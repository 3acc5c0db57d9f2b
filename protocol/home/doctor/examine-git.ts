/** Checks the surroundings of a home: git, the home's repository, the code's exclude line, the links in worktrees. spec/check.md, "doctor". */
import fs from "node:fs";
import path from "node:path";
import { CONFIG_PATH } from "../../objects/config/config-schema.ts";
import { append } from "../../objects/format/append.ts";
import { type Finding, found } from "../../objects/format/finding.ts";
import { ensureFolderLink, ensureLine, leadsNowhere } from "../../store/beside.ts";
import { askGit } from "../../store/git/git.ts";
import { gitVersion } from "../../store/git/git-run.ts";
import type { World } from "../../world.ts";
import { codeRepository, HOME_FOLDER } from "../code-repository.ts";
import { keptRemote } from "../git/keep-remote.ts";
import { linkedWorktrees, worktreeParts } from "../worktree-part.ts";
import { examineBranch } from "./examine-branch.ts";

/** The oldest git that does all Relay asks. */
const GIT_NEEDED = [2, 34] as const;
/** A version whose index can race. */
const GIT_RACY = "2.51.0";

/** Looks at git and at what `init` laid around the home. */
export async function examineSurroundings(world: World): Promise<Finding[]> {
  const findings: Finding[] = [];
  const version = await gitVersion();
  if (version === null)
    findings.push(
      found("no_git", "git was not found; mail, tasks, memory and search work without it; record, sync, log, --at and check --ref do not", {
        remedy: "Install git, or put it on the PATH",
      }),
    );
  else {
    const [major = 0, minor = 0] = version.split(".").map(Number);
    if (major < GIT_NEEDED[0] || (major === GIT_NEEDED[0] && minor < GIT_NEEDED[1]))
      findings.push(found("old_git", `git ${version} is older than ${GIT_NEEDED.join(".")}`, { remedy: "Upgrade git" }));
    if (version === GIT_RACY)
      findings.push(found("racy_git", `git ${version} can lose index entries in a race`, { remedy: "Upgrade git" }));
  }
  const { root } = world.home().store;
  const repository = codeRepository(path.dirname(root));
  const gitFile = path.join(root, ".git");
  if (repository === null) {
    findings.push(found("outside_git", "the home is not inside a git repository: it works as files, and cannot be recorded or shared"));
  } else if (!fs.existsSync(gitFile)) {
    if (world.home().config().inTree) return findings;
    findings.push(found("no_repository", "the home has no repository of its own", { path: ".git", remedy: "Run `relay init` again" }));
  } else if (version !== null)
    findings.push(...(await examineOwn(root, repository.commonDir)), ...(await examineClaims(world)), ...(await examineBranch(world)));
  return findings;
}

/** Claims that a remote is to decide, where there is none to ask. */
async function examineClaims(world: World): Promise<Finding[]> {
  if (world.home().config().claims !== "remote") return [];
  if ((await keptRemote(world)) !== null) return [];
  return [
    found(
      "nobody_decides",
      "it says `claims: remote`, but no sync chose a remote on this machine yet, so this machine decides claims by itself",
      { path: CONFIG_PATH, remedy: "Choose one (`relay sync`, or `relay sync --remote NAME`), or set `claims: local`" },
    ),
  ];
}

async function examineOwn(root: string, commonDir: string): Promise<Finding[]> {
  const findings: Finding[] = [];
  const top = ((await askGit(root, ["rev-parse", "--show-toplevel"])) ?? "").trim();
  if (top === "" || fs.realpathSync.native(top) !== root) {
    findings.push(
      found("repository_elsewhere", `the home's repository belongs to another folder (${JSON.stringify(top)})`, {
        path: ".git",
        remedy: "Run `relay init` again",
      }),
    );
  }
  const exclude = path.join(commonDir, "info", "exclude");
  const excluded = fs.existsSync(exclude) && fs.readFileSync(exclude, "utf8").split(/\r?\n/).includes(`/${HOME_FOLDER}`);
  if (!excluded)
    findings.push(
      found("not_excluded", "the code's repository does not ignore /.relay", { fix: () => void ensureLine(exclude, `/${HOME_FOLDER}`) }),
    );
  append(findings, sharedParts(commonDir));
  for (const worktree of linkedWorktrees(commonDir)) {
    const link = path.join(worktree, HOME_FOLDER);
    const isLost = leadsNowhere(root, link);
    if (path.dirname(root) === worktree || (!isLost && fs.lstatSync(link, { throwIfNoEntry: false }) !== undefined)) continue;
    findings.push({
      severity: isLost ? "warning" : "note",
      code: isLost ? "dangling_link" : "no_link",
      problem: isLost
        ? `the link .relay in the worktree ${path.basename(worktree)} leads nowhere: the home, or the worktree, was moved`
        : `the worktree ${path.basename(worktree)} has no link to the home; everything works without it`,
      fix: () => void ensureFolderLink(root, link),
    });
  }
  return findings;
}

/** Worktrees that are one part: whoever looks first has the mail of both. */
function sharedParts(commonDir: string): Finding[] {
  const all = worktreeParts(commonDir);
  const parts = [...new Set(all.map(({ part }) => part))];
  return parts.flatMap((part) => {
    const tops = all.flatMap((each) => (each.part === part ? [each.top] : []));
    if (tops.length < 2) return [];
    return [
      found("shared_part", `these worktrees are all "${part}", so their agents share one inbox: ${tops.join(", ")}`, {
        remedy: "Make all but one another part: `relay part here PART` in each",
      }),
    ];
  });
}
