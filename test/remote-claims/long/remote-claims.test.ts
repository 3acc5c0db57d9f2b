/** Claims that a remote decides, while others are at work in the same home or at the same ref. spec/git.md, "Claims across machines". */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { claimRef } from "../../../protocol/board/nouns/remote-claim.ts";
import { gitIn } from "../../../protocol/git/git-run.ts";
import { operations, perform } from "../../../protocol/index.ts";
import { gitWith, remoteAt } from "../../hostile/rig/remote.ts";
import { type Answer, act, board, cloneOf, unplug } from "../../rig/clones.ts";
import { worldAt } from "../../rig/home.ts";
import { cleanEnv, git, scratch, until } from "../../rig/scratch.ts";

const sync = (code: string): Promise<Answer> => act(code, undefined, "sync");
const hook = (hub: string, name: string, text: string): void =>
  fs.writeFileSync(path.join(hub, "hooks", name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
const undecided = (code: string): string[] => fs.readdirSync(path.join(code, ".relay/local/provisional"));
/** What the remote decided of a task's claims, by the names of its files. */
const decisions = (code: string, { session_id, task_id }: { session_id: string; task_id: string }): string[] =>
  fs.readdirSync(path.join(code, ".relay/sessions", session_id, "claims", task_id)).filter((name) => /confirmed|lost/.test(name));

test("a claim that the remote accepted is won, also where a sync of the same home wrote its record first", async () => {
  const { hub, code, session_id, task_id } = await board();
  const [pushed, go] = [path.join(hub, "pushed"), path.join(hub, "go")];
  // The remote has moved the ref, and its answer is slow.
  hook(
    hub,
    "post-receive",
    `grep -q refs/relay/claims || exit 0\n[ -e "${pushed}" ] && exit 0\ntouch "${pushed}"\nwhile [ ! -e "${go}" ]; do sleep 0.05; done`,
  );
  const world = worldAt(code, { part: "web" });
  const claiming = perform(world, operations.claim_task, { session_id, task_id });
  await until("the remote has the claim", () => fs.existsSync(pushed));
  await sync(code);
  fs.writeFileSync(go, "");
  expect(await claiming).toMatchObject({ claimed: true, fence: 1 });
  expect([...world.connection.claims.values()]).toMatchObject([{ agent: "web", task: task_id, fence: 1 }]);
});

test("a provisional claim that cannot be read stays to be decided, and is once it can", async () => {
  const { hub, code, session_id, task_id } = await board();
  const plug = unplug(hub);
  expect(await act(code, "web", "claim_task", { session_id, task_id })).toMatchObject({ claimed: true, provisional: true });
  plug();
  const record = path.join(code, ".relay/sessions", session_id, "claims", task_id, "1.md");
  const [mark] = undecided(code);
  const minutesAgo = Date.now() / 1_000 - 300;
  fs.utimesSync(path.join(code, ".relay/local/provisional", mark as string), minutesAgo, minutesAgo);
  fs.renameSync(record, path.join(code, "away"));
  fs.mkdirSync(record);
  await sync(code);
  expect(undecided(code)).toEqual([mark]);
  fs.rmdirSync(record);
  fs.renameSync(path.join(code, "away"), record);
  await sync(code);
  expect(undecided(code)).toEqual([]);
  expect(decisions(code, { session_id, task_id })).toEqual([expect.stringMatching(/^1\.\w+\.confirmed\.md$/)]);
});

test("a remote whose ref moves at each push is asked a few times, and the claim stays undecided", async () => {
  const { hub, code, session_id, task_id } = await board();
  const two = await cloneOf(hub);
  await act(two, "api", "claim_task", { session_id, task_id });
  await act(two, "api", "release_task", { session_id, task_id });
  await sync(two);
  await sync(code);
  const plug = unplug(hub);
  expect(await act(code, "web", "claim_task", { session_id, task_id })).toMatchObject({ claimed: true, provisional: true });
  plug();
  const asked = path.join(hub, "asked");
  // Another program renews what the ref says while our push is on its way, thirty times.
  hook(
    hub,
    "pre-receive",
    `read -r _old _new ref
case "$ref" in refs/relay/claims/*) ;; *) exit 0 ;; esac
echo . >> "${asked}"
times=$(grep -c . "${asked}")
[ "$times" -gt 30 ] && exit 0
unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES
other=$(git cat-file blob "$ref" | sed "/^renewed:/d" | sed "1a renewed: $times" | git hash-object -w --stdin)
git update-ref "$ref" "$other"`,
  );
  await sync(code);
  expect(fs.readFileSync(asked, "utf8").trim().split("\n").length).toBeLessThan(20);
  expect(undecided(code)).toHaveLength(1);
  expect(decisions(code, { session_id, task_id })).toEqual([]);
  fs.rmSync(path.join(hub, "hooks/pre-receive"));
  await sync(code);
  expect(undecided(code)).toEqual([]);
  expect(decisions(code, { session_id, task_id })).toEqual([expect.stringMatching(/^3\.\w+\.confirmed\.md$/)]);
});

test("a sync that has several things to say says each", async () => {
  const { hub, code, session_id, task_id } = await board();
  hook(hub, "update", 'case "$1" in refs/relay/*) echo "no such refs here" >&2; exit 1;; esac');
  expect(await act(code, "web", "claim_task", { session_id, task_id })).toMatchObject({ claimed: true, provisional: true });
  const { sent, warning: advice } = await sync(code);
  expect([sent, advice]).toEqual([true, expect.stringMatching(/no such refs here.*`claims: local`/)]);
  const remote = remoteAt(hub);
  remote.write("relay.yml", remote.read("relay.yml").replace(/^format: .*$/m, "format: 99"));
  remote.commit();
  const { warning } = await sync(code);
  expect(warning).toContain("claims stay provisional");
  expect(warning).toContain("has a format that this version of Relay does not know");
});

describe("refs among those of claims that are none", () => {
  /** A commit that no git takes; the branch stays as it was. */
  function damaged(hub: string): string {
    const before = git(hub, "rev-parse", "relay").trim();
    const remote = remoteAt(hub);
    remote.literal((remote.paths(/^threads\//)[0] as string).split("/"), "100644", "another text", true);
    const bad = remote.commit();
    git(hub, "update-ref", "refs/heads/relay", before);
    return bad;
  }
  const blob = (hub: string, text: string): string => gitWith(hub, text, "hash-object", "-w", "--stdin");
  /** What lies where the ref of a claim belongs, or keeps a remote from having it. */
  const STRAYS: [string, (hub: string, ref: string) => void][] = [
    ["a commit", (hub, ref) => void git(hub, "update-ref", ref, "relay")],
    ["words", (hub, ref) => void git(hub, "update-ref", ref, blob(hub, "words"))],
    ["a large file", (hub, ref) => void git(hub, "update-ref", ref, blob(hub, "x".repeat(9_000)))],
    ["a damaged commit", (hub, ref) => void git(hub, "update-ref", ref, damaged(hub))],
    ["refs below it", (hub, ref) => ["x", "y/z"].forEach((name) => void git(hub, "update-ref", `${ref}/${name}`, "relay"))],
    ["a ref above it", (hub, ref) => void git(hub, "update-ref", path.posix.dirname(ref), "relay")],
    ["a ref in the place of their folder", (hub) => void git(hub, "update-ref", "refs/relay/claims", "relay")],
  ];

  test.each(STRAYS)("%s: it is named, and the task can be claimed, with a sync before and without", async (_what, lay) => {
    for (const isSynced of [true, false]) {
      const { hub, code, session_id, task_id } = await board();
      await act(code, "web", "send", { to: ["main"], subject: "s", body: "b" });
      await sync(code);
      const ref = claimRef(session_id, task_id);
      lay(hub, ref);
      if (isSynced) {
        expect((await sync(code)).warning).toMatch(
          /^on origin, below refs\/relay\/claims\/, .* no claims? of a task here, and Relay passed over/,
        );
        expect((await act(code, undefined, "doctor")).findings).toMatchObject([{ severity: "warning", code: "stray_refs" }]);
      }
      const answer = await act(code, "web", "claim_task", { session_id, task_id });
      expect(answer).toMatchObject({ claimed: true, fence: 1 });
      expect(answer).not.toHaveProperty("provisional");
      expect(git(hub, "cat-file", "blob", ref)).toContain('agent: "web"');
      expect(await sync(code)).not.toHaveProperty("warning");
      expect((await act(code, undefined, "doctor")).findings).toEqual([]);
    }
  });

  test("50,000 of them: none comes here, and one line says so", async () => {
    const { hub, code, session_id, task_id } = await board();
    await sync(code);
    const tip = git(hub, "rev-parse", "relay").trim();
    const names = Array.from(
      { length: 50_000 },
      (_, n) => `${path.posix.dirname(claimRef(session_id, task_id))}/task-${String(n).padStart(10, "0")}`,
    );
    fs.writeFileSync(
      path.join(hub, "packed-refs"),
      `# pack-refs with: peeled fully-peeled sorted \n${names.map((name) => `${tip} ${name}\n`).join("")}`,
    );
    expect((await sync(code)).warning).toContain("50000 refs are no claims of a task here");
    expect(git(path.join(code, ".relay"), "for-each-ref", "refs/relay/claims")).toBe("");
    expect(await act(code, "web", "claim_task", { session_id, task_id })).toMatchObject({ claimed: true, fence: 1 });
  });

  test.runIf(process.platform === "linux")(
    "a remote that names refs without end: git ends where it would take more memory than it may",
    async () => {
      const folder = scratch();
      const server = path.join(folder, "ssh");
      const id = "5a".repeat(20);
      const first = `0047${id} refs/heads/aaaaaaa\\0agent=x`;
      fs.writeFileSync(server, `#!/bin/sh\nprintf '${first}'\nexec yes '003f${id} refs/heads/bbbbbb'\n`, { mode: 0o755 });
      const env = { ...cleanEnv(), GIT_SSH_COMMAND: server, GIT_SSH_VARIANT: "simple", GIT_ALLOW_PROTOCOL: "ssh" };
      const { code, err } = await gitIn(folder, ["ls-remote", "ssh://host/home"], { env, memoryBytes: 2 ** 27 });
      expect([code, err]).toEqual([128, expect.stringContaining("Out of memory")]);
    },
  );
});
