/** What a remote, a repository, a configuration or an environment can hold that nobody expects. */

import { execFileSync } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { type Answer, act, cloneOf, codeState, commits, emptyHub, shared, shop } from "../../rig/clones.ts";
import { settle } from "../../rig/home.ts";
import { relay, relayProcess } from "../../rig/processes.ts";
import { git, pathWithGit, put, repository, scratch } from "../../rig/scratch.ts";

const send = (code: string, subject = "s"): Promise<Answer> => act(code, "web", "send", { to: ["main"], subject, body: "b" });
const sync = (code: string): Promise<Answer> => act(code, undefined, "sync");
const namesOf = (repo: string, ref: string): string[] =>
  git(repo, "-c", "core.quotePath=true", "ls-tree", "-r", "--name-only", ref)
    .split("\n")
    .filter((name) => name !== "");

test("files of the home that git would take for its settings change nothing, and run nothing", async () => {
  const { hub, code } = await shop("web");
  const home = path.join(code, ".relay");
  const ran = path.join(scratch(), "ran");
  for (const name of ["excludes-off", "attributes-off", "threads/.gitignore", "inbox/.gitignore", "inbox/.gitattributes"])
    put(path.join(home, name), "*\n* text eol=crlf\n");
  fs.mkdirSync(path.join(home, "hooks-off"));
  for (const hook of ["reference-transaction", "pre-push", "post-index-change", "pre-auto-gc"])
    fs.writeFileSync(path.join(home, "hooks-off", hook), `#!/bin/sh\ntouch "${ran}"\n`, { mode: 0o755 });
  fs.writeFileSync(path.join(home, ".gitignore"), "*\n");
  await send(code);
  expect(await act(code, undefined, "record")).toMatchObject({ changes: { message: 1 }, restored: [] });
  await sync(code);
  const own = Object.keys(shared(code)).filter((name) => !/-off|^(threads|inbox)\/\./.test(name));
  expect(namesOf(hub, "relay").sort()).toEqual(own.sort());
  expect(fs.existsSync(ran)).toBe(false);
  await act(code, "main", "ack", { messageId: (await act(code, "main", "inbox")).messages[0].messageId });
  expect(await act(code, undefined, "record")).toMatchObject({ changes: { ack: 1 } });
  const two = await cloneOf(hub);
  expect(await act(two, "main", "inbox")).toMatchObject({ unread: 1 });
});

test("things in the place of a file, and names that are not UTF-8, are reported and never recorded", async () => {
  const { code } = await shop("web");
  const home = path.join(code, ".relay");
  await act(code, "main", "write_memory", { key: "a", content: "x" });
  await act(code, undefined, "record");
  const memory = path.join(home, "memory/project.md");
  fs.rmSync(memory);
  execFileSync("mkfifo", [memory]);
  const odd = Buffer.concat([Buffer.from(`${home}/`), Buffer.from([0x62, 0xff, 0x64])]);
  fs.writeFileSync(odd, "x");
  const { problems, commit } = await act(code, undefined, "record");
  expect(commit).toBeNull();
  expect(problems.map(({ path: at }: Answer) => at).sort()).toEqual(["b\udcffd", "memory/project.md"]);
  expect(namesOf(home, "HEAD")).toContain("memory/project.md");
  fs.rmSync(memory);
  fs.rmSync(odd);
  expect((await act(code, undefined, "record")).restored).toEqual(["memory/project.md"]);
});

test("a code repository that names objects by SHA-256: made, recorded, shared, claimed, joined", async () => {
  const code = path.join(scratch(), "code");
  git(path.dirname(code), "init", "--quiet", "--object-format=sha256", "--initial-branch=main", code);
  git(code, "commit", "--quiet", "--allow-empty", "--message", "begin");
  const hub = path.join(path.dirname(code), "hub.git");
  git(path.dirname(code), "init", "--quiet", "--bare", "--object-format=sha256", "--initial-branch=main", hub);
  git(code, "remote", "add", "origin", hub);
  git(code, "push", "--quiet", "origin", "main");
  await act(code, undefined, "init", { parts: ["web"] });
  settle(code, "claims: remote\n");
  await send(code);
  const { session_id } = await act(code, "main", "start_session");
  const { task_id } = await act(code, "main", "create_task", { session_id, title: "t", description: "d" });
  await sync(code);
  const two = await cloneOf(hub);
  expect(await act(two, "web", "claim_task", { session_id, task_id })).toMatchObject({ claimed: true });
  expect(await act(code, "main", "claim_task", { session_id, task_id })).toMatchObject({ claimed: false });
  await send(two, "from two");
  await act(code, "main", "write_memory", { key: "a", content: "1" });
  for (const clone of [two, code, two]) await sync(clone);
  expect(shared(two)).toEqual(shared(code));
  fs.rmSync(path.join(code, ".relay/RELAY.md"));
  expect((await act(code, undefined, "record")).restored).toEqual(["RELAY.md"]);
  expect((await relay(code, ["inbox", "--part", "main", "--at", "HEAD~1", "--json"])).json).toMatchObject({ success: true });
});

describe("a user's git that is set up in every odd way", () => {
  const NOISE = {
    "alias.push": "!false",
    "alias.log": "!false",
    "color.ui": "always",
    "core.pager": "false",
    "core.quotePath": "true",
    "core.fsmonitor": "false-monitor",
    "core.untrackedCache": "true",
    "core.ignoreCase": "true",
    "core.abbrev": "4",
    "core.autocrlf": "true",
    "core.bare": "true",
    "commit.gpgSign": "true",
    "diff.noprefix": "true",
    "diff.external": "false",
    "diff.renames": "copies",
    "diff.ignoreSubmodules": "all",
    "diff.orderFile": "/nowhere",
    "feature.manyFiles": "true",
    "fetch.fsckObjects": "true",
    "fetch.prune": "true",
    "fetch.writeCommitGraph": "true",
    "filter.shout.clean": "tr a-z A-Z",
    "filter.shout.required": "true",
    "format.pretty": "oneline",
    "gpg.program": "false",
    "i18n.logOutputEncoding": "UTF-16",
    "i18n.commitEncoding": "ISO-8859-1",
    "grep.patternType": "fixed",
    "index.skipHash": "true",
    "init.defaultBranch": "trunk",
    "log.showSignature": "true",
    "log.date": "relative",
    "merge.conflictStyle": "diff3",
    "push.default": "nothing",
    "push.followTags": "true",
    "push.gpgSign": "if-asked",
    "push.recurseSubmodules": "check",
    "status.showUntrackedFiles": "no",
    "submodule.recurse": "true",
    "transfer.fsckObjects": "true",
    "user.useConfigOnly": "true",
  };

  test("aliases, pagers, colours, encodings: the same records, the same bytes on the other side", async () => {
    const folder = scratch();
    const config = path.join(folder, "config");
    fs.writeFileSync(path.join(folder, "excludes"), "*.md\n");
    fs.writeFileSync(path.join(folder, "attributes"), "* text eol=crlf filter=shout ident\n");
    const files = { "core.excludesFile": path.join(folder, "excludes"), "core.attributesFile": path.join(folder, "attributes") };
    for (const [name, value] of Object.entries({ ...NOISE, ...files, "core.hooksPath": path.join(folder, "template/hooks") }))
      execFileSync("git", ["config", "--file", config, name, value]);
    const template = path.join(folder, "template");
    fs.mkdirSync(path.join(template, "hooks"), { recursive: true });
    for (const hook of ["pre-commit", "commit-msg", "reference-transaction", "pre-push", "post-checkout", "post-index-change"])
      fs.writeFileSync(path.join(template, "hooks", hook), `#!/bin/sh\ntouch "${folder}/ran"\nexit 1\n`, { mode: 0o755 });
    const env = {
      GIT_CONFIG_GLOBAL: config,
      GIT_TEMPLATE_DIR: template,
      GIT_TRACE: "1",
      GIT_DEFAULT_HASH: "sha256",
      GIT_PAGER: "false",
      GIT_EDITOR: "false",
      GIT_EXTERNAL_DIFF: "false",
      GIT_LITERAL_PATHSPECS: "1",
      GIT_INDEX_VERSION: "2",
      GIT_CEILING_DIRECTORIES: "/",
    };
    const code = repository();
    const hub = emptyHub(code);
    const before = codeState(code);
    const run = async (...args: string[]): Promise<Answer> => {
      const ran = await relay(code, [...args, "--json"], { env });
      expect(ran.json, `${args.join(" ")} ${ran.stdout}`).toMatchObject({ success: true });
      return ran.json;
    };
    await run("init", "web");
    await act(code, "web", "send", { to: ["main"], subject: "Grüße ☃", body: "one\r\ntwo" });
    fs.writeFileSync(path.join(code, ".relay/.gitattributes"), "*.md text eol=crlf filter=shout\n");
    expect(await run("record")).toMatchObject({ changes: { message: 1 } });
    expect(await run("sync")).toMatchObject({ sent: true });
    expect((await run("log")).entries.map(({ subject }: Answer) => subject)).toEqual(["web: 1 message", "make the home"]);
    expect((await run("log", "--with", "web")).entries).toHaveLength(1);
    expect(await run("log", "--with", "wbe")).toMatchObject({ entries: [], warning: expect.stringContaining('did you mean "web"?') });
    expect(await run("check", "--ref", "relay")).toMatchObject({ ok: true });
    expect((await run("threads", "--at", "HEAD")).threads).toMatchObject([{ subject: "Grüße ☃" }]);
    expect(await run("stats")).toMatchObject({ git: { commits: 2 } });
    git(hub, "update-ref", "refs/heads/other", "relay");
    expect(await run("sync")).toMatchObject({ sent: false });
    const two = repository();
    git(two, "remote", "add", "origin", hub);
    await act(two, undefined, "init", { parts: ["web"] });
    await sync(two);
    await run("sync");
    fs.rmSync(path.join(code, ".relay/.gitattributes"));
    expect(shared(two)).toEqual(shared(code));
    expect(fs.existsSync(path.join(folder, "ran"))).toBe(false);
    const { refs: _now, config: own, ...now } = codeState(code);
    const { refs: _then, config: then, ...was } = before;
    expect([now, own]).toEqual([was, then]);
  });

  test("all of it inside a hook's environment: the code's index and refs are as they were", async () => {
    const { hub, code } = await shop("web");
    await send(code);
    const env = {
      GIT_DIR: path.join(code, ".git"),
      GIT_INDEX_FILE: path.join(code, ".git/index"),
      GIT_WORK_TREE: code,
      GIT_PREFIX: "",
      GIT_OBJECT_DIRECTORY: path.join(code, ".git/objects"),
      GIT_CONFIG_PARAMETERS: "'core.bare=true'",
      GIT_QUARANTINE_PATH: path.join(code, ".git/objects"),
    };
    const before = codeState(code);
    for (const args of [
      ["record"],
      ["sync"],
      ["log"],
      ["check"],
      ["check", "--ref", "relay"],
      ["stats"],
      ["threads", "--at", "HEAD"],
      ["init"],
    ])
      expect((await relay(code, [...args, "--json"], { env })).json, args.join(" ")).toMatchObject({ success: true });
    const folder = path.join(scratch(), "two");
    expect((await relay(scratch(), ["clone", hub, folder, "--json"], { env })).json).toMatchObject({ success: true });
    expect(codeState(code)).toEqual(before);
    expect(shared(folder)).toEqual(shared(code));
  });
});

test("a git that can lose entries of an index is named by doctor", async () => {
  const { code } = await shop("web");
  const env = { PATH: pathWithGit('if [ "$1" = --version ]; then echo "git version 2.51.0"; exit 0; fi') };
  const { findings } = (await relay(code, ["doctor", "--json"], { env })).json;
  expect(findings.map(({ code: kind }: Answer) => kind)).toContain("racy_git");
});

test("a server that wants a password: no person is asked, and no helper that opens a window is started", async () => {
  const server = http.createServer((_request, response) => {
    response.writeHead(401, { "WWW-Authenticate": 'Basic realm="x"' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = server.address() as { port: number };
    const code = repository();
    await act(code, undefined, "init", { parts: ["web"] });
    const ran = path.join(scratch(), "asked");
    const ask = path.join(path.dirname(ran), "ask");
    fs.writeFileSync(ask, `#!/bin/sh\ntouch "${ran}"\necho secret\n`, { mode: 0o755 });
    git(code, "config", "core.askPass", ask);
    const env = { GIT_ASKPASS: ask, SSH_ASKPASS: ask, DISPLAY: ":0", SSH_ASKPASS_REQUIRE: "force" };
    const url = `http://127.0.0.1:${port}/x.git`;
    expect(await relay(code, ["sync", "--remote", url, "--json"], { env })).toMatchObject({ code: 12, json: { code: "login_needed" } });
    expect(await relay(scratch(), ["clone", url, "two", "--json"], { env })).toMatchObject({ code: 12, json: { code: "login_needed" } });
    expect(fs.existsSync(ran)).toBe(false);
  } finally {
    server.close();
  }
});

describe("every shape of a repository syncs", () => {
  test("from two worktrees at once, twice at once, with a detached HEAD, from a shallow clone and a bare one", async () => {
    const { hub, code } = await shop("web");
    git(code, "worktree", "add", "--quiet", "--detach", "../linked");
    const linked = path.join(path.dirname(code), "linked");
    await act(linked, undefined, "init");
    const other = await cloneOf(hub);
    for (let n = 0; n < 2; n += 1) {
      await send(code, `one ${n}`);
      await send(other, `other ${n}`);
      await sync(other);
      const runs = await Promise.all([code, linked, code].map((cwd) => relayProcess(cwd, ["sync", "--json"])));
      expect(runs.map(({ code: exit }) => exit)).toEqual([0, 0, 0]);
    }
    await sync(other);
    expect(shared(other)).toEqual(shared(code));
    expect(await act(linked, "main", "inbox")).toMatchObject({ unread: 4 });
    const shallow = path.join(scratch(), "shallow");
    git(path.dirname(shallow), "clone", "--quiet", "--depth", "1", "--no-single-branch", `file://${hub}`, shallow);
    expect(await act(shallow, undefined, "init")).toMatchObject({ joined: "origin" });
    git(path.dirname(shallow), "clone", "--quiet", "--bare", hub, "bare.git");
    git(path.join(path.dirname(shallow), "bare.git"), "worktree", "add", "--quiet", "../tree", "main");
    const tree = path.join(path.dirname(shallow), "tree");
    await act(tree, undefined, "init", { parts: ["web"] });
    for (const cwd of [shallow, tree, shallow, code]) await sync(cwd);
    expect(shared(shallow)).toEqual(shared(code));
    expect(commits(code)).toBeGreaterThan(4);
  });
});
