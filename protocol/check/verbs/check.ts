import fs from "node:fs";
import path from "node:path";
import * as z from "zod/mini";
import { approvalsOf } from "../../board/files/approved-behind.ts";
import { sessionToRead } from "../../board/files/sessions.ts";
import { summaryRules } from "../../core/config/config.ts";
import { summaryRulesSchema } from "../../core/config/config-schema.ts";
import { append } from "../../core/format/append.ts";
import { orElse } from "../../core/format/file-error.ts";
import { type Finding, finding, found, toldFindings } from "../../core/format/finding.ts";
import { flag, line, maybe } from "../../core/format/schema.ts";
import { codeRepository } from "../../core/home/find-home.ts";
import { trackedState } from "../../core/home/home.ts";
import { defineOperation } from "../../core/operation.ts";
import { EXIT, refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { resolveCommit, trailedCommits } from "../../git/git-commits.ts";
import { type Repository, repositoryFrom } from "../../git/git-run.ts";
import { commitSnapshot, folderSnapshot, homeCommit, type Snapshot } from "../../git/home/home-reader.ts";
import { repositoryAt } from "../../git/home/repository.ts";
import { sortAllRead } from "../../mail/files/members.ts";
import { examineHistory, faultFindings, type HistorySeen } from "../../sync/guard/check-history.ts";
import { unknownFilesIn } from "../../sync/guard/unknown-files.ts";
import { ignoredPlaces } from "../../sync/sync/in-tree.ts";
import { notHere } from "../../sync/sync/lost-files.ts";
import { type Checked, checkHome } from "../files/check-home.ts";
import { claimFacts } from "../files/claim-facts.ts";
import { type Reads, standing } from "../files/lasting-findings.ts";
import { checkCommits, SESSION_TRAILER } from "../nouns/check-commit.ts";

const Reported = z.object({
  code: z.string(),
  path: z.optional(z.string()),
  line: z.optional(z.number()),
  commit: z.optional(z.string()),
  problem: z.string(),
  found: z.optional(z.string()),
  expected: z.optional(z.string()),
  more: z.optional(z.number()),
});

/** CI takes every finding alike, and its remedies are for a machine that has the home. */
const reportedOf = ({
  severity: _severity,
  remedy: _remedy,
  fix: _fix,
  isFirst: _isFirst,
  ...finding
}: Finding): z.infer<typeof Reported> => finding;

/** Checks a home, or a commit that has one, for CI. */
export const check = defineOperation({
  name: "check",
  summary: "Check the files of a home, or of a commit, as CI does; changes nothing. The exit code is 1 when it finds something",
  effect: "read",
  identity: "none",
  home: false,
  input: () => ({
    ref: maybe(line(256, "a branch, tag or commit to read instead of the working tree")),
    requireSession: maybe(line(256, "commits of the code that must name a session with a summary: a range such as origin/main..HEAD")),
    summaries: maybe(summaryRulesSchema().check(z.describe("the rules for summaries, as in relay.yml, instead of the home's own"))),
    github: flag("print annotations for GitHub Actions"),
  }),
  output: () => ({
    ok: z.boolean(),
    home: z.string(),
    ref: z.nullable(z.string()),
    commit: z.nullable(z.string()),
    under: z.string(),
    rules: z.enum(["given", "home"]),
    files: z.number(),
    findings: z.array(Reported),
    warnings: z.array(Reported),
    counts: z.record(z.string(), z.number()),
  }),
  example: { ref: "origin/relay" },
  exit: ({ ok }) => (ok ? EXIT.ok : EXIT.failed),
  exitRefused: EXIT.usage,
  async run(world, { ref, requireSession, summaries }) {
    const rules = summaries === undefined ? null : summaryRules(summaries);
    const commits = requireSession === undefined ? [] : await trailedCommits(await codeOf(world), requireSession, SESSION_TRAILER);
    // A folder that cannot be listed is a finding, and hides nothing else.
    if (ref === undefined) {
      sortAllRead(world);
      world.home().store.passesOver = true;
    }
    const source = await sourceOf(world, ref);
    const { store } = source.snapshot;
    let checked: Checked = { findings: [], warnings: [], files: 0, summed: new Map(), threads: [] };
    const examineHome = async (reads?: Reads): Promise<Finding[]> => {
      checked = await checkHome(source.snapshot, claimFacts(world, store), (at) => world.progress?.(at), rules, reads);
      return checked.findings;
    };
    // Nobody writes in a commit. In CI every finding is a fault, a note too.
    const findings = store === null ? await examineHome() : await standing(store, examineHome, () => true);
    const { warnings, files, summed } = checked;
    append(findings, checkCommits(commits, summed));
    for await (const warning of branchWarnings(world, source)) warnings.push(warning);
    if (ref === undefined) append(warnings, await approvalWarnings(world));
    if (source.under !== "") append(findings, await ignoredPlaces(source.snapshot.store?.root ?? path.join(source.home, source.under)));
    if (source.under !== "" && source.commit === null) findings.unshift(...cameWithCode(source.home));
    const counts: Record<string, number> = {};
    for (const { code } of findings) counts[code] = (counts[code] ?? 0) + 1;
    const { home, commit, under } = source;
    return {
      ok: findings.length === 0,
      home,
      ref: ref ?? null,
      commit,
      under,
      rules: rules === null ? ("home" as const) : ("given" as const),
      files,
      findings: toldFindings(findings).map(reportedOf),
      warnings: toldFindings(warnings).map(reportedOf),
      counts,
    };
  },
});

/** What belongs to one machine and is a file of the code all the same. In a commit it is found by its place. */
function cameWithCode(root: string): Finding[] {
  const expected = "no file of outbox/, local/ and run/ in git";
  return trackedState(root).map((path) => finding("unknown_file", { path }, "a file of one machine, tracked by the code", expected));
}

/** Approvals of the session of now whose branches went on. */
async function approvalWarnings(world: World): Promise<Finding[]> {
  // A session that cannot be read is found by its file.
  const session = orElse(null, () => sessionToRead(world, undefined).session);
  const behind = session === null ? [] : (await approvalsOf(world, session)).behind;
  return behind.map(({ path: at, words }) => found("approval_behind", words, { path: at }));
}

/** The repository of the working directory. */
async function codeOf({ cwd }: World): Promise<Repository> {
  const code = await repositoryFrom(cwd);
  if (code === null) throw refuse("git_failed", { command: "git log", reason: `${cwd} is in no git repository` });
  return code;
}

/** What is checked. */
interface Source {
  snapshot: Snapshot;
  home: string;
  commit: string | null;
  under: string;
  /** Of a folder the home's own, if it has one. */
  repository: Repository | null;
}

/** What is checked: the home's folder, or a commit of the working directory's repository or of the home's own. */
async function sourceOf(world: World, ref: string | undefined): Promise<Source> {
  if (ref === undefined) {
    const { root } = world.home().store;
    return { snapshot: folderSnapshot(root), home: root, commit: null, under: folderInCode(root), repository: repositoryAt(root) };
  }
  // A runner has only the code; then its repository is the one that is asked.
  const own = orElse([], () => [world.home().store.root]);
  const found = await homeCommit([world.cwd, ...own], ref);
  return { ...found, snapshot: commitSnapshot(found), home: found.repository.workTree };
}

/** What a home's branch says of itself, and of a folder what only its branch has. */
async function* branchWarnings(world: World, { commit, under, repository }: Source): AsyncGenerator<Finding> {
  const head = repository === null ? null : (commit ?? (await resolveCommit(repository, "HEAD")));
  if (repository === null || head === null) return;
  world.progress?.("what git has");
  // Git does most of it: together it takes as long as the longest. Of a commit, what only the branch has is found with the files.
  const [history, away, unknown] = await Promise.all([
    // A home that is files of the code has the code's history.
    under === "" ? examineHistory(repository, head) : null,
    commit === null ? notHere(world, repository) : null,
    commit === null ? unknownFilesIn(world, repository, head) : null,
  ]);
  if (history !== null) yield* historyWarnings(history);
  if (away === null || unknown === null) return;
  for (const { path, problem } of away.carried) yield found("not_laid_out", `${problem}; \`relay doctor\` says more`, { path });
  const carried = [...unknown.strangers, ...unknown.attempts, ...unknown.run];
  const what = carried.length === 1 ? "one file" : `the first of ${carried.length} files`;
  if (carried[0] !== undefined)
    yield finding(
      "unknown_file",
      { path: carried[0] },
      `${what} that only the branch has`,
      "files of the layout; `relay doctor` says more",
    );
}

function* historyWarnings({ faults, knownFrom }: HistorySeen): Generator<Finding> {
  for (const fault of faults) yield* faultFindings(fault);
  for (const from of knownFrom)
    yield finding("history_cut", { commit: from }, `it begins at commit ${from.slice(0, 12)}`, "the whole history");
}

/** Where a home that is files of the code lies in it; empty of one with a repository of its own, or outside of git. */
function folderInCode(root: string): string {
  if (fs.existsSync(path.join(root, ".git"))) return "";
  const top = codeRepository(path.dirname(root))?.top ?? null;
  return top === null ? "" : path.relative(top, root).split(path.sep).join("/");
}
