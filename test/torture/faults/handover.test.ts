/** Handing a task over tells whoever is to go on with it, once, also where the process that did it is killed at any of its calls. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { answer, operations } from "../../../protocol/index.ts";
import type { Answer } from "../../rig/clones.ts";
import { FULL } from "../../rig/counts.ts";
import { homeWith, worldAt } from "../../rig/home.ts";
import { relay } from "../../rig/processes.ts";
import { scratch } from "../../rig/scratch.ts";
import { pointsOf, type Scene, whyNoStrace, withFault } from "../../rig/strace.ts";
import { age } from "./writing.ts";

const run = (folder: string, part: string, name: keyof typeof operations, input: Record<string, unknown> = {}): Promise<Answer> =>
  answer(worldAt(folder, { part }), operations[name], input);

interface Made {
  folder: string;
  task: string;
}

/** A home with one task, which `web` holds where it is held. */
async function laid(held: boolean): Promise<Made> {
  const folder = await homeWith("web", "api");
  await run(folder, "main", "start_session", { session_id: "s-1" });
  const { task_id: task } = await run(folder, "main", "create_task", { title: "Work", assignee: held ? undefined : "web" });
  if (held) expect(await run(folder, "web", "claim_task", { task_id: task })).toMatchObject({ claimed: true });
  return { folder, task };
}

const copyOf = ({ folder, task }: Made): Made => {
  const copy = path.join(scratch(), path.basename(folder));
  execFileSync("cp", ["-a", folder, copy]);
  return { folder: copy, task };
};

/** Mail that says that a task is api's now, and no longer web's. */
async function mails(folder: string): Promise<number[]> {
  const found = [];
  for (const [part, says] of [
    ["api", /"subject":"Yours/],
    ["web", /"No longer yours.*: it hangs\. Your claim is over/],
  ] as const)
    found.push((await run(folder, part, "inbox")).messages.filter((message: unknown) => says.test(JSON.stringify(message))).length);
  return found;
}

const WAYS: [what: string, held: boolean, args: (task: string) => string[]][] = [
  ["release --to", true, (task) => ["task", "release", task, "--to", "api", "--part", "web"]],
  ["release --to by a person", true, (task) => ["task", "release", task, "--to", "api", "--reason", "it hangs", "--part", "human"]],
  ["a hand-over of a held task", true, (task) => ["task", "update", task, "--assignee", "api", "--part", "web"]],
  ["a hand-over of a free task", false, (task) => ["task", "update", task, "--assignee", "api", "--part", "main"]],
  ["release --to of a free task", false, (task) => ["task", "release", task, "--to", "api", "--part", "main"]],
  ["work that is begun for another", false, (task) => ["task", "update", task, "in_progress", "--assignee", "api", "--part", "main"]],
];

const why = whyNoStrace();
test.skipIf(why !== null).each(WAYS)(
  `%s, killed at every call: a hand-over that was done has its mail once, by the next look${why === null ? "" : ` (skipped: ${why})`}`,
  async (what, held, args) => {
    const template = await laid(held);
    const sceneOf = ({ folder, task }: Made): Scene => ({
      args: args(task),
      cwd: folder,
      folder: path.join(folder, ".relay"),
      threads: false,
    });
    const points = (await pointsOf(sceneOf(copyOf(template)))).filter(({ call, makes }) => call !== "openat" || makes);
    expect(points.length).toBeGreaterThan(10);
    let [hit, done] = [0, 0];
    const taken = args("").includes("human") ? 1 : 0;
    for (const point of points.filter((_, at) => FULL || at % 12 === 6)) {
      const made = copyOf(template);
      const ended = await withFault(sceneOf(made), point, "KILL");
      if (ended.at === null) continue;
      hit += 1;
      age(made.folder);
      await run(made.folder, "main", "whoami");
      const { task } = await run(made.folder, "main", "show_task", { task_id: made.task });
      const isDone = task.assignee === "api";
      expect([ended.at, await mails(made.folder)]).toEqual([ended.at, isDone ? [1, taken] : [0, 0]]);
      done += isDone ? 1 : 0;
      await relay(made.folder, args(made.task));
      expect([ended.at, await mails(made.folder)]).toEqual([ended.at, [1, taken]]);
      const intents = path.join(made.folder, ".relay/local/intents");
      expect(fs.existsSync(intents) ? fs.readdirSync(intents) : []).toEqual([]);
    }
    console.info(`${what}: ${points.length} calls, killed at ${hit}, done at ${done} of them`);
    expect(hit).toBeGreaterThan(0);
  },
);

test("a record that another program left, with the intent that the format says, has its mail by the next look", async () => {
  const { folder, task } = await laid(true);
  const home = (...names: string[]): string => path.join(folder, ".relay", ...names);
  const header = `task: "${task}"\nfence: 2\nkind: "release"\nagent: "web"\nat: "${new Date().toISOString()}"\nnonce: "4c6z1x9v"\nto: "api"`;
  fs.mkdirSync(home("local/intents"), { recursive: true });
  const intent = home(`local/intents/99999-1-00000000-1.aaaaaaaa.claim.s-1.${task}`);
  fs.writeFileSync(intent, "");
  const old = Date.now() / 1_000 - 60;
  fs.utimesSync(intent, old, old);
  fs.writeFileSync(home(`sessions/s-1/claims/${task}/2.md`), `---\n${header}\n---\n`);
  expect(await run(folder, "main", "show_task", { task_id: task })).toMatchObject({ task: { status: "todo", assignee: "api" } });
  expect(await mails(folder)).toEqual([1, 0]);
});

test("an inbox that cannot be used keeps no task from being handed over, and has its mail once it can be", async () => {
  const { folder, task } = await laid(true);
  const inbox = path.join(folder, ".relay/inbox/api");
  fs.renameSync(inbox, `${inbox}-aside`);
  fs.symlinkSync(scratch(), inbox);
  expect(await run(folder, "web", "release_task", { task_id: task, to: "api" })).toMatchObject({ success: true, assignee: "api" });
  fs.rmSync(inbox);
  fs.renameSync(`${inbox}-aside`, inbox);
  const intents = path.join(folder, ".relay/local/intents");
  const old = Date.now() / 1_000 - 60;
  for (const name of fs.readdirSync(intents)) fs.utimesSync(path.join(intents, name), old, old);
  await run(folder, "main", "whoami");
  expect(await mails(folder)).toEqual([1, 0]);
});
