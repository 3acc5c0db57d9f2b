/** Talking to a remote that hangs, drips, redirects, sends too much or sends what no git should take; and what of the code goes along. */

import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { runFetch } from "../../protocol/git/remote/git-network.ts";
import { remoteAt } from "../hostile/rig/remote.ts";
import { type Answer, act, cloneOf, shop } from "../rig/clones.ts";
import { relay } from "../rig/processes.ts";
import { cleanEnv, git, put, scratch, until } from "../rig/scratch.ts";
import { type Twist, type WebHub, webHub } from "../rig/web-hub.ts";

const sync = (code: string, input: Record<string, unknown> = {}): Promise<Answer> => act(code, undefined, "sync", input);
const send = (code: string, subject = "s"): Promise<Answer> => act(code, "web", "send", { to: ["main"], subject, body: "b" });
const SECRET = "Authorization: Bearer 5ecret";

const open: WebHub[] = [];
afterEach(async () => {
  for (const hub of open.splice(0)) await hub.close();
});

/** Serves a repository; gives its URL. */
async function served(hub: string, twist?: Twist): Promise<{ web: WebHub; url: string }> {
  git(hub, "config", "http.receivepack", "true");
  const web = await webHub(path.dirname(hub), twist);
  open.push(web);
  return { web, url: `${web.url}/${path.basename(hub)}` };
}

/** Shows who asked with the secret. */
const told = (web: WebHub): boolean[] => web.asked.map(({ headers }) => headers.authorization === SECRET.slice("Authorization: ".length));

describe("over http", () => {
  test("mail goes both ways, with the header that the code has for any host", async () => {
    const { hub, code } = await shop("web");
    const { web, url } = await served(hub);
    const two = await cloneOf(hub);
    git(two, "remote", "set-url", "origin", url);
    git(two, "config", "http.extraHeader", SECRET);
    await send(two, "by http");
    expect(await sync(two, { remote: "origin" })).toMatchObject({ remote: "origin", sent: true });
    await sync(code);
    expect(await act(code, "main", "inbox")).toMatchObject({ unread: 1 });
    await send(code, "back");
    await sync(code);
    expect(await sync(two)).toMatchObject({ arrived: { messages: 1 } });
    expect(new Set(told(web))).toEqual(new Set([true]));
    // Nothing of it is kept in the home's repository.
    expect(fs.readFileSync(path.join(two, ".git/relay/config"), "utf8")).not.toContain("5ecret");
  });

  test("a redirect to another server takes no header of the code along", async () => {
    const { hub, code } = await shop("web");
    const { web: other } = await served(hub);
    const { web, url } = await served(hub, (request, response) => {
      response.writeHead(302, { Location: `${other.url}${request.url}` }).end();
      return true;
    });
    git(code, "remote", "set-url", "origin", url);
    git(code, "config", "http.extraHeader", SECRET);
    await expect(sync(code, { remote: "origin" })).rejects.toMatchObject({ code: "remote_unreachable" });
    expect([told(web).includes(true), other.asked]).toEqual([true, []]);
    // Without anything of the code's a redirect is followed as git does.
    git(code, "config", "--unset", "http.extraHeader");
    expect(await sync(code, { remote: "origin" })).toMatchObject({ remote: "origin" });
    expect(other.asked.length).toBeGreaterThan(0);
  });

  test("a URL that a person gave gets nothing of the code, unless it is on the server of a remote of the code", async () => {
    const { hub, code } = await shop("web");
    git(code, "config", "http.extraHeader", SECRET);
    const { web: stranger, url: strange } = await served(hub);
    await sync(code, { remote: strange });
    expect(new Set(told(stranger))).toEqual(new Set([false]));
    const { web, url } = await served(hub);
    git(code, "remote", "add", "hosted", `${web.url}/code.git`);
    await sync(code, { remote: url });
    expect(new Set(told(web))).toEqual(new Set([true]));
  });

  test("includes of the user's configuration for the code count; url.* and protocol.* of the code do not", async () => {
    const { hub, code } = await shop("web");
    const { web, url } = await served(hub);
    const user = scratch();
    fs.writeFileSync(path.join(user, ".gitconfig"), `[includeIf "gitdir:${code}/.git"]\n\tpath = for-code\n`);
    fs.writeFileSync(path.join(user, "for-code"), `[http]\n\textraHeader = ${SECRET}\n`);
    git(code, "remote", "set-url", "origin", url);
    git(code, "config", "protocol.ext.allow", "always");
    const ran = await relay(code, ["sync", "--remote", "origin", "--json"], { env: { HOME: user } });
    expect(ran.json).toMatchObject({ success: true });
    expect(new Set(told(web))).toEqual(new Set([true]));
  });

  test("settings that are written into the code after the remote was chosen take no mail elsewhere, and no cookie of a remote is kept", async () => {
    const { hub, code } = await shop("web");
    const { web: other, url: elsewhere } = await served(hub);
    const { web, url } = await served(hub, (_request, response) => {
      response.setHeader("Set-Cookie", "x=$(touch ran); Path=/; Expires=Fri, 01 Jan 2100 00:00:00 GMT");
      return false;
    });
    const profile = path.join(scratch(), "profile");
    fs.writeFileSync(profile, "mine\n");
    git(code, "remote", "set-url", "origin", url);
    git(code, "config", "http.cookieFile", profile);
    git(code, "config", `http.${url}.saveCookies`, "true");
    await sync(code, { remote: "origin" });
    git(code, "config", "http.proxy", other.url);
    const asked = web.asked.length;
    expect((await sync(code)).warning).toMatch(/^http\..*proxy of the code/);
    expect([web.asked.length > asked, other.asked, fs.readFileSync(profile, "utf8")]).toEqual([true, [], "mine\n"]);
    git(code, "config", "--unset", "http.proxy");
    for (const name of ["http.proxy", `url.${elsewhere}.insteadof`, `remote.${url}.url`]) {
      git(code, "--git-dir", ".git/relay", "config", name, name.startsWith("url") ? url : elsewhere);
      await expect(sync(code)).rejects.toMatchObject({ code: "git_failed", message: expect.stringContaining(name) });
      git(code, "--git-dir", ".git/relay", "config", "--unset", name);
    }
    expect(other.asked).toEqual([]);
    expect(await sync(code)).not.toHaveProperty("refused");
  });

  test("a repository that lacks an object fetches it from nowhere, whatever its settings promise", async () => {
    const { hub, code } = await shop("web");
    const { web, url } = await served(hub);
    await send(code);
    await act(code, undefined, "record");
    const own = ["--git-dir", ".git/relay"];
    for (const [name, value] of [
      ["extensions.partialClone", "evil"],
      ["fetch.bundleURI", "evil"],
      ["remote.evil.promisor", "true"],
      ["remote.evil.url", url],
    ] as const)
      git(code, ...own, "config", name, value);
    const [blob = ""] = git(code, ...own, "rev-parse", "HEAD:relay.yml").split("\n");
    fs.rmSync(path.join(code, ".git/relay/objects", blob.slice(0, 2), blob.slice(2)));
    for (const name of ["doctor", "check", "record", "log", "sync"] as const) await act(code, undefined, name).catch(() => {});
    expect(web.asked).toEqual([]);
  });

  test("an environment that leads git elsewhere leads nowhere", async () => {
    const { hub, code } = await shop("web");
    const { url } = await served(hub);
    git(code, "remote", "set-url", "origin", url);
    const bin = scratch();
    const ran = path.join(bin, "ran");
    for (const name of ["git-remote-http", "proxy", "ssh"])
      fs.writeFileSync(path.join(bin, name), `#!/bin/sh\necho ${name} >> '${ran}'\nexit 1\n`, { mode: 0o755 });
    fs.writeFileSync(path.join(bin, "config"), `[url "ext::sh -c 'touch ${ran}'"]\n\tinsteadOf = http\n[protocol]\n\tallow = always\n`);
    const env = {
      GIT_EXEC_PATH: bin,
      GIT_PROXY_COMMAND: path.join(bin, "proxy"),
      GIT_CONFIG_GLOBAL: path.join(bin, "config"),
      GIT_CONFIG_SYSTEM: path.join(bin, "config"),
      GIT_CONFIG_NOSYSTEM: "0",
      GIT_ALLOW_PROTOCOL: "ext:http",
      GIT_TEMPLATE_DIR: bin,
      GIT_EXTERNAL_DIFF: path.join(bin, "proxy"),
    };
    expect((await relay(code, ["sync", "--remote", "origin", "--json"], { env })).json).toMatchObject({ success: true });
    expect(fs.existsSync(ran)).toBe(false);
  });

  test("a server that drips is left at the deadline, once for all calls", async () => {
    const { hub, code } = await shop("web");
    const drips: NodeJS.Timeout[] = [];
    const { url } = await served(hub, (_request, response) => {
      response.writeHead(200, { "Content-Type": "application/x-git-upload-pack-advertisement" });
      drips.push(setInterval(() => response.write("0"), 200));
      return true;
    });
    git(code, "remote", "set-url", "origin", url);
    await expect(sync(code, { remote: "origin", timeoutSeconds: 2 })).rejects.toMatchObject({
      code: "remote_unreachable",
      message: expect.stringContaining("within 2 seconds"),
    });
    for (const drip of drips) clearInterval(drip);
    await until("nothing that git started is left", () => !processes().some((line) => line.includes(url)));
  });
});

/** The command lines of all processes. */
const processes = (): string[] =>
  fs
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      } catch {
        return "";
      }
    });

test("ssh without a command of the user's own: no forwarding, no local command, no question", async () => {
  const { hub, code } = await shop("web");
  const bin = scratch();
  // The last argument is what the host would run.
  fs.writeFileSync(path.join(bin, "ssh"), `#!/bin/sh\necho "$@" >> '${bin}/asked'\nfor last; do :; done\nexec sh -c "$last"\n`, {
    mode: 0o755,
  });
  git(code, "remote", "set-url", "origin", `git@host.invalid:${hub}`);
  await send(code);
  const env = { PATH: `${bin}:${process.env["PATH"]}` };
  expect((await relay(code, ["sync", "--remote", "origin", "--json"], { env })).json).toMatchObject({ success: true, sent: true });
  const asked = fs.readFileSync(path.join(bin, "asked"), "utf8");
  for (const option of ["BatchMode=yes", "ConnectTimeout=30", "ForwardAgent=no", "ClearAllForwardings=yes", "PermitLocalCommand=no"])
    expect(asked).toContain(`-o ${option}`);
  git(code, "config", "core.sshCommand", `${bin}/ssh -o Chosen=yes`);
  await send(code);
  const unused = await relay(code, ["sync", "--json"], { env });
  expect(unused.json).toMatchObject({ success: true, sent: true, warning: expect.stringContaining("`relay sync --remote origin`") });
  expect(fs.readFileSync(path.join(bin, "asked"), "utf8")).not.toContain("Chosen=yes");
  await send(code);
  expect((await relay(code, ["sync", "--remote", "origin", "--json"])).json).toMatchObject({ success: true, sent: true });
  expect(fs.readFileSync(path.join(bin, "asked"), "utf8")).toContain("Chosen=yes");
  fs.writeFileSync(path.join(bin, "asked"), asked);
  await send(code);
  expect((await relay(code, ["sync", "--json"])).json).toMatchObject({ success: true, sent: true });
  expect(fs.readFileSync(path.join(bin, "asked"), "utf8").slice(asked.length)).toMatch(/^-o Chosen=yes/);
});

describe("a branch with an object that no git should take", () => {
  const damage = (hub: string): string => {
    const remote = remoteAt(hub);
    const [file = ""] = remote.paths(/^threads\//);
    remote.literal(file.split("/"), "100644", "another text", true);
    return remote.commit();
  };

  test("is not taken, by a clone that is idle, merging or new; one that has the home puts the last good commit back", async () => {
    const { hub, code } = await shop("web");
    await send(code);
    await sync(code);
    const two = await cloneOf(hub);
    const good = git(hub, "rev-parse", "relay").trim();
    const bad = damage(hub);
    await expect(sync(code)).rejects.toMatchObject({ code: "remote_damaged", exit: 11, data: { commit: bad, fault: "duplicateEntries" } });
    await send(two, "mine");
    await expect(sync(two)).rejects.toMatchObject({ code: "remote_damaged", message: expect.stringContaining("relay sync --repair") });
    await expect(cloneOf(hub)).rejects.toMatchObject({ code: "remote_damaged" });
    expect(git(hub, "rev-parse", "relay").trim()).toBe(bad);
    const repaired = await sync(two, { repair: true });
    expect(repaired).toMatchObject({ sent: true, warning: expect.stringContaining(bad.slice(0, 12)) });
    expect(git(hub, "merge-base", good, "relay").trim()).toBe(good);
    await sync(code);
    expect(await act(code, "main", "inbox")).toMatchObject({ unread: 2 });
    expect(git(path.join(code, ".relay"), "fsck", "--strict", "--no-dangling")).toBe("");
  });
});

test("a fetch that brings more than it may is ended, and leaves nothing half", async () => {
  const { hub, code } = await shop("web");
  const remote = remoteAt(hub);
  for (let n = 0; n < 10; n += 1) remote.write(`threads/${n}.bin`, randomBytes(1_000_000));
  remote.commit();
  const repository = { gitDir: path.join(code, ".git/relay"), workTree: path.join(code, ".relay") };
  // A pack that comes slowly enough to be seen growing.
  const slow = path.join(scratch(), "upload-pack");
  const script = `#!${process.execPath}
    const { stdout } = require("node:child_process").spawn("git-upload-pack", process.argv.slice(2), { stdio: ["inherit", "pipe", "inherit"] });
    stdout.on("data", (chunk) => { process.stdout.write(chunk); stdout.pause(); setTimeout(() => stdout.resume(), chunk.length / 2_000); });`;
  fs.writeFileSync(slow, script, { mode: 0o755 });
  const args = ["-c", "fetch.unpackLimit=1", "fetch", "--quiet", "--upload-pack", slow, hub, "+refs/heads/relay:refs/relay/incoming"];
  const result = await runFetch(repository, args, { env: cleanEnv({ GIT_ALLOW_PROTOCOL: "file" }) }, 1_000_000);
  expect(result.tooManyBytes).toBeGreaterThan(1_000_000);
  expect(result.code).toBeNull();
  expect(fs.readdirSync(path.join(repository.gitDir, "objects/pack")).filter((name) => name.startsWith("tmp_"))).toEqual([]);
});

test("a fetched ref whose objects a loss of power took, and a lock that git left, keep no sync from fetching", async () => {
  const { hub, code } = await shop("web");
  const remote = remoteAt(hub);
  remote.write("memory/project.md", "what the others know\n");
  remote.commit();
  const at = path.join(code, ".git/relay/refs/relay/incoming");
  put(at, `${"5a".repeat(20)}\n`);
  fs.writeFileSync(`${at}.lock`, "");
  const old = new Date(Date.now() - 60_000);
  fs.utimesSync(`${at}.lock`, old, old);
  await send(code);
  expect(await sync(code)).toMatchObject({ sent: true });
  expect(fs.readFileSync(path.join(code, ".relay/memory/project.md"), "utf8")).toBe("what the others know\n");
});

test("a clone runs nothing of what it clones, and fetches no submodule", async () => {
  const { hub, code } = await shop("web");
  const ran = path.join(scratch(), "ran");
  fs.writeFileSync(path.join(code, ".gitattributes"), "* filter=evil diff=evil\n");
  fs.writeFileSync(
    path.join(code, ".gitmodules"),
    `[submodule "x"]\n\tpath = x\n\turl = ext::sh -c 'touch ${ran}'\n\tupdate = !touch ${ran}\n`,
  );
  put(path.join(code, ".githooks/post-checkout"), `#!/bin/sh\ntouch '${ran}'\n`, 0o755);
  git(code, "add", "--all");
  git(code, "update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},x`);
  git(code, "commit", "--quiet", "--message", "traps");
  git(code, "push", "--quiet", hub, "main");
  fs.writeFileSync(path.join(hub, "hooks/post-checkout"), `#!/bin/sh\ntouch '${ran}'\n`, { mode: 0o755 });
  const template = scratch();
  put(path.join(template, "hooks/post-checkout"), `#!/bin/sh\ntouch '${ran}'\n`, 0o755);
  const two = path.join(scratch(), "two");
  const { json } = await relay(path.dirname(two), ["clone", hub, two, "--json"], { env: { GIT_TEMPLATE_DIR: template } });
  expect(json).toMatchObject({ success: true, joined: "origin" });
  expect(fs.existsSync(ran)).toBe(false);
  expect(fs.readdirSync(path.join(two, "x"))).toEqual([]);
});
