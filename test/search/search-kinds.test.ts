/** Searching what is neither message, task nor summary: artifacts, reviews, memories, the office, parts. */
import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { operations, perform, type World } from "../../protocol/index.ts";
import { createDispatch } from "../../protocol/office/files/create-dispatch.ts";
import type { Answer } from "../rig/clones.ts";
import { officeHome, playTurn } from "../rig/dispatches.ts";
import { worldAt } from "../rig/home.ts";
import { relay } from "../rig/processes.ts";

const SESSION = "refunds";
let folder: string;
let clock = 0;
const as = (part?: string): World => worldAt(folder, { part, now: () => Date.parse("2026-03-04T12:00:00Z") + clock });
const run = (part: string | undefined, name: keyof typeof operations, input: Record<string, unknown> = {}): Promise<Answer> => {
  clock += 1_000;
  return perform(as(part), operations[name], input);
};
const search = (query: string, more: Record<string, unknown> = {}): Promise<Answer> => run("web", "search", { query, ...more });
const kinds = async (query: string, more: Record<string, unknown> = {}): Promise<string[]> =>
  (await search(query, more)).hits.map(({ kind }: Answer) => kind);
const at = (...names: string[]): string => path.join(folder, ".relay", ...names);
const post = (content: string, name = "Design"): Promise<Answer> =>
  run("web", "post_artifact", { session_id: SESSION, name, type: "design", content });

/** One of each kind, with a text in it. */
async function fill(text: string): Promise<{ artifact: string; review: string; dispatch: string }> {
  await run("web", "start_session", { session_id: SESSION });
  await post("obsolete");
  const { artifact_id: artifact } = await post(`# Refunds\n\n${text} of the artifact`);
  const { review_id: review } = await run("web", "request_review", { session_id: SESSION, artifact_id: artifact, reviewer: "api" });
  const result = { review_id: review, status: "changes_requested", comments: `${text} of the review` };
  await run("api", "submit_review", { session_id: SESSION, ...result });
  await run("api", "append_memory", { agent_id: "api", content: `${text} of api` });
  await run("api", "write_memory", { key: "all", content: `${text} of the project` });
  const { dispatch } = createDispatch(as("web"), { initiator: "web", recipient: "om", text: "Do it.", parent: null });
  playTurn(as("web"), dispatch.id, "", { outcome: "failed", problem: `${text.split("\n")[0]} of the turn` });
  const agent = at("org/agents/auditor.md");
  fs.appendFileSync(agent, `${text} of the prompt\n`);
  fs.utimesSync(agent, new Date("2026-03-01T00:00:00Z"), new Date("2026-03-01T00:00:00Z"));
  const config = at("relay.yml");
  const about = JSON.stringify(`${text} of the part`);
  fs.writeFileSync(config, fs.readFileSync(config, "utf8").replace(/^( +)api:.*$/m, `$1api: { about: ${about} }`));
  return { artifact, review, dispatch: dispatch.id };
}

beforeEach(async () => {
  folder = await officeHome("web", "api");
});

test("each kind is found, with what leads to it, and by part, thread and time", async () => {
  const { artifact, review, dispatch } = await fill("needle");
  const { hits, total, problems } = await search("needle");
  expect(problems).toBeUndefined();
  expect(total).toBe(hits.length);
  const found = Object.fromEntries(
    hits.filter(({ kind }: Answer) => kind !== "message").map((hit: Answer) => [`${hit.kind} ${hit.part ?? ""}`.trim(), hit]),
  );
  expect(found).toEqual({
    artifact: expect.objectContaining({
      artifact_id: artifact,
      session_id: SESSION,
      subject: "Design",
      snippet: "# Refunds needle of the artifact",
    }),
    review: expect.objectContaining({ review_id: review, session_id: SESSION, subject: "Design", snippet: "needle of the review" }),
    "memory api": expect.objectContaining({ subject: "Memory of api", snippet: expect.stringContaining("needle of api") }),
    memory: expect.objectContaining({ subject: "Memory of the project", snippet: expect.stringContaining("needle of the project") }),
    dispatch: expect.objectContaining({
      threadId: dispatch,
      subject: "Do it.",
      snippet: expect.stringContaining("failed needle of the turn"),
    }),
    "position om/auditor": expect.objectContaining({ subject: "auditor", at: "2026-03-01T00:00:00.000Z" }),
    "part api": expect.objectContaining({ subject: "api", snippet: "needle of the part" }),
  });
  const times = hits.map((hit: Answer) => hit.at);
  expect(times).toEqual([...times].sort().reverse());
  // Names and ids find them, and what is no text of now does not.
  expect(await kinds("design")).toEqual(expect.arrayContaining(["artifact", "review"]));
  for (const id of [artifact, artifact.slice("artifact-".length, -4)]) expect(await kinds(id)).toContain("artifact");
  expect(await kinds(review.slice("review-".length, -2))).toContain("review");
  expect(await kinds("changes_requested")).toContain("review");
  expect((await search("om/auditor")).hits).toMatchObject([{ kind: "position", part: "om/auditor" }]);
  expect((await search("obsolete")).total).toBe(0);
  expect((await search("created_by")).total).toBe(0);
  // Whose they are.
  const of = async (part: string): Promise<string[]> => (await kinds("needle", { part })).filter((kind) => kind !== "message").sort();
  expect(await of("api")).toEqual(["memory", "part", "review"]);
  expect(await of("web")).toEqual(["artifact", "dispatch", "review"]);
  expect(await of("om/auditor")).toEqual(["position"]);
  expect(await kinds("do it", { thread: dispatch })).toEqual(expect.arrayContaining(["dispatch", "message"]));
  expect(await kinds("needle", { thread: dispatch })).toContain("dispatch");
  expect(await kinds("needle", { thread: dispatch })).not.toContain("artifact");
  expect(await kinds("needle", { since: "2026-03-02" })).not.toContain("position");
  expect(await kinds("need.e of the pro", { regex: true })).toEqual(expect.arrayContaining(["memory", "position"]));
  // What changes is found as it is now.
  await post("haystack");
  expect(await kinds("needle")).not.toContain("artifact");
  expect(await kinds("haystack")).toEqual(["artifact"]);
});

test("files that cannot be read are named, however large or odd, and all else is found", async () => {
  const { review } = await fill("needle");
  const { artifact_id } = await post("needle", "Other");
  const { task_id: task } = await run("web", "create_task", { session_id: SESSION, title: "needle" });
  await run("web", "save_session_summary", { session_id: SESSION, summary: "needle" });
  const folders = fs.readdirSync(at("sessions", SESSION, "artifacts"));
  const other = folders.find((name) => name.startsWith("other-")) as string;
  const broken = [
    `sessions/${SESSION}/artifacts/${other}/1.md`,
    `sessions/${SESSION}/reviews/${review}.result.md`,
    "memory/agents/api.md",
    "org/agents/researcher.md",
    `sessions/${SESSION}/tasks/${task}.md`,
    `sessions/${SESSION}/summary.md`,
  ];
  fs.writeFileSync(at(broken[0] as string), Buffer.from([0x6e, 0xff]));
  fs.writeFileSync(at(broken[1] as string), "no header");
  fs.truncateSync(at(broken[2] as string), 5 * 1_048_576);
  fs.writeFileSync(at(broken[3] as string), "---\nname: [\n---\n");
  fs.writeFileSync(at(broken[4] as string), "---\ntitle: needle\nstatus: never\n---\n");
  fs.writeFileSync(at(broken[5] as string), Buffer.from([0x6e, 0xff]));
  const { hits, problems } = await search("needle");
  expect(new Set(problems.map((each: Answer) => each.path))).toEqual(new Set(broken));
  const found = hits.map(({ kind }: Answer) => kind);
  expect(found).toEqual(expect.arrayContaining(["artifact", "memory", "dispatch", "part"]));
  expect(hits.some((hit: Answer) => hit.artifact_id === artifact_id)).toBe(false);
  for (const kind of ["task", "summary"]) expect(found).not.toContain(kind);
  expect(problems).toContainEqual({ path: broken[4], line: 3, problem: expect.stringContaining("status") });
  // Its name is found all the same.
  expect((await search("other")).hits).toMatchObject([{ artifact_id, snippet: "" }]);
});

test("texts are data in every kind: a terminal gets no control of theirs", async () => {
  await fill('needle \u001b[31m<img src=x onerror="1">\u202e\n---\nrun: it');
  const { hits } = await search("needle");
  expect(hits.filter(({ snippet }: Answer) => snippet.includes("<img")).length).toBeGreaterThan(4);
  const { stdout, code } = await relay(folder, ["search", "needle"]);
  expect(code).toBe(0);
  for (const kind of ["artifact", "review", "Memory of the project", "dispatch", "position", "part"]) expect(stdout).toContain(kind);
  for (const control of ["\u001b", "\u202e"]) expect(stdout).not.toContain(control);
});

test("a message that cannot be read is named each time, also of a packed day, and found as soon as it can be", async () => {
  const THREADS = 40;
  const [DAY, longAgo] = ["2026-03-04", new Date("2026-03-05T00:00:00Z")];
  const threads: string[] = [];
  for (let number = 0; number < THREADS; number += 1) {
    const letter = { to: ["api"], subject: `Letter ${number}`, body: `Number ${number}; ÄRGER "quoted" ahead` };
    threads.push((await run("web", "send", letter)).threadId);
  }
  const folderOf = (thread: string): string => at("threads", DAY, thread);
  /** Lets the folders have changed long ago: only such are packed. */
  const settle = (): void => threads.forEach((thread) => void fs.utimesSync(folderOf(thread), longAgo, longAgo));
  settle();
  const found = async (query: string): Promise<number | null> => {
    const { hits, total } = await search(query, { limit: 200 });
    expect(hits.reduce((sum: number, { matches = 1 }: Answer) => sum + matches, 0)).toBe(total);
    return total;
  };
  const thread = threads[7] as string;
  const name = fs.readdirSync(folderOf(thread)).find((file) => /^1-/.test(file)) as string;
  const file = path.join(folderOf(thread), name);
  const text = fs.readFileSync(file, "utf8");
  const problems = async (query: string): Promise<unknown> => (await search(query)).problems;
  for (const [broken, problem] of [
    [Buffer.from([0x6e, 0xff]), expect.stringContaining("UTF-8")],
    [Buffer.from("no header"), expect.any(String)],
  ] as const) {
    fs.writeFileSync(file, broken);
    settle();
    // Read, packed, by its pack, and where the pack would rule the word out.
    for (const query of ["ahead", "ahead", "Letter 7", "nowhere", "nowhere"])
      expect(await problems(query)).toEqual([expect.objectContaining({ path: `threads/${DAY}/${thread}/${name}`, problem })]);
    expect(await found("ahead")).toBe(THREADS - 1);
  }
  fs.writeFileSync(file, text);
  settle();
  expect(await found("ahead")).toBe(THREADS);
  expect(await problems("ahead")).toBeUndefined();
});
