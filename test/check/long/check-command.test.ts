import fs from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import * as YAML from "yaml";
import { summarySchema } from "../../../cli/published-schemas.ts";
import { EXIT } from "../../../protocol/index.ts";
import { copyOf, type GoodHome, goodHomeOfFile, recordAll } from "../../rig/good-home.ts";
import { settle } from "../../rig/home.ts";
import { relay, relayFile } from "../../rig/processes.ts";
import { cleanEnv, commitAll, git, put, repository, scratch, tree } from "../../rig/scratch.ts";

let good: GoodHome;
const original = goodHomeOfFile(({ at }) => recordAll(at()));
beforeEach(() => {
  good = copyOf(original, scratch());
});

const status = (id: string): string => `sessions/${good.session}/tasks/${id}.md`;
const breakTask = (): void => {
  const file = good.at(status(good.waiting));
  fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace('"todo"', '"doing"'));
};
/** Everything below a folder, git's own files too: what it is and holds, and when it was written. */
function everything(folder: string): Record<string, unknown> {
  const names = (fs.readdirSync(folder, { recursive: true }) as string[]).sort();
  return Object.fromEntries(
    names.map((name) => {
      const at = path.join(folder, name);
      const stat = fs.lstatSync(at);
      return [name, [stat.mode, stat.mtimeMs, stat.ino, stat.isFile() ? fs.readFileSync(at, "latin1") : ""]];
    }),
  );
}

describe("the output and the exit code of check", () => {
  test("nothing found: one line, exit code 0", async () => {
    const ran = await relay(good.folder, ["check"]);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toMatch(/^\d+ files of .* checked; no findings\.\n$/);
    const { json } = await relay(good.folder, ["check", "--json"]);
    expect(json).toMatchObject({ schema: 1, success: true, ok: true, findings: [], counts: {}, ref: null, commit: null, home: good.at() });
  });

  test("a message that is not what its name says: check prints how to take it out, and that does", async () => {
    const message = Object.keys(tree(good.at())).find((name) => /^threads\/.*\/1-\w+\.md$/.test(name)) as string;
    const forged = message.replace(/1-\w+\.md$/, "9-1kg9p6je0khyvdn0me1qn97a8.md");
    fs.writeFileSync(good.at(forged), fs.readFileSync(good.at(message), "utf8").replace(/---\n[^-]*$/, "---\nforged\n"));
    const ran = await relay(good.folder, ["check"]);
    expect(ran.code).toBe(EXIT.failed);
    const [, command = ""] = /does not match its name: relay (.*)$/m.exec(ran.stdout) ?? [];
    await relay(good.folder, [...command.split(" "), "--part", "main"]);
    expect((await relay(good.folder, ["check"])).code).toBe(0);
    expect(fs.existsSync(good.at(message))).toBe(true);
  });

  test("findings: grouped by file, counted at the end, exit code 1", async () => {
    breakTask();
    fs.writeFileSync(good.at("notes.txt"), "hi");
    const ran = await relay(good.folder, ["check"]);
    expect(ran.code).toBe(EXIT.failed);
    const lines = ran.stdout.trimEnd().split("\n");
    expect(lines[0]).toBe("notes.txt");
    expect(lines[2]).toBe(status(good.waiting));
    expect(lines[3]).toMatch(/^ {2}4: .*"doing"; expected one of todo, in_progress, in_review, done.* \(malformed\)$/);
    expect(lines.at(-2)).toMatch(/^2 findings in \d+ files of .*: unknown_file 1, malformed 1\.$/);
    expect(lines.at(-1)).toMatch(/^To find the commit of a file: /);
    const { json, code } = await relay(good.folder, ["check", "--json"]);
    expect(code).toBe(EXIT.failed);
    expect(json).toMatchObject({ success: true, ok: false, counts: { malformed: 1, unknown_file: 1 } });
    expect(json.findings[1]).toMatchObject({ code: "malformed", path: status(good.waiting), line: 4 });
  });

  test("a setting that is misspelt: a warning, which fails nothing", async () => {
    fs.appendFileSync(good.at("relay.yml"), "wake: { lease: 3 }\n");
    const line = fs.readFileSync(good.at("relay.yml"), "utf8").split("\n").length - 1;
    const ran = await relay(good.folder, ["check"]);
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(
      new RegExp(`^warning relay\\.yml:${line}: .*wake\\.lease, which has no effect; expected wake\\.lease_s \\(unknown_setting\\)\\n`),
    );
    expect(ran.stdout).toMatch(/no findings \(1 warning\)\.\n$/);
    const { stdout } = await relay(good.folder, ["check", "--github"]);
    expect(stdout).toContain(`::warning file=relay.yml,line=${line},title=relay check%3A unknown_setting::`);
    const { json } = await relay(good.folder, ["check", "--json"]);
    expect(json).toMatchObject({ ok: true, findings: [], counts: {}, warnings: [{ code: "unknown_setting", line }] });
    fs.appendFileSync(good.at("relay.yml"), "claims: romote\ndurability: disk\n");
    const broken = await relay(good.folder, ["check", "--json"]);
    expect(broken.json.findings.map((finding: { line: number }) => finding.line)).toEqual([line + 1, line + 2]);
    expect(broken.json.findings[0].problem).toContain('claims: expected one of local, remote; given "romote"');
  });

  test("annotations are escaped, so that a file's name or text cannot say more", async () => {
    fs.writeFileSync(good.at("a,b%0A.txt"), "hi");
    fs.writeFileSync(good.at("x\n::warning::y"), "hi");
    const { stdout, code } = await relay(good.folder, ["check", "--github"]);
    expect(code).toBe(EXIT.failed);
    const [first, second, last, ...none] = stdout.trimEnd().split("\n");
    expect(first).toMatch(/^::error file=a%2Cb%250A\.txt,title=relay check%3A unknown_file::the file is outside of the layout: /);
    expect(second).toMatch(/^::error file=x%0A%3A%3Awarning%3A%3Ay,title=/);
    expect(last).toMatch(/^2 findings in /);
    expect(none).toEqual([]);
    breakTask();
    const again = await relay(good.folder, ["check", "--github"]);
    expect(again.stdout).toContain(`::error file=${status(good.waiting)},line=4,title=relay check%3A malformed::`);
  });

  test("a check that cannot run ends with 2, in words and as JSON", async () => {
    const cases: [cwd: string, args: string[], code: string][] = [
      [scratch(), [], "no_home"],
      [good.folder, ["--ref", "nowhere"], "unknown_ref"],
      [good.folder, ["--ref=--all"], "unknown_ref"],
      [good.folder, ["--ref", "main"], "no_home_in_commit"],
      [scratch(), ["--ref", "HEAD"], "unknown_ref"],
      [good.folder, ["--require-session", "nowhere..HEAD"], "unknown_range"],
      [good.folder, ["--require-session", "HEAD..nowhere"], "unknown_range"],
      [good.folder, ["--require-session", "--all"], "unknown_range"],
      [good.folder, ["--require-session", "a:b..c"], "unknown_range"],
    ];
    for (const [cwd, args, code] of cases) {
      const ran = await relay(cwd, ["check", ...args, "--json"]);
      expect([ran.code, ran.json.code], args.join(" ")).toEqual([EXIT.usage, code]);
    }
    const unsynced = await relay(good.folder, ["check", "--ref", "origin/relay"]);
    expect(unsynced.stderr).toContain("before its first `relay sync`");
    const range = await relay(good.folder, ["check", "--require-session", "nowhere..HEAD"]);
    expect(range.stderr).toMatch(/^relay: no commits "nowhere\.\.HEAD" in the repository of .* Example: "origin\/main\.\.HEAD"\.\n$/);
    fs.writeFileSync(good.at("relay.yml"), fs.readFileSync(good.at("relay.yml"), "utf8").replace(/^format: .*$/m, "format: 99"));
    expect(await relay(good.folder, ["check"])).toMatchObject({ code: EXIT.usage, stdout: "" });
  });
});

test("nothing is changed: every file, folder and time is as before", async () => {
  fs.rmSync(good.at(good.unread));
  fs.symlinkSync("/etc", good.at("linked"));
  // What a look would complete: it is left alone.
  put(good.at("outbox/web/draft.md"), "---\nto: [main]\nsubject: s\n---\nx\n");
  const before = everything(good.folder);
  expect((await relay(good.folder, ["check"])).code).toBe(EXIT.failed);
  expect((await relay(good.folder, ["check", "--ref", "relay", "--require-session", "HEAD"])).code).toBe(EXIT.failed);
  expect(everything(good.folder)).toEqual(before);
});

describe("a commit that is not checked out", () => {
  test("of a remote, in a clone that has no home, from a hook's environment", async () => {
    const remote = path.join(scratch(), "remote.git");
    git(good.folder, "clone", "--quiet", "--bare", ".", remote);
    git(good.at(), "push", "--quiet", remote, "relay");
    const clone = path.join(scratch(), "clone");
    git(good.folder, "clone", "--quiet", remote, clone);
    const env = { GIT_DIR: path.join(good.folder, ".git"), GIT_INDEX_FILE: "/nowhere" };
    const whole = await relay(clone, ["check", "--ref", "origin/relay", "--json"], { env });
    expect(whole.json).toMatchObject({ ok: true, ref: "origin/relay", under: "", commit: git(good.at(), "rev-parse", "HEAD").trim() });
    expect(fs.existsSync(path.join(clone, ".relay"))).toBe(false);
    breakTask();
    recordAll(good.at());
    git(good.at(), "push", "--quiet", remote, "relay");
    git(clone, "fetch", "--quiet");
    const broken = await relay(clone, ["check", "--ref", "origin/relay", "--json"]);
    expect(broken.json.findings).toMatchObject([{ code: "malformed", path: status(good.waiting), line: 4 }]);
    // What was recorded counts, not what lies in the folder.
    expect((await relay(clone, ["check", "--ref", "origin/relay~1"])).code).toBe(0);
  });

  test("of the code, where the home is files of it", async () => {
    const folder = repository();
    await relay(folder, ["init", "web", "--in-tree"]);
    commitAll(folder, "home");
    expect((await relay(folder, ["check", "--ref", "HEAD", "--json"])).json).toMatchObject({ ok: true, under: ".relay", files: 11 });
    fs.writeFileSync(path.join(folder, ".relay/notes.txt"), "hi");
    expect((await relay(folder, ["check", "--github"])).stdout).toContain("::error file=.relay/notes.txt,title=");
    expect((await relay(folder, ["check", "--ref", "HEAD"])).code).toBe(0);
    commitAll(folder, "notes");
    const { stdout } = await relay(folder, ["check", "--ref", "HEAD", "--github"]);
    expect(stdout).toContain("::error file=.relay/notes.txt,title=");
  });

  test("files of one machine are found where they were recorded", async () => {
    git(good.at(), "add", "--force", "local");
    git(good.at(), "commit", "--quiet", "--message", "too much");
    expect((await relay(good.folder, ["check"])).code).toBe(0);
    const { json } = await relay(good.folder, ["check", "--ref", "relay", "--json"]);
    expect(Object.keys(json.counts)).toEqual(["unknown_file"]);
  });
});

test("commits of the code name sessions that are summed up", async () => {
  const commit = (subject: string, ...trailers: string[]): string => {
    git(good.folder, "commit", "--quiet", "--allow-empty", "-m", subject, ...trailers.flatMap((line) => ["-m", line]));
    return git(good.folder, "rev-parse", "HEAD").trim();
  };
  const ask = async (range: string): Promise<unknown[]> => {
    const { json } = await relay(good.folder, ["check", "--require-session", range, "--json"]);
    return json.findings.map((finding: { code: string; commit: string }) => [finding.code, finding.commit]);
  };
  const first = git(good.folder, "rev-parse", "HEAD").trim();
  commit("good", `Relay-Session: ${good.session}`);
  commit("two trailers", `Relay-Task: ${good.done}\nRelay-Session: ${good.ended}`);
  expect(await ask(`${first}..HEAD`)).toEqual([]);
  const none = commit("says nothing", "Words of Relay-Session: in a sentence.\n\nAnd more.");
  const unknown = commit("wrong", "Relay-Session: 2001-01-01-001-AAAA");
  expect(await ask(`${first}..HEAD`)).toEqual([
    ["commit_unknown_session", unknown],
    ["commit_without_session", none],
  ]);
  git(good.folder, "checkout", "--quiet", "-b", "side", first);
  commit("side", `Relay-Session: ${good.ended}`);
  git(good.folder, "merge", "--quiet", "--no-edit", "main");
  expect((await ask(`main..HEAD`)).length, "a merge names no session").toBe(0);
  fs.rmSync(good.at("sessions", good.ended, "summary.md"));
  const { json } = await relay(good.folder, ["check", "--require-session", "main..HEAD", "--json"]);
  expect(Object.keys(json.counts).sort()).toEqual(["commit_without_summary", "summary_missing"]);
  const { stdout } = await relay(good.folder, ["check", "--require-session", `${first}..main`]);
  expect(stdout).toContain(`commit ${none.slice(0, 12)}\n`);
});

describe("relay init --ci github", () => {
  const workflow = ".github/workflows/relay.yml";
  const relayPackage = "git+https://git.example.com/relay.git#0123456789012345678901234567890123456789";
  /**
   * Runs what the workflow runs, as a runner does: with sh, in the clone; the package, which is to be installed by where it
   * lies and never by a name, is this build.
   */
  function runSteps(clone: string, set: Record<string, string> = { RELAY_PACKAGE: relayPackage }): { code: number; stdout: string } {
    const bin = scratch();
    const shim = `#!/bin/sh\n[ "$1 $2 $3 $4" = "--yes --package ${relayPackage} relay" ] || exit 90\nshift 4\nexec "${process.execPath}" "${relayFile()}" "$@"\n`;
    fs.writeFileSync(path.join(bin, "npx"), shim, { mode: 0o755 });
    const { jobs, env: common } = YAML.parse(fs.readFileSync(path.join(clone, workflow), "utf8"));
    let stdout = "";
    for (const { run, env } of jobs.check.steps) {
      if (run === undefined) continue;
      const child = process.getBuiltinModule("node:child_process").spawnSync("sh", ["-e", "-c", run], {
        cwd: clone,
        env: { ...cleanEnv({ ...common, ...set, ...env }), PATH: `${bin}:${process.env["PATH"]}` },
        encoding: "utf8",
      });
      stdout += child.stdout;
      if (child.status !== 0) return { code: child.status ?? -1, stdout };
    }
    return { code: 0, stdout };
  }

  test("its steps check what was pushed", async () => {
    const folder = good.folder;
    const ran = await relay(folder, ["init", "--ci", "github", "--json"]);
    expect(ran.json).toMatchObject({ created: false, workflow: path.join(folder, workflow) });
    const { on } = YAML.parse(fs.readFileSync(path.join(folder, workflow), "utf8"));
    expect(on).toEqual({ pull_request: null, push: { branches: ["**"] }, schedule: [{ cron: expect.any(String) }] });
    commitAll(folder);
    const remote = path.join(scratch(), "remote.git");
    git(folder, "clone", "--quiet", "--bare", ".", remote);
    git(good.at(), "push", "--quiet", remote, "relay");
    const clone = path.join(scratch(), "clone");
    git(folder, "clone", "--quiet", remote, clone);
    expect(runSteps(clone)).toMatchObject({ code: 0, stdout: expect.stringContaining("no findings") });
    breakTask();
    recordAll(good.at());
    git(good.at(), "push", "--quiet", remote, "relay");
    git(clone, "fetch", "--quiet");
    expect(runSteps(clone)).toMatchObject({ code: 1, stdout: expect.stringContaining(`::error file=${status(good.waiting)},line=4`) });
    git(remote, "branch", "-D", "relay");
    git(clone, "fetch", "--quiet", "--prune");
    expect(runSteps(clone).code).toBe(2);
  });

  test("the workflow, not the branch, sets the rules for summaries", async () => {
    const folder = good.folder;
    const file = good.at("relay.yml");
    const text = fs.readFileSync(file, "utf8").replace(/^summaries:.*\n(?: +.*\n)*/m, "");
    fs.writeFileSync(file, `${text}\nsummaries: { headings: ["Said by the code $\{{ secrets.X }}"] }\n`);
    await relay(folder, ["init", "--ci", "github"]);
    const { env } = YAML.parse(fs.readFileSync(path.join(folder, workflow), "utf8"));
    expect(JSON.parse(env.RELAY_SUMMARIES)).toEqual({ headings: ["Said by the code $ {{ secrets.X }}"] });
    // A push takes the rules away.
    fs.writeFileSync(file, `${text}\nsummaries: {}\n`);
    recordAll(good.at());
    const asked = await relay(folder, ["check", "--ref", "relay", "--summaries", env.RELAY_SUMMARIES, "--json"]);
    expect([asked.code, asked.json.rules, asked.json.counts.summary_heading]).toEqual([1, "given", 2]);
    const own = await relay(folder, ["check", "--ref", "relay", "--json"]);
    expect([own.json.rules, own.json.counts.summary_heading]).toEqual(["home", undefined]);
    expect((await relay(folder, ["check", "--ref", "relay"])).stdout).toContain("--summaries gives other rules");
  });

  /** This build in a git clone of its own, as `npm install --global .` there links it. Gives its command. */
  function installed(origin: string, pushed = true): { at: string; head: string; init: (cwd: string) => Record<string, string> } {
    const at = scratch();
    fs.cpSync(path.dirname(relayFile()), path.join(at, "dist"), { recursive: true, filter: (from) => path.basename(from) !== "compiled" });
    fs.writeFileSync(path.join(at, "package.json"), '{"name":"git-relay"}');
    fs.writeFileSync(path.join(at, ".gitignore"), "dist\n");
    git(at, "init", "--quiet", "--initial-branch=main");
    commitAll(at, "relay");
    git(at, "config", "remote.origin.url", origin);
    if (pushed) git(at, "update-ref", "refs/remotes/origin/main", "HEAD");
    const bin = path.join(scratch(), "relay");
    fs.symlinkSync(path.join(at, "dist/relay.cjs"), bin);
    const init = (cwd: string): Record<string, string> => {
      const args = [bin, "init", "--ci", "github", "--json"];
      return JSON.parse(
        process.getBuiltinModule("node:child_process").execFileSync(process.execPath, args, { cwd, env: cleanEnv(), encoding: "utf8" }),
      );
    };
    return { at, head: git(at, "rev-parse", "HEAD").trim(), init };
  }
  const packageIn = (folder: string): string => YAML.parse(fs.readFileSync(path.join(folder, workflow), "utf8")).env.RELAY_PACKAGE;

  test("it installs Relay from where this one came from, pinned, and never by a name that anybody can register", async () => {
    for (const [origin, url] of [
      ["https://git.example.com/team/relay.git", "git+https://git.example.com/team/relay.git"],
      ["ssh://git@git.example.com:2222/relay.git", "git+ssh://git@git.example.com:2222/relay.git"],
      ["git@git.example.com:team/relay.git", "git+ssh://git@git.example.com/team/relay.git"],
    ] as const) {
      const folder = repository();
      const { init, head } = installed(origin);
      expect(init(folder)).not.toHaveProperty("warning");
      expect(packageIn(folder)).toBe(`${url}#${head}`);
    }
  });

  test("the workflow's first step and the answer say what to set where others could not install Relay from its origin", async () => {
    const secret = "hunter2";
    for (const origin of [`https://me:${secret}@example.com/r.git`, "../relay"]) {
      const folder = repository();
      const { warning } = installed(origin).init(folder);
      expect(warning, origin).toContain("set it to a git URL or a tarball");
      expect(fs.readFileSync(path.join(folder, workflow), "utf8")).not.toContain(origin);
      expect(`${warning}${fs.readFileSync(path.join(folder, workflow), "utf8")}`).not.toContain(secret);
      expect(packageIn(folder), origin).toBe("");
      expect(runSteps(folder, {})).toMatchObject({ code: 1, stdout: expect.stringMatching(/^::error::RELAY_PACKAGE is empty/) });
    }
    const unpushed = repository();
    expect(installed("https://example.com/r.git", false).init(unpushed)["warning"]).toContain("not on its `origin`");
    expect(packageIn(unpushed)).toBe("");
  });

  test("in some project's node_modules it is not that project; what people set stays", async () => {
    const project = repository({ ".gitignore": "node_modules\n" });
    git(project, "config", "remote.origin.url", "https://example.com/project.git");
    const { at } = installed("https://example.com/r.git");
    fs.rmSync(path.join(at, ".git"), { recursive: true });
    fs.cpSync(at, path.join(project, "node_modules/git-relay"), { recursive: true });
    const bin = path.join(project, "node_modules/git-relay/dist/relay.cjs");
    const run = () =>
      process
        .getBuiltinModule("node:child_process")
        .spawnSync(process.execPath, [bin, "init", "--ci", "github"], { cwd: project, env: cleanEnv(), encoding: "utf8" });
    expect(run().stderr).toContain("does not run from a git clone of it");
    expect(packageIn(project)).toBe("");
    const set = fs.readFileSync(path.join(project, workflow), "utf8").replace('RELAY_PACKAGE: ""', `RELAY_PACKAGE: "${relayPackage}"`);
    fs.writeFileSync(path.join(project, workflow), set);
    expect(run()).toMatchObject({ status: 0, stderr: "" });
    expect(fs.readFileSync(path.join(project, workflow), "utf8")).toBe(set);
  });

  test("in the tree it checks the commit itself", async () => {
    const folder = repository();
    await relay(folder, ["init", "--in-tree", "--ci", "github"]);
    commitAll(folder, "home");
    expect(runSteps(folder)).toMatchObject({ code: 0 });
  });

  test("again it changes nothing; another file is left as it is, and nothing is made", async () => {
    const folder = repository({ [workflow]: "name: mine\n" });
    const refused = await relay(folder, ["init", "--ci", "github", "--json"]);
    expect(refused).toMatchObject({ code: EXIT.refused, json: { code: "file_differs", path: workflow } });
    expect(fs.existsSync(path.join(folder, ".relay"))).toBe(false);
    expect(fs.readFileSync(path.join(folder, workflow), "utf8")).toBe("name: mine\n");
    await relay(good.folder, ["init", "--ci", "github"]);
    const before = [tree(good.at()), everything(path.join(good.folder, ".github"))];
    expect((await relay(good.folder, ["init", "--ci", "github"])).code).toBe(0);
    expect([tree(good.at()), everything(path.join(good.folder, ".github"))]).toEqual(before);
    const outside = scratch();
    expect((await relay(outside, ["init", "--ci", "github", "--json"])).json.code).toBe("not_in_git");
    expect(fs.readdirSync(outside)).toEqual([]);
  });
});

describe("the summary that a session begins with", () => {
  const rules = "summaries:\n  headings: [What was learnt, Tasks]\n  min_length: 80\n  fields: [session, tasks, by, at, risk]\n";
  const summaryFindings = async (folder: string, session: string): Promise<[string, number, string][]> => {
    const { json } = await relay(folder, ["check", "--json"]);
    const found = json.findings as { code: string; path: string; line: number; found: string }[];
    return found.filter(({ path: at }) => at.includes(session)).map(({ code, line, found: what }) => [code, line, what]);
  };
  const begun = async (asked: string): Promise<{ folder: string; session: string; task: string }> => {
    const folder = repository();
    await relay(folder, ["init", "web"]);
    settle(folder, asked);
    const { session_id: session } = (await relay(folder, ["session", "start", "--json"])).json;
    const { task_id: task } = (await relay(folder, ["task", "create", "Write it", "--part", "web", "--json"])).json;
    await relay(folder, ["task", "update", task, "done", "--part", "web"]);
    return { folder, session, task };
  };

  test("has a place for all that relay.yml asks for; the end names what is to be written, and check finds just that", async () => {
    const { folder, session, task } = await begun(rules);
    const { json } = await relay(folder, ["session", "end", "--template", "--json"]);
    expect(json.template).toMatch(
      new RegExp(`^---\nsession: "${session}"\ntasks: \\["${task}"\\]\nby: "main"\nat: "[^"]+"\nrisk: ""\n---\n`),
    );
    expect(json.template.match(/^#+ .*$/gm)).toEqual([`# Session ${session}`, "## What was learnt", "## Tasks", "### Done", "## Threads"]);
    const ended = await relay(folder, ["session", "end", "--json"]);
    expect(ended.json).toMatchObject({ ended: true, unfilled: json.unfilled });
    expect(json.unfilled).toEqual([
      expect.stringMatching(/^line \d+: "What was learnt"; expected some words below it$/),
      expect.stringMatching(/^line 6: no value of "risk"; expected /),
    ]);
    expect((await summaryFindings(folder, session)).map(([code]) => code).sort()).toEqual(["summary_empty", "summary_field"]);
    expect((await relay(folder, ["session", "end", session])).stdout).toMatch(/2 gaps in it:\n {2}line .*\n {2}line /);
    const written = json.template.replace('risk: ""', 'risk: "low"').replace("<!-- to be written -->", "Begin early.");
    await relay(folder, ["session", "save", session, written]);
    expect(await summaryFindings(folder, session)).toEqual([]);
  });
});

test("the published schema of a summary's front matter is that of the code", async () => {
  expect(JSON.parse(fs.readFileSync("templates/summary.schema.json", "utf8"))).toEqual(summarySchema());
  expect(JSON.parse((await relay(scratch(), ["schema", "summary"])).stdout)).toEqual(summarySchema());
});
