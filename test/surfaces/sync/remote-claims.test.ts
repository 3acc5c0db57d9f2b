/** Claims that a remote decides, while others are at work in the same home or at the same ref. spec/git.md, "Claims across machines". */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { operations, perform } from "../../../protocol/index.ts";
import { remoteAt } from "../../hostile/rig/remote.ts";
import { type Answer, act, board, cloneOf } from "../../rig/clones.ts";
import { worldAt } from "../../rig/home.ts";
import { until } from "../../rig/scratch.ts";

const sync = (code: string): Promise<Answer> => act(code, undefined, "sync");
const hook = (hub: string, name: string, text: string): void =>
  fs.writeFileSync(path.join(hub, "hooks", name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
/** Takes the remote away; gives what brings it back. */
function unplug(hub: string): () => void {
  fs.renameSync(hub, `${hub}.away`);
  return () => fs.renameSync(`${hub}.away`, hub);
}
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
  const remote = remoteAt(hub);
  remote.write("relay.yml", remote.read("relay.yml").replace(/^format: .*$/m, "format: 99"));
  remote.commit();
  const { warning } = await sync(code);
  expect(warning).toContain("claims stay provisional");
  expect(warning).toContain("has a format that this version of Relay does not know");
});
