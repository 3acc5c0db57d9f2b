/**
 * A push that lays what nobody can read, or what is too large to be checked out, where something is written once: the first text
 * that somebody can read counts in every clone, and no clone makes commits for ever. Where nothing was, it keeps nobody from writing.
 */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { printAnswer } from "../../cli/print/print-answer.ts";
import { plainStyleFor } from "../../cli/print/style.ts";
import { formatClaim } from "../../protocol/board/nouns/claim.ts";
import { type Answer, act, cloneOf, commits, shop } from "../rig/clones.ts";
import { git } from "../rig/scratch.ts";
import { type Remote, remoteAt } from "./rig/remote.ts";

const resultBy = (by: string, comments: string): string =>
  `---\nstatus: "approved"\nby: "${by}"\nat: "2026-03-01T09:30:00.000Z"\n---\n${comments}\n`;

const LARGE = ["a result that is too large", resultBy("api", "y".repeat(300_000))] as const;
const BROKEN: readonly (readonly [name: string, content: string | Uint8Array])[] = [
  LARGE,
  ["a text that is no result", "x\n"],
  ["bytes that are no text", Uint8Array.of(0x23, 0xff, 0xfe, 0x0a)],
];

interface Asked {
  hub: string;
  here: string;
  there: string;
  remote: Remote;
  /** The reviews, and the first of them. */
  reviews: string[];
  review: string;
  /** Path of its result in the home. */
  at: string;
}

const resultAt = (review: string): string => `sessions/s-1/reviews/${review}.result.md`;

/** Two clones of a home in which `web` asked `api` for reviews. */
async function asked(many = 1): Promise<Asked> {
  const { hub, code: here } = await shop("web", "api");
  const { session_id } = await act(here, "web", "start_session", { session_id: "s-1" });
  const reviews: string[] = [];
  while (reviews.length < many) {
    const name = `Design ${reviews.length + 1}`;
    const { artifact_id } = await act(here, "web", "post_artifact", { session_id, name, type: "design", content: "# One" });
    reviews.push((await act(here, "web", "request_review", { artifact_id, reviewer: "api" })).review_id);
  }
  await act(here, undefined, "sync");
  const there = await cloneOf(hub);
  const [review = ""] = reviews;
  return { hub, here, there, remote: remoteAt(hub), reviews, review, at: resultAt(review) };
}

const answer = (code: string, review: string): Promise<unknown> =>
  act(code, "api", "submit_review", { review_id: review, status: "changes_requested", comments: "No, never." });

const textAt = (code: string, at: string): string => fs.readFileSync(path.join(code, ".relay", at), "utf8");

/** Every clone, one made now too, has the answer; a sync of each makes no commit, and nothing is brought back any more. */
async function answered(hub: string, at: string | readonly string[], clones: readonly string[], text: RegExp): Promise<void> {
  for (let round = 0; round < 2; round += 1) for (const code of clones) await act(code, undefined, "sync");
  const all = [...clones, await cloneOf(hub)];
  for (const code of all) for (const each of [at].flat()) expect(textAt(code, each), each).toMatch(text);
  const tip = git(hub, "rev-parse", "relay");
  for (const code of all) {
    const before = commits(code);
    expect(await act(code, undefined, "sync")).toMatchObject({ broughtBack: [], restored: [] });
    expect(commits(code)).toBe(before);
  }
  expect(git(hub, "rev-parse", "relay")).toBe(tip);
}

test("a result that is too large leaves its place to the reviewer, in every clone, and check says that only the branch has it", async () => {
  const { hub, here, there, remote, review, at } = await asked();
  remote.write(at, LARGE[1]);
  remote.commit();
  for (const code of [here, there]) {
    expect((await act(code, undefined, "sync")).problems).toMatchObject([{ path: at }]);
    const { warnings } = await act(code, undefined, "check");
    expect(warnings).toMatchObject([{ code: "not_laid_out", path: at, problem: expect.stringContaining("relay doctor") }]);
  }
  await answer(here, review);
  await answered(hub, at, [here, there], /No, never/);
  expect(await act(here, undefined, "check")).toMatchObject({ ok: true, findings: [], warnings: [] });
});

test("a record of claims that is too large leaves its number to the next claim", async () => {
  const { hub, here, there, remote } = await asked();
  const { task_id } = await act(here, "web", "create_task", { session_id: "s-1", title: "Build", description: "It." });
  await act(here, undefined, "sync");
  await act(there, undefined, "sync");
  const at = `sessions/s-1/claims/${task_id}/1.md`;
  const record = { task: task_id, fence: 1, kind: "claim", agent: "evil", at: "2026-03-01T09:30:00.000Z", nonce: "abcd1234" } as const;
  remote.write(at, `${formatClaim(record)}${"y".repeat(9_000)}\n`);
  const commit = remote.commit();
  for (const code of [here, there]) await act(code, undefined, "sync");
  expect(await act(here, "api", "claim_task", { session_id: "s-1", task_id })).toMatchObject({ claimed: true, fence: 1 });
  // It did nothing, so that nothing is taken back of those who went on.
  expect(await act(here, undefined, "undo", { commit })).toMatchObject({ undone: [] });
  await answered(hub, at, [here, there], /"api"/);
});

test("a file in the place of a folder, or below that of a file, keeps nothing that is written meanwhile from any clone", async () => {
  const { hub, here, there, remote, review, at } = await asked();
  const { task_id } = await act(here, "web", "create_task", { session_id: "s-1", title: "Build" });
  await act(here, undefined, "sync");
  const [claims, memory] = [`sessions/s-1/claims/${task_id}`, "memory/agents"];
  for (const path of [claims, memory, `${at}/x`]) remote.write(path, "x");
  remote.commit();
  await act(here, "web", "claim_task", { session_id: "s-1", task_id });
  await act(here, "web", "write_memory", { key: "k", content: "v", agent_id: "web" });
  await answer(here, review);
  await answered(hub, [`${claims}/1.md`, `${memory}/web.md`, at], [here, there], /./);
});

test("a claim never gives way to a broken record because a second number came with it", async () => {
  const { here, remote } = await asked();
  const { task_id: task } = await act(here, "web", "create_task", { session_id: "s-1", title: "Build", description: "It." });
  await act(here, undefined, "sync");
  const record = { task, agent: "api", at: "2026-03-01T09:30:00.000Z", nonce: "abcd1234" };
  const [first, second] = [1, 2].map((fence) => `sessions/s-1/claims/${task}/${fence}.md`) as [string, string];
  const claim = formatClaim({ ...record, fence: 1, kind: "claim", provisional: true });
  remote.write(first, claim);
  remote.commit();
  await act(here, undefined, "sync");
  remote.write(first, "x\n");
  remote.write(second, formatClaim({ ...record, fence: 2, kind: "release" }));
  remote.commit();
  await act(here, undefined, "sync");
  expect(textAt(here, first)).toBe(claim);
});

test("a broken text is corrected by hand, in every clone, and check finds nothing", async () => {
  const { hub, here, there, remote, at } = await asked();
  remote.write(at, "x\n");
  remote.commit();
  for (const code of [here, there]) await act(code, undefined, "sync");
  fs.writeFileSync(path.join(here, ".relay", at), resultBy("api", "By hand."));
  await answered(hub, at, [here, there], /By hand/);
  for (const code of [here, there]) expect(await act(code, undefined, "check")).toMatchObject({ ok: true });
});

describe("texts that are too large, no results or no texts, in the places of results", () => {
  /** The same, with a review for each broken text, and what pushes them all. */
  async function broken(): Promise<Asked & { push: () => string; answerAll: (code: string) => Promise<void>; paths: string[] }> {
    const made = await asked(BROKEN.length);
    const paths = made.reviews.map(resultAt);
    return {
      ...made,
      paths,
      push() {
        for (const [at, [, content]] of BROKEN.entries()) made.remote.write(paths[at] as string, content);
        return made.remote.commit();
      },
      async answerAll(code) {
        for (const review of made.reviews) await answer(code, review);
        await act(code, undefined, "record");
      },
    };
  }

  test("give way to the first of two answers, in clones that met either", async () => {
    const { hub, here, there, remote, paths, push, answerAll } = await broken();
    const late = await cloneOf(hub);
    await answerAll(here);
    push();
    await act(there, undefined, "sync");
    await act(here, undefined, "sync");
    // Those who met what was broken, and did not meet the answer, meet another one now.
    for (const at of paths) remote.write(at, resultBy("evil", "Yes."));
    remote.commit();
    await answered(hub, paths, [late, there, here], /No, never/);
    push();
    await answered(hub, paths, [there, late, here], /No, never/);
  });
});

test("summaries that are no text, or too large, never become earlier versions of those that were saved meanwhile", async () => {
  const { hub, here, remote } = await asked();
  const contents = [Uint8Array.of(0x23, 0xff, 0xfe, 0x0a), "# All\0\n", `# All\n\n${"y".repeat(1_100_000)}\n`];
  const sessions = contents.map((_, at) => `s-${at + 1}`);
  for (const session_id of sessions) {
    await act(here, "web", "start_session", { session_id });
    await act(here, "web", "save_session_summary", { session_id, summary: "# All\n\nDone.\n" });
  }
  await act(here, undefined, "record");
  const paths = sessions.map((id) => `sessions/${id}/summary.md`);
  for (const [at, content] of contents.entries()) remote.write(paths[at] as string, content);
  remote.commit();
  await answered(hub, paths, [here, await cloneOf(hub)], /Done/);
  for (const code of [here, await cloneOf(hub)]) {
    expect(await act(code, undefined, "check")).toMatchObject({ ok: true, findings: [], warnings: [] });
    for (const id of sessions) expect(fs.existsSync(path.join(code, ".relay/sessions", id, "summaries")), id).toBe(false);
  }
});

const TEXTS: readonly (readonly [name: string, content: string | Uint8Array])[] = [
  ["a NUL", "## style\n\nTwo\0spaces.\n"],
  ["bytes that are no text", Uint8Array.of(0x23, 0xff, 0xfe, 0x0a)],
];

const words = (name: string, answer: Answer): string =>
  printAnswer(name, answer, plainStyleFor(process.stdout, { NO_COLOR: "1" }, Date.now()), {});

/** Two clones of a home with a session, and a push of texts that nobody can read. */
async function pushed(
  content: string | Uint8Array,
): Promise<{ hub: string; here: string; there: string; paths: string[]; session: string; commit: string }> {
  const { hub, code: here } = await shop("web");
  const { session_id: session } = await act(here, "main", "start_session");
  await act(here, undefined, "sync");
  const there = await cloneOf(hub);
  const hostile = remoteAt(hub);
  const paths = ["memory/agents/web.md", "memory/project.md", `sessions/${session}/summary.md`];
  for (const each of paths) hostile.write(each, content);
  return { hub, here, there, paths, session, commit: hostile.commit() };
}

const isThere = (code: string, name: string): boolean => fs.existsSync(path.join(code, ".relay", name));

describe.each(TEXTS)("texts with %s", (_name, content) => {
  test("stay in the branch and are reported, keep no part from writing, and give way to new texts in every clone", async () => {
    const { here, there, paths, session } = await pushed(content);
    for (const clone of [here, there]) {
      const said = words("sync", await act(clone, undefined, "sync"));
      for (const each of paths) {
        expect(said).toMatch(new RegExp(`skipped ${each}: .*cannot be read.* stays in the branch`));
        expect(isThere(clone, each)).toBe(false);
      }
      expect(await act(clone, undefined, "sync")).toMatchObject({ broughtBack: [], restored: [] });
      expect(await act(clone, undefined, "check")).toMatchObject({ ok: true });
      const { findings } = await act(clone, undefined, "doctor");
      const left = findings.filter(({ severity }: { severity: string }) => severity !== "note");
      expect(left.map(({ code, path: at }: { code: string; path: string }) => `${code} ${at}`).sort()).toEqual(
        paths.map((each) => `not_laid_out ${each}`),
      );
    }
    await act(here, "web", "write_memory", { agent_id: "web", key: "style", content: "Two spaces." });
    const { threadId } = await act(here, "main", "send", { to: ["web"], subject: "One", body: "1" });
    await act(here, "main", "close", { threadId, lesson: "Begin early" });
    await act(here, "main", "save_session_summary", { session_id: session, summary: "# All\n\nDone.\n" });
    await act(here, undefined, "sync");
    await act(there, undefined, "sync");
    for (const clone of [here, there]) {
      expect((await act(clone, "web", "read_memory", { agent_id: "web" })).content).toContain("Two spaces.");
      const texts = paths.map((each) => fs.readFileSync(path.join(clone, ".relay", each), "utf8"));
      expect(texts).toEqual(["Two spaces", "Begin early", "Done"].map((words) => expect.stringContaining(words)));
    }
  });

  test("are taken back by `undo`, here and in every other clone", async () => {
    const { hub, here, there, paths, commit } = await pushed(content);
    await act(here, undefined, "sync");
    const { undone } = await act(here, undefined, "undo", { commit });
    for (const each of paths) expect(undone.join("\n")).toContain(each);
    expect(await act(here, undefined, "undo", { commit })).toMatchObject({ undone: [] });
    await act(here, undefined, "sync");
    await act(there, undefined, "sync");
    const clones = [here, there, await cloneOf(hub)];
    for (const clone of clones) {
      expect(words("sync", await act(clone, undefined, "sync"))).not.toContain("skipped");
      expect(await act(clone, undefined, "check")).toMatchObject({ ok: true, findings: [] });
      for (const each of paths) expect(fs.readFileSync(path.join(clone, ".relay", each), "utf8")).not.toContain("\0");
    }
  });
});
