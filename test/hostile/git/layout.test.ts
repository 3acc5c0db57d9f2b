/** Pushes of files that must not lie on the disk, or cannot: each stays in the branch or goes, and the rest of the sync is as ever. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { expect, test } from "vitest";
import { messageId } from "../../../protocol/core/format/id.ts";
import { count } from "../../rig/counts.ts";
import { relayFile } from "../../rig/processes.ts";
import { cleanEnv } from "../../rig/scratch.ts";
import { play, playEach } from "../rig/play.ts";
import type { Remote } from "../rig/remote.ts";
import { stageOfFile } from "../rig/stage.ts";
import type { Met, Trick } from "../rig/trick.ts";

const stage = stageOfFile();

const DAY = "2026-02-01";
const LONG = `${"n".repeat(300)}.md`;
const DEEP = `${"d".repeat(190)}/`.repeat(25);
const ZEROS = count(24, 100) * 1_048_576;

/** A message of a thread of its own, with a number. */
function numbered(remote: Remote, n: number): string {
  const token = "1kg9p6je000001";
  const id = messageId({ day: DAY, random: "zzzz0001", n, token });
  const head = `id: "${id}"\nthread: "t-20260201-zzzz0001"\nfrom: "api"\nto: ["web"]\nat: "${DAY}T09:30:00.000Z"\nsubject: "s"`;
  const path = `threads/${DAY}/t-20260201-zzzz0001/${n}-${token}.md`;
  for (const at of [path, `inbox/web/new/${id}.md`]) remote.write(at, `---\n${head}\n---\nx\n`);
  return path;
}

const claim = (task: string, fence: number): string =>
  `---\ntask: "${task}"\nfence: ${fence}\nkind: "release"\nagent: "web"\nat: "${DAY}T09:30:00.000Z"\nnonce: "abcdefgh"\n---\n`;

/** What one push brings, and what of it must not be on the disk. */
type Case = [name: string, push: Trick["push"], never: string[], told: string];
const STRANGER = "outside of the layout";
const ATTEMPT = "outside of the layout|a link, a repository, a name of git|cannot be checked out|remote_damaged";

const STRANGE: Case[] = (
  [
    ["a name of 300 bytes", `threads/${LONG}`],
    ["a path of 5,000 bytes", `${DEEP}x.md`],
    ["a file below relay.yml.d", "relay.yml.d/x"],
    ["a line break", "threads/new\nline.md"],
    ["an escape", "threads/\u001b[2Jx.md"],
    ["a name from right to left", "threads/\u202edm.x"],
    ["a dash at the beginning", "-rf"],
    ["a pathspec", ":(glob)*"],
    ["a stream of Windows", "threads/x.md:stream"],
    ["a device of Windows", "memory/agents/con.md"],
    ["a dot at the end", "memory/agents./web.md"],
    ["a later part of the format", "org/units/x.md"],
    ["another case of a place", "Threads/x.md"],
    ["a message's name in no thread", `threads/${DAY}/1-1kg9p6je000001.md`],
    ["a kept file beside nothing", "notes.md.kept-0123456789ab"],
    ["a file of CI", ".gitlab-ci.yml"],
    ["git's alternates", "objects/info/alternates"],
  ] as const
).map(([name, path]) => [name, (remote) => remote.write(path, "x"), path.length > 200 ? [] : [path], STRANGER]);

const ACTING: Case[] = (
  [
    ["git's own folder", [".git", "hooks", "post-checkout"]],
    ["git's own folder below", ["threads", ".git", "config"]],
    ["git's alternates in its folder", [".git", "objects", "info", "alternates"]],
    ["git's folder in capitals", ["threads", ".GIT", "config"]],
    ["git's short name", ["git~1", "config"]],
    ["git's folder with an unseen character", [".g\u200cit", "config"]],
    ["git's folder with a space", [".git ", "config"]],
    ["the way out", ["..", "escaped"]],
    ["a folder of this machine", ["local", "never"]],
    ["a folder of this machine, in capitals", ["LOCAL", "trust"]],
    ["a disposable folder", ["run", "x"]],
    ["an outbox", ["Outbox", "web", "x.md"]],
    ["half a file", ["threads", ".staged-1"]],
  ] as const
).map(([name, names]) => [name, (remote) => remote.literal(names, "100644", "x"), names[0] === ".git" ? [] : [names.join("/")], ATTEMPT]);

const MODES: Case[] = (
  [
    ["a link in place of a folder", (remote: Remote) => remote.link("memory/agents/api.md", "/etc/passwd"), ["memory/agents/api.md"]],
    ["a link to a folder", (remote: Remote) => remote.link("events", "/etc"), []],
    ["a repository", (remote: Remote) => remote.submodule("vendor"), ["vendor"]],
    ["bytes that are no UTF-8 as a name", (remote: Remote) => remote.literal([Buffer.from([0x62, 0xff])], "100644", "x"), []],
  ] as const
).map(([name, push, never]) => [name, push, [...never], ATTEMPT]);

const NUMBERS: Case[] = [
  ["a message's number at its end", (remote) => void numbered(remote, 999_999_999), [`threads/${DAY}`], "number"],
  ["a message's number after a jump", (remote) => void numbered(remote, 1_002), [`threads/${DAY}`], "number"],
  [
    "a claim's number at its end",
    (remote, { session, held }) => remote.write(`sessions/${session}/claims/${held}/99999999.md`, claim(held, 99_999_999)),
    [],
    "number",
  ],
  [
    "an end of a session that nothing led to",
    (remote, { session }) => remote.write(`sessions/${session}/ended-999.md`, '---\nended_by: "human"\n---\n'),
    [],
    "number",
  ],
  ["a version at its end", (remote, { session }) => remote.write(`sessions/${session}/summaries/999999999.md`, "x"), [], "number"],
];

const TWINS: Case[] = [
  ["an inbox that differs in case", (remote) => remote.write("inbox/WEB/guest.md", "x"), ["inbox/WEB"], "case|cannot be checked out"],
  ["a part that differs in case", (remote) => remote.write("memory/agents/WEB.md", "## x\n\ny\n"), ["memory/agents/WEB.md"], "case"],
  ["a file in place of a folder", (remote) => remote.write("threads/x/y", "x"), ["threads/x"], ATTEMPT],
];

const LARGE: Case[] = [
  ["zeros in a memory", (remote) => remote.write("memory/agents/api.md", Buffer.alloc(5 * 1_048_576)), ["memory/agents/api.md"], "bytes"],
];

const tricksOf = (cases: readonly Case[]): Trick[] =>
  cases.map(([name, push, never, told]) => ({ name, push, never, told: new RegExp(told), after: isReportedAndDone, isPlayedToAll: true }));

/** It is named, nothing is left to do, and nobody's recording waits for it. */
async function isReportedAndDone({ act, at }: Met): Promise<void> {
  expect(await act(undefined, "record")).toMatchObject({ commit: null });
  expect(fs.existsSync(at("local/sync/laying.json"))).toBe(false);
}

playEach(
  stage,
  [
    [...STRANGE, ...NUMBERS, ...TWINS, ...LARGE],
    [...ACTING, ...MODES],
  ].map(tricksOf),
);

test("fifteen files of many megabytes of zeros: named, not checked out, never in the memory", async () => {
  const paths = Array.from({ length: 15 }, (_, at) => `memory/agents/p${at}.md`);
  let most = 0;
  await play(
    stage,
    {
      name: "zeros",
      push(remote) {
        remote.write(paths[0] as string, Buffer.alloc(ZEROS));
        remote.commit();
        for (const path of paths.slice(1)) remote.same(path, paths[0] as string);
        remote.commit();
      },
      never: paths,
      told: `${ZEROS} bytes`,
      async after({ code }) {
        most = await peakOf(code, ["sync"]);
      },
    },
    "idle",
  );
  expect(most).toBeLessThan(300);
});

/** The most memory that a command held, in MB. */
async function peakOf(cwd: string, args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [relayFile(), ...args], { cwd, env: cleanEnv(), stdio: "ignore" });
  let most = 0;
  const look = setInterval(() => {
    try {
      const peak = /^VmHWM:\s+(\d+) kB$/m.exec(fs.readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1];
      most = Math.max(most, Number(peak ?? 0) / 1_024);
    } catch {
      // It has ended.
    }
  }, 5);
  await once(child, "close");
  clearInterval(look);
  return most;
}
