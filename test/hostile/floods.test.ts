/** Pushes of very many files, or of so few bytes that stand for more files than any disk has: taken in bounded steps, or refused, and said. */
import fs from "node:fs";
import { expect, test } from "vitest";
import { messageId } from "../../protocol/core/format/id.ts";
import type { Job } from "../../protocol/core/noun/merge-tree.ts";
import type { Change } from "../../protocol/git/git-changes.ts";
import type { Repository } from "../../protocol/git/git-run.ts";
import { findRepository } from "../../protocol/git/home/repository.ts";
import { limitsOf, runJobs } from "../../protocol/sync/guard/run-jobs.ts";
import { writeIncoming } from "../../protocol/sync/sync/write-incoming.ts";
import { act } from "../rig/clones.ts";
import { count } from "../rig/counts.ts";
import { makeGoodHome, makeTheRest } from "../rig/good-home.ts";
import { worldAt } from "../rig/home.ts";
import { connect, relay } from "../rig/processes.ts";
import { git, putAll, repository, scratch, tree } from "../rig/scratch.ts";
import { costOf, whyNoStrace } from "../rig/strace.ts";
import { playEach } from "./rig/play.ts";
import { gitWith, type Remote, remoteAt } from "./rig/remote.ts";
import { stageOfFile } from "./rig/stage.ts";
import { answerOf, type Trick } from "./rig/trick.ts";

const stage = stageOfFile();

/** A call takes no more arguments than this, so that more paths than these once stopped every sync. */
const ARGUMENTS = 130_001;

/** A folder of a hundred folders of a hundred …: some kilobytes that stand for a million files. */
function bomb(remote: Remote): void {
  let id = gitWith(remote.hub, "x", "hash-object", "-w", "--stdin");
  for (let level = 0; level < 3; level += 1) {
    const mode = level === 0 ? "100644 blob" : "040000 tree";
    const lines = Array.from({ length: 100 }, (_, at) => `${mode} ${id}\t${String(at).padStart(2, "0")}`);
    id = gitWith(remote.hub, `${lines.join("\n")}\n`, "mktree");
  }
  remote.literal(["memory", "agents", "many"], "40000", id);
}

/** A file of a long name, in folders of one another: git overflows its stack in some thousand of them. */
function deep(remote: Remote, levels = 100, name = "x"): void {
  let line = `100644 blob ${gitWith(remote.hub, "x", "hash-object", "-w", "--stdin")}\t${name}`;
  for (let level = 0; level < levels; level += 1) line = `040000 tree ${gitWith(remote.hub, `${line}\n`, "mktree")}\td`;
  remote.literal(["memory", "agents", "deep"], "40000", line.slice(12, 52));
}

const DAY = "2026-02-03";
const ackOf = (n: number): string =>
  `${messageId({ day: DAY, random: n.toString(16).padStart(8, "0"), n: 1, token: "1kg9p6je000001" })}.md`;

const claimOf = (task: string, fence: number): string =>
  `---\ntask: "${task}"\nfence: ${fence}\nkind: "claim"\nagent: "evil"\nat: "${DAY}T09:30:00.000Z"\nnonce: "abcdefgh"\n---\n`;

/** So many files, each by its number: name → content. */
const numbered = (files: number, fileOf: (n: number) => [string, string]): Map<string, string> =>
  new Map(Array.from({ length: files }, (_, n) => fileOf(n)));

const TRICKS: Trick[] = [
  {
    name: "a million files in some kilobytes",
    push: bomb,
    told: /change more files than Relay reads/,
    // Git itself would check them out in a checkout; who joins is refused.
    kinds: ["idle", "merging"],
    isPlayedToAll: true,
    after: async ({ act: call }) => {
      expect((await call(undefined, "sync", { repair: true })).warning).toContain("which has an unsafe object");
    },
  },
  {
    name: `${count(1_001, ARGUMENTS)} links`,
    push(remote) {
      remote.fill(
        "memory/agents",
        numbered(count(1_001, ARGUMENTS), (n) => [`l${n}.md`, "/etc/passwd"]),
        "120000",
      );
    },
    // Those that may act by name are named, the first ten; the next stands for the rest.
    told: `with ${count(990, ARGUMENTS - 11)} more a link`,
    toldToNew: "a link",
  },
  {
    name: `${count(300, 100_000)} acks of messages that are not there`,
    push(remote) {
      remote.fill(
        `inbox/web/read/${DAY}`,
        numbered(count(300, 100_000), (n) => [ackOf(n), "x"]),
      );
    },
    told: `marked ${count(300, 100_000)} messages of web as read`,
    toldToNew: null,
    tells: { web: new RegExp(`marked ${count(300, 100_000)} messages of web as read`) },
  },
  {
    name: `${count(600, 10_000)} claims of one task`,
    push(remote, { session, derived }) {
      const claims = numbered(count(600, 10_000), (n) => [`${n + 3}.md`, claimOf(derived, n + 3)]);
      remote.fill(`sessions/${session}/claims/${derived}`, claims);
    },
    told: /"claim":\d+/,
    undone: /^took \S+ back from evil/,
    toldToNew: null,
  },
  {
    name: `${count(2_000, 60_000)} events of one day`,
    push(remote) {
      const [at = ""] = remote.paths(/^events\//);
      const lines = Array.from(
        { length: count(2_000, 60_000) },
        (_, n) => `{"at":"2026-02-03T09:30:00.000Z","part":"web","type":"e${n}"}\n`,
      );
      remote.write(at, lines.join(""));
    },
    told: /"event":1/,
    toldToNew: null,
  },
  {
    name: "forged usage",
    push(remote) {
      remote.write("usage/2026-02/abcdefgh.jsonl", `${'{"part":"web","tokens":1e308}\n'.repeat(1_000)}no json\n\u001b[2J\n`);
      remote.write("usage/2026-02/zzzzzzzz.jsonl", Buffer.alloc(1_048_576, 0xff));
      remote.write("usage/2026-13/../x", "x".repeat(10));
    },
    told: /"(usage )?file":\d/,
    toldToNew: null,
  },
];

playEach(stage, TRICKS);

test.each([
  ["more files than any disk has", bomb],
  ["folders deeper than git can walk", deep],
  ["a name longer than disks take", (remote: Remote) => deep(remote, 1, "n".repeat(20_000))],
])("a join of a branch with %s is refused, and leaves no home", async (_what, lay) => {
  const folder = scratch();
  fs.cpSync(`${stage.folder}/hub.git`, `${folder}/hub.git`, { recursive: true });
  const remote = remoteAt(`${folder}/hub.git`);
  lay(remote);
  remote.commit();
  const answered = await answerOf(act(folder, undefined, "clone", { url: remote.hub, folder: "new" }));
  expect(answered).toMatchObject({ refused: "remote_damaged", reason: expect.stringContaining("more files than Relay reads") });
  expect(fs.existsSync(`${folder}/new/.relay/relay.yml`)).toBe(false);
});

/** The repository of a copy of the clone that has nothing of its own. */
function idleCopy(): { code: string; repository: Repository } {
  const code = `${scratch()}/idle`;
  fs.cpSync(`${stage.folder}/idle`, code, { recursive: true, verbatimSymlinks: true });
  return { code, repository: findRepository(worldAt(code)) as Repository };
}

test("a file longer than any that Relay reads is not recorded, though it takes no room on the disk", async () => {
  const { code } = idleCopy();
  const names = ["memory/agents/long.md", "memory/agents/short.md"];
  for (const name of names) fs.closeSync(fs.openSync(`${code}/.relay/${name}`, "a"));
  fs.truncateSync(`${code}/.relay/${names[0]}`, 2 ** 40);
  await act(code, undefined, "record");
  const listed = git(`${code}/.relay`, "ls-tree", "-r", "--name-only", "HEAD", "memory");
  expect([listed.includes(names[0] as string), listed.includes(names[1] as string)]).toEqual([false, true]);
});

test("contents that are compared are read a part at a time, and none that is larger than its file may be", async () => {
  const { code, repository } = idleCopy();
  const bytes = [3_000_000, 3_000_001, 3_000_002, 3_000_003, 5_000_000];
  const ids = bytes.map((size) => gitWith(`${code}/.relay`, "x".repeat(size), "hash-object", "-w", "--stdin"));
  const held: number[][] = [];
  const jobs = ids.map(
    (id): Job => ({
      needs: [id],
      run(read) {
        held.push(ids.flatMap((each) => read(each)?.length ?? []));
        return new Map([[`memory/agents/${held.length}.md`, { content: `merged ${held.length}` }]]);
      },
    }),
  );
  const limits = limitsOf(ids.map((id) => ["memory/agents/web.md", id]));
  const decided = await runJobs(repository, jobs, limits);
  expect(held).toEqual([bytes.slice(0, 2), bytes.slice(0, 2), bytes.slice(2, 4), bytes.slice(2, 4), bytes.slice(2, 4)]);
  // What was merged in an earlier part is stored, and held no more.
  expect([...decided.values()].map((outcome) => Object.keys(outcome)[0])).toEqual(["take", "take", "content", "content", "content"]);
  const [first] = decided.values();
  expect(gitWith(`${code}/.relay`, "", "cat-file", "blob", (first as { take: string }).take)).toBe("merged 1");
});

test("new files of more bytes than one call checks out wait, and are named", async () => {
  const { code, repository } = idleCopy();
  const world = worldAt(code);
  const after = gitWith(`${code}/.relay`, "x".repeat(1_000), "hash-object", "-w", "--stdin");
  const of = (name: string): Change => ({ path: `memory/agents/${name}.md`, before: null, after, mode: "100644" });
  const { later } = await writeIncoming(world, repository, ["a", "b", "c"].map(of), { most: { files: 10, bytes: 2_500 } });
  expect(later).toEqual(["memory/agents/c.md"]);
  expect(fs.readdirSync(`${code}/.relay/memory/agents`)).toEqual(expect.arrayContaining(["a.md", "b.md"]));
  expect(fs.existsSync(`${code}/.relay/memory/agents/c.md`)).toBe(false);
});

test.skipIf(whyNoStrace() !== null)("the cost of taking a push back grows neither with the claims of a task nor with links", async () => {
  const folder = scratch();
  for (const name of ["hub.git", "idle"])
    fs.cpSync(`${stage.folder}/${name}`, `${folder}/${name}`, { recursive: true, verbatimSymlinks: true });
  const [remote, code] = [remoteAt(`${folder}/hub.git`), `${folder}/idle`];
  git(code, "remote", "set-url", "origin", remote.hub);
  const { session, derived } = stage.home;
  remote.fill(
    `sessions/${session}/claims/${derived}`,
    numbered(600, (n) => [`${n + 3}.md`, claimOf(derived, n + 3)]),
  );
  remote.fill(
    "memory/agents",
    numbered(600, (n) => [`l${n}.md`, "/etc/passwd"]),
    "120000",
  );
  const commit = remote.commit();
  await act(code, undefined, "sync");
  const home = `${code}/.relay`;
  const scene = { args: ["undo", commit, "--json"], cwd: code, threads: false };
  // The folder of the claims is listed a few times, whatever it has.
  expect(await costOf({ ...scene, folder: `${home}/sessions` })).toBeLessThan(200);
  expect(Object.keys(tree(home)).filter((at) => /\/l\d+\.md/.test(at))).toEqual([]);
});

test("no tool answers more than clients let through, nor a list on the command line, and the cursor leads through all of it", async () => {
  const home = await makeGoodHome(repository());
  await makeTheRest(home);
  const { session, review } = home;
  const text = (name: string): string => fs.readFileSync(home.at(name), "utf8");
  const long = 'flood \u{1f600}\u200b"\n'.repeat(20_000);
  const lines = (count: number, lineOf: (n: number) => string): string => [...numbered(count, (n) => [lineOf(n), ""]).keys()].join("\n");
  /** The record of a task or a review 300 times, under other names. */
  const copies = (name: string, more = ""): Record<string, string> => {
    const as = (of: string, n: number): string => of.replace(/(task|review)-\w+/g, `$1-${String(n).padStart(10, "0")}`);
    return Object.fromEntries(numbered(300, (n) => [as(name, n), as(text(name), n) + more]));
  };
  const call = (part: string, name: string, input: Record<string, unknown>) => act(home.folder, part, name as "send", input);
  for (let n = 0; n < 40; n += 1) await call("api", "send", { to: ["web"], subject: `flood ${n}`, body: long.slice(0, 3_000) });
  const { threadId } = await call("api", "send", { to: ["web"], subject: "flood", body: long.slice(0, 65_000) });
  await call("api", "send_message", { to: "web", content: long.slice(0, 65_000), session_id: session });
  await call("main", "save_orchestrator_state", { state: long.slice(0, 65_000), session_id: session });
  const tasks = `sessions/${session}/tasks`;
  putAll(home.at(), {
    [`${tasks}/${home.held}.md`]: `${text(`${tasks}/${home.held}.md`)}${lines(1_500, (n) => `- 2026-01-31T09:30:00.000Z main: ${n}${" flood".repeat(80)}`)}\n`,
    ...{ ...copies(`${tasks}/${home.done}.md`), ...copies(review), ...copies(review.replace(".md", ".result.md"), long.slice(0, 9_000)) },
    ...Object.fromEntries(numbered(300, (n) => [`${tasks}/broken-${n}.md`, "x"])),
    ...Object.fromEntries(numbered(300, (n) => [`sessions/flood-${n}/session.md`, text(`sessions/${session}/session.md`)])),
    [`sessions/${session}/summary.md`]: long,
    "memory/project.md": `## big\n\n${long}\n${lines(900, (n) => `## k${n}\n\nflood\n`)}`,
    "agents.pool.yml": `agents:\n${lines(300, (n) => `  a${n}: { name: A, emoji: "*", tools: [], systemPrompt: ${"flood ".repeat(200)} }`)}`,
    "relay.yml": text("relay.yml").replace(/^parts:\n/m, (line) => `${line}${lines(800, (n) => `  flood-${n}: {}`)}\n`),
  });
  const agent = await connect(home.folder, { args: ["--part", "web", "--tools", "room,plugin,team,view"] });
  const given: Record<string, Record<string, unknown>> = {
    ...{ show: { threadId }, search: { query: "flood", limit: 200 }, inbox: { limit: 200 }, wait: { timeoutSeconds: 0 } },
    ...{ start_session: { session_id: session }, end_session: { template: true }, show_task: { task_id: home.held } },
    ...{ get_artifact: { name: "login-design" }, get_all_tasks: { limit: 10_000 } },
  };
  const refused: string[] = [];
  for (const { name, annotations } of (await agent.client.listTools()).tools) {
    const { content, isError } = await agent.client.callTool({ name, arguments: given[name] ?? {} });
    const texts = (content as { text: string }[]).map((each) => each.text);
    expect(texts.join("").length, name).toBeLessThanOrEqual(25_000);
    if (annotations?.readOnlyHint === true && isError === true) refused.push(name);
  }
  expect(refused).toEqual(["ReadReply"]);
  const lists =
    "task list,artifact list,review list,session list,memory read,session end --template,roster,agents,part list,check,doctor,status,next,inbox";
  for (const typed of lists.split(",")) {
    const { stdout, code: exit } = await relay(home.folder, [...typed.split(" "), "--part", "main"]);
    expect([exit, stdout.length < 27_000], `${typed}: ${stdout.slice(0, 500)}`).toEqual([Number(/^(?:check|doctor)/.test(typed)), true]);
  }
  expect((await relay(home.folder, ["memory", "read", "--all"])).stdout).toBe(text("memory/project.md"));
  const pagesOf = async (tool: string, args: object, cursor?: string): Promise<string> => {
    const page = await agent.call(tool, { ...args, ...(cursor === undefined ? {} : { cursor }) });
    return (page.summary ?? page.content) + (page.cursor === undefined ? "" : await pagesOf(tool, args, page.cursor));
  };
  for (const [tool, args] of [["get_session_summary", { session_id: session }] as const, ["read_memory", { key: "big" }] as const])
    expect((await pagesOf(tool, args)).trim(), tool).toBe(long.trim());
  await agent.close();
});
