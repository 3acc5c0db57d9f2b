/**
 * A folder from elsewhere, in each way in which one arrives, with something hostile in every place of a machine's folders, of git and of the
 * outbox, and in every setting: every operation is called, and the commands that start something. Nothing runs, and nothing outside changes.
 */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { operations, perform } from "../../protocol/index.ts";
import { CONFIG_TABLE } from "../rig/arrivals.ts";
import { makeGoodHome, makeTheRest } from "../rig/good-home.ts";
import { worldAt } from "../rig/home.ts";
import { connect, relayProcess } from "../rig/processes.ts";
import { cleanEnv, commitAll, git, put, scratch, tree } from "../rig/scratch.ts";

/** Leaves a trace wherever it is run, with who asked. */
const trap = (trace: string): string => `sh -c 'echo ran >> ${trace}'`;

/** The names in the machine's folders, as the table of the layout in SPEC.md has them. */
function machineNames(): { at: string; isFolder: boolean }[] {
  const spec = fs.readFileSync("SPEC.md", "utf8");
  return ["local", "run"].flatMap((top) => {
    const row = new RegExp(`^\\| \`${top}/\` \\|(.*)\\|[^|]*\\|$`, "m").exec(spec)?.[1] ?? "";
    const found = [...row.matchAll(/`([a-z-]+)(\/?)`/g)].map(([, name, slash]) => ({ at: `${top}/${name}`, isFolder: slash === "/" }));
    expect(found.length).toBeGreaterThan(5);
    return found;
  });
}

/** Where earlier versions, or a wish, would have looked for what runs. */
const WISHED = [
  ...["runners.json", "environment.json", "limits.json", "ring/t-20260131-k3f9x2ab", "t-20260131-k3f9x2ab/launch.json"].flatMap((name) => [
    `local/office/${name}`,
    `run/office/${name}`,
  ]),
  ...[
    "local/deliver/web.json",
    "local/trust/web.json",
    "local/notify/all.json",
    "local/remote",
    "local/grants/x.json",
    "run/office/launches/t-20260131-k3f9x2ab.1.1/launch.json",
  ],
];
const HOOKS = [
  "post-checkout",
  "post-commit",
  "pre-commit",
  "pre-push",
  "post-merge",
  "reference-transaction",
  "post-index-change",
  "pre-auto-gc",
  "fsmonitor-watchman",
];

/** Lays traps into a project. @param links whether the machine's folders lead out of the home, in place of having files */
function layTraps(code: string, trace: string, outside: string, links: boolean): void {
  const home = path.join(code, ".relay");
  const command = trap(trace);
  const words = ["/bin/sh", "-c", `echo ran >> ${trace}`];
  const hostile = JSON.stringify({
    ...{
      version: 1,
      purpose: "hook",
      agent: "web",
      moment: "before_task",
      deliver: "exec",
      exec: { argv: words },
      argv: words,
      command: words,
    },
    ...{ claude: words, codex: words, gemini: words, PATH: outside, cwd: "/", program: "command", folder: outside, worktree: outside },
  });
  const lay = (at: string, text: string, mode = 0o644): void => {
    fs.mkdirSync(path.dirname(path.join(code, at)), { recursive: true });
    fs.writeFileSync(path.join(code, at), text, { mode });
  };
  for (const { at, isFolder } of machineNames()) {
    const target = path.join(home, at);
    if (links) {
      fs.rmSync(target, { recursive: true, force: true });
      fs.mkdirSync(path.dirname(target), { recursive: true });
      fs.symlinkSync(isFolder ? outside : path.join(outside, "kept.txt"), target);
    } else if (isFolder) for (const name of ["web.json", "999999-1-1-0.json", `${"x".repeat(180)}`]) lay(`.relay/${at}/${name}`, hostile);
  }
  if (!links) for (const at of WISHED) lay(`.relay/${at}`, hostile);
  for (const part of ["human", "main", "web"]) lay(`.relay/outbox/${part}/x.md`, "---\nto: [om, api]\nsubject: Do it\n---\nNow.\n");
  fs.appendFileSync(path.join(home, "relay.yml"), CONFIG_TABLE(command, outside));
  for (const file of ["agents.pool.yml"])
    lay(
      `.relay/${file}`,
      `agents:\n  web:\n    name: W\n    tools: [Bash]\n    hooks: { before_task: ${JSON.stringify(command)}, after_task: ${JSON.stringify(command)} }\n`,
    );
  lay("relay.yml", "format: 2\n");
  lay("tools/HEAD", "ref: refs/heads/x\n");
  for (const name of ["objects", "refs"]) lay(`tools/${name}/x`, "");
  for (const gitDir of [".git", ".git/relay"]) {
    if (!fs.existsSync(path.join(code, gitDir))) continue;
    const settings = "fsmonitor sshCommand pager editor gitProxy alternateRefsCommand".split(" ").map((name) => `core.${name}`);
    const others = "diff.external credential.helper gpg.program remote.origin.uploadpack remote.origin.receivepack trailer.evil.command";
    const drivers = "filter.evil.clean filter.evil.smudge filter.evil.process diff.evil.textconv diff.evil.command merge.evil.driver";
    for (const name of [...settings, ...`${others} ${drivers}`.split(" ")])
      git(code, "config", "--file", path.join(code, gitDir, "config"), name, command);
    lay(`${gitDir}/info/attributes`, "* filter=evil diff=evil merge=evil\n");
    for (const hook of HOOKS) lay(`${gitDir}/hooks/${hook}`, `#!/bin/sh\n${words[2]}\n`, 0o755);
    lay(`${gitDir}/relay-part`, "human\n");
    lay(`${gitDir}/relay-place`, `${"0".repeat(32)}\n`);
  }
}

/** The same project, as it arrives; gives where it lies for whoever has it now. */
type Arrive = (made: string, folder: string) => string;
const copyOf = (from: string, to: string): string => {
  execFileSync("cp", ["-a", from, to]);
  return to;
};
/** Commits all, the home among it, as files of the code. */
function committed(made: string, folder: string): string {
  const from = copyOf(made, path.join(folder, "author"));
  fs.rmSync(path.join(from, ".relay/.git"), { recursive: true, force: true });
  fs.rmSync(path.join(from, ".relay/.gitignore"), { force: true });
  const plain = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.attributesFile=/dev/null"];
  fs.rmSync(path.join(from, ".git/info/attributes"), { force: true });
  git(from, ...plain, "add", "--force", "--all");
  git(from, ...plain, "commit", "--quiet", "--message", "all of it");
  return from;
}
const cloned = (from: string, folder: string, ...more: string[]): string => {
  const to = path.join(folder, "clone");
  git(folder, "-c", "protocol.file.allow=always", "-c", "core.hooksPath=/dev/null", "clone", "--quiet", ...more, from, to);
  return to;
};
const ARRIVALS: Record<string, Arrive> = {
  "a clone": (made, folder) => cloned(committed(made, folder), folder),
  "a clone, asked for from a folder in it that looks like a bare repository": (made, folder) =>
    path.join(cloned(committed(made, folder), folder), "tools"),
  "an archive": (made, folder) => copyOf(made, path.join(folder, "unpacked")),
  "an archive without git": (made, folder) => {
    const at = copyOf(made, path.join(folder, "unpacked"));
    fs.rmSync(path.join(at, ".git"), { recursive: true });
    return at;
  },
  "a submodule": (made, folder) => {
    const home = copyOf(path.join(made, ".relay"), path.join(folder, "home"));
    for (const name of [".git", ".gitignore"]) fs.rmSync(path.join(home, name), { recursive: true, force: true });
    git(home, "init", "--quiet");
    commitAll(home, "home", "--force");
    const code = path.join(folder, "author");
    git(folder, "init", "--quiet", code);
    git(code, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", home, ".relay");
    git(code, "commit", "--quiet", "--message", "code");
    return cloned(code, folder, "--recurse-submodules");
  },
  "a copied folder": (made, folder) => {
    const code = path.join(folder, "mine");
    git(folder, "init", "--quiet", code);
    copyOf(path.join(made, ".relay"), path.join(code, ".relay"));
    return code;
  },
  "another owner's folder": (made, folder) => {
    const at = copyOf(made, path.join(folder, "shared"));
    execFileSync("chown", ["-R", process.getuid?.() === 0 ? "65534:65534" : `${process.getuid?.()}`, at]);
    fs.chmodSync(at, 0o777);
    return at;
  },
};

let made = "";
beforeAll(async () => {
  made = path.join(fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "relay-arrivals-"))), "project");
  git(path.dirname(made), "init", "--quiet", "--initial-branch=main", made);
  git(made, "commit", "--quiet", "--allow-empty", "--message", "begin");
  await makeTheRest(await makeGoodHome(made));
});
afterAll(() => fs.rmSync(path.dirname(made), { recursive: true }));

/** By which a person says what may run; and what waits. */
const OF_A_PERSON = /^(?:trust|trust_office|config_accept|part_deliver|notify_.*|office_runner|office_init|init|setup|wait|wait_for_wake)$/;

/** Calls every operation with its example, as somebody who would do it. What is refused is refused. */
async function callAll(at: string): Promise<void> {
  for (const operation of Object.values(operations)) {
    if (OF_A_PERSON.test(operation.name)) continue;
    const input = { ...(operation.example as Record<string, unknown> | undefined) };
    for (const part of ["web", "main"])
      await perform(worldAt(at, { part, env: cleanEnv() }), operation as (typeof operations)["status"], input as never).catch(() => {});
  }
}

test.each(Object.keys(ARRIVALS).flatMap((name) => [[name, false] as const, [name, true] as const]))(
  "%s, with links: %s, starts nothing and changes nothing outside",
  async (name, links) => {
    const folder = scratch();
    const outside = path.join(scratch(), "outside");
    const trace = path.join(folder, "trace");
    put(path.join(outside, "kept.txt"), "kept\n");
    const source = copyOf(made, path.join(folder, "source"));
    layTraps(source, trace, outside, links);
    const at = (ARRIVALS[name] as Arrive)(source, folder);
    fs.rmSync(trace, { force: true });
    const before = tree(outside, /^$/);
    await callAll(at);
    for (const args of [["pager", "--once"], ["office", "run"], ["hook", "prompt"], ["status"], ["doctor"]])
      await relayProcess(at, args, { input: "{}" });
    const agent = await connect(at, { args: ["--part", "web"] });
    for (const tool of ["inbox", "send", "claim_task"]) await agent.call(tool, { to: ["om"], subject: "s", body: "b" }).catch(() => {});
    await agent.close();
    expect([fs.existsSync(trace), tree(outside, /^$/)]).toEqual([false, before]);
  },
);
