/**
 * Settings and files that anybody with push rights, or a hand, can make as large as they like: no call waits for them. What a
 * call costs is counted in time of the processor, which no other process changes, and beside that of an empty home.
 */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { operations as all, type operations, perform, type Refusal } from "../../../protocol/index.ts";
import { homeWith, worldAt } from "../../rig/home.ts";
import { relayFile } from "../../rig/processes.ts";
import { cleanEnv, put, scratch } from "../../rig/scratch.ts";

/**
 * A call may cost as much more than in an empty home as so many hooks there do, which are measured beside it: a busy machine slows both.
 * What is slow costs hundreds of them.
 */
const MORE_HOOKS = 10;
const FULL = "as many parts and former names as there may be";
const SESSION = "2026-01-31-001-K3F9";
const COUNT = 100_000;

/** The home as a function of its files. */
interface Homes {
  read(name: string): string;
  write(name: string, text: string): void;
}

const message = (n: number, line: string): [id: string, name: string, text: string] => {
  const [thread, token] = [`t-20260131-f100d000`, `1kg9p6je0${String(n).padStart(5, "0")}`];
  const id = `m-20260131-f100d000-${n}-${token}`;
  const header = [`id: "${id}"`, `thread: "${thread}"`, 'from: "api"', 'to: ["web"]', 'at: "2026-01-31T12:00:00.000Z"', 'subject: "s"'];
  return [id, `threads/2026-01-31/${thread}/${n}-${token}.md`, `---\n${[...header, line].join("\n")}\n---\nbody\n`];
};
const unread = (home: Homes, n: number, line: string): void => {
  const [id, name, text] = message(n, line);
  home.write(name, text);
  home.write(`inbox/web/new/${id}.md`, text);
};
const task = (home: Homes, id: string, ...lines: string[]): void =>
  home.write(`sessions/${SESSION}/tasks/${id}.md`, `---\ntitle: "${id}"\nstatus: todo\n${lines.join("\n")}\n---\n`);
const taskId = (n: number): string => `task-${String(n).padStart(10, "0")}`;
const session = (home: Homes): void =>
  home.write(`sessions/${SESSION}/session.md`, `---\nid: "${SESSION}"\nstarted_at: "2026-01-31T12:00:00.000Z"\nstarted_by: "main"\n---\n`);
const many = (word: string): string => Array.from({ length: COUNT }, () => word).join(", ");

const SLOW: [what: string, make: (home: Homes) => void][] = [
  [
    "40,000 parts",
    (home) => home.write("relay.yml", home.read("relay.yml") + Array.from({ length: 40_000 }, (_, n) => `  p${n}: {}\n`).join("")),
  ],
  ["400 KB of brackets", (home) => home.write("relay.yml", "[".repeat(400_000))],
  [
    FULL,
    (home) => {
      const parts = Array.from({ length: 990 }, (_, n) => `  p${n}: {formerly: [f${n}]}\n`).join("");
      home.write("relay.yml", `${home.read("relay.yml").trimEnd()}\n${parts}`);
    },
  ],
  ["a message with 100,000 tags", (home) => unread(home, 1, `tags: [${many('"t"')}]`)],
  ["a message with 100,000 recipients, as YAML", (home) => unread(home, 1, `cc: [${many("t")}]`)],
  [
    "a task that depends on 100,000",
    (home) => {
      task(home, taskId(1), `depends_on: [${many('"task-0000000001"')}]`);
    },
  ],
  [
    "tasks that each depend on 32 that depend on 32, and the last on the first",
    (home) => {
      const ids = (layer: number): string => Array.from({ length: 32 }, (_, n) => `"${taskId(1_000 + (layer % 6) * 32 + n)}"`).join(", ");
      task(home, taskId(1), `depends_on: [${ids(0)}]`);
      for (let layer = 0; layer < 6; layer += 1)
        for (let n = 0; n < 32; n += 1) task(home, taskId(1_000 + layer * 32 + n), `depends_on: [${ids(layer + 1)}]`);
    },
  ],
  [
    "a pool of 1 MB",
    (home) =>
      home.write("agents.pool.yml", `agents:\n${Array.from({ length: 20_000 }, (_, n) => `  p${n}: { extends: p${n + 1} }\n`).join("")}`),
  ],
  [
    "a pool of one agent with 100,000 tools",
    (home) => home.write("agents.pool.yml", `agents:\n  web: { name: w, emoji: x, systemPrompt: y, tools: [${many("t")}] }\n`),
  ],
];

const CALLS: [name: keyof typeof operations, input: Record<string, unknown>][] = [
  ["inbox", {}],
  ["send", { to: ["main"], subject: "s", body: "b" }],
  ["get_all_tasks", { session_id: SESSION }],
  ["show_task", { session_id: SESSION, task_id: taskId(1) }],
  ["status", {}],
  ["roster", {}],
  ["list_agents", {}],
];

const milliseconds = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1_000;

/** What each call costs in a copy of a home, in milliseconds of the processor. */
async function costs(folder: string): Promise<Map<string, number>> {
  const cost = new Map<string, number>();
  const copy = scratch();
  fs.cpSync(folder, copy, { recursive: true });
  // The first call after a change of a long relay.yml reads it as YAML; what it kept of it spares the next ones that.
  worldAt(copy).home().config();
  for (const [name, input] of CALLS) {
    const before = process.cpuUsage();
    const answer = await perform(worldAt(copy, { part: "web" }), all[name], input).catch((error: Refusal) => error.code);
    cost.set(name, milliseconds(process.cpuUsage(before)));
    // A file that is too much is named and passed over; only who asks for it by its name is refused.
    const lawful = name === "show_task" ? ["object", "malformed_file"] : ["object"];
    expect(lawful, name).toContain(typeof answer === "string" ? answer : typeof answer);
  }
  cost.set("hook prompt", hookCost(copy));
  return cost;
}

/** What a hook costs, its process with it, as the shell tells. */
function hookCost(folder: string): number {
  const words = ["bash", process.execPath, relayFile(), "hook", "prompt", "--part", "web"];
  const options = { cwd: folder, env: cleanEnv(), encoding: "utf8" } as const;
  const told = execFileSync("bash", ["-c", '"$@" >/dev/null 2>&1 </dev/null; times', ...words], options);
  const ofChildren = told.trim().split("\n").at(-1) ?? "";
  return [...ofChildren.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60_000 + Number(seconds) * 1_000,
    0,
  );
}

test("no settings, headers or dependencies make a call wait", async () => {
  const made = async (make: (home: Homes) => void): Promise<string> => {
    const folder = await homeWith("web", "api");
    const at = (name: string): string => path.join(folder, ".relay", name);
    // The home was read while all was well.
    worldAt(folder).home().config();
    const home: Homes = {
      read: (name) => fs.readFileSync(at(name), "utf8"),
      write: (name, text) => put(at(name), text),
    };
    session(home);
    task(home, taskId(1));
    make(home);
    return folder;
  };
  const empty = await made(() => {});
  // The first time what is needed is loaded.
  await costs(empty);
  const base = await costs(empty);
  const most = MORE_HOOKS * hookCost(empty);
  for (const [what, make] of SLOW) {
    const folder = await made(make);
    const over = async (): Promise<string[]> => {
      const more = [...(await costs(folder))].map(([name, ms]) => ({ name, ms: ms - (base.get(name) as number) }));
      return more.filter(({ ms }) => ms > most).map(({ name, ms }) => `${name}: ${ms.toFixed(0)} ms more, at most ${most.toFixed(0)}`);
    };
    // What the process did besides, such as collecting what it left, is not the call's: only what is slow again is.
    const slow = (await over()).length === 0 ? [] : await over();
    expect(slow, what).toEqual([]);
  }
});
