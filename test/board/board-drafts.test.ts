/** Acts on the board of those who have only a shell. spec/board.md, "By files alone". */
import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { newConnection } from "../../protocol/core/connection-memory.ts";
import { operations, perform } from "../../protocol/index.ts";
import { act } from "../rig/clones.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { put, stateHome } from "../rig/scratch.ts";

let folder: string;
let session: string;
beforeEach(async () => {
  folder = await homeWith("web", "api");
  session = (await act(folder, "main", "start_session")).session_id;
});
const at = (...names: string[]): string => path.join(folder, ".relay/outbox", ...names);
/** Leaves a draft, and has the next call of another part take it. @returns its answer, or why it was refused */
async function does(part: string, name: string, text: string): Promise<string> {
  put(at(part, `${name}.md`), text);
  await act(folder, "main", "inbox");
  const refused = at(part, `${name}.md.refused`);
  return fs.readFileSync(fs.existsSync(refused) ? refused : at(part, "sent", `${name}.md.answer`), "utf8");
}
const task = async (title: string): Promise<string> => (await act(folder, "main", "create_task", { session_id: session, title })).task_id;

test("drafts claim, update, post, ask for a review and answer it, as the same operations do", async () => {
  expect(await does("web", "hello", "---\nto: [api, main]\nsubject: s\n---\nb\n")).toContain('to: ["api","main"]');
  const id = await task("Refunds");
  expect(await does("web", "claim", `---\nclaim: ${id}\n---\n`)).toMatch(/^claimed: true\nfence: 1\nuntil: "20.*Z"\n/m);
  expect(await does("web", "go", `---\nupdate: ${id.slice(5, 10)}\nstatus: in_review\nfence: 1\n---\n`)).toContain('status: "in_review"');
  const handed = await does("web", "hand in", `---\nsubmit: ${id}\nreviewer: api\nname: all\n---\nAll of it.\n`);
  expect(handed).toMatch(
    /^task_id: "task-.*"\nartifact_id: "artifact-.*"\nversion: 1\nstatus: "in_review"\nreviews: \["review-\w+"\]\nreviewers: \["api"\]\n$/,
  );
  expect(await does("api", "seen", "---\nreview: all\nstatus: approved\n---\n")).toBe('review: "approved"\n');
  const posted = await does("web", "post", `---\npost: refund\ntype: document\ntask: ${id}\n---\n# Refund\n`);
  const artifact = /artifact_id: "(.*)"/.exec(posted)?.[1] as string;
  const ask = async (name: string): Promise<string> =>
    /review_id: "(.*)"/.exec(await does("web", name, `---\nask: ${artifact}\nreviewer: api\n---\n`))?.[1] as string;
  expect(await does("web", "back", `---\nwithdraw: ${await ask("ask")}\n---\nNot yet.\n`)).toMatch(/^withdrawn: \["review-\w+"\]\n$/);
  const review = await ask("again");
  expect(await does("api", "no", `---\nreview: ${review}\nstatus: changes_requested\n---\n`)).toMatch(/^comments is required/);
  expect(await does("api", "yes", `---\nreview: ${review}\nstatus: approved\ndone: true\n---\nGood.\n`)).toBe(
    `review: "approved"\ndone: "${id}"\n`,
  );
  expect(await act(folder, "web", "show_task", { task_id: id, session_id: session })).toMatchObject({ task: { status: "done" } });
  expect((await act(folder, "web", "list_reviews", { session_id: session })).reviews).toMatchObject([
    { status: "approved", name: "all" },
    { status: "withdrawn", comments: "Not yet." },
    { status: "approved", comments: "Good." },
  ]);
  expect(fs.readdirSync(at("web")).sort()).toEqual(["sent"]);
});

test("a refusal begins with its reason, and is not tried again until the draft changes", async () => {
  const id = await task("Held");
  await act(folder, "api", "claim_task", { session_id: session, task_id: id });
  const said = await does("web", "claim", `---\nclaim: ${id}\n---\n`);
  expect(said).toMatch(/^[^\n]*api[^\n]*\n\nChange the draft to have it tried again, or remove it \([0-9a-f]{8}\)\.\n$/);
  await act(folder, "api", "release_task", { session_id: session, task_id: id });
  await act(folder, "main", "inbox");
  expect(fs.existsSync(at("web/claim.md"))).toBe(true);
  expect(await does("web", "claim", `---\nclaim: ${id}\n\n---\n`)).toContain("claimed: true");
  expect(await does("web", "odd", `---\nclaim: ${id}\nlease: 3\n---\n`)).toContain("lease_s");
  expect(await does("web", "text", `---\nclaim: ${id}\n---\nI take it.\n`)).toMatch(/^expected no text below the header/);
  expect(await does("web", "reply", "---\nthread: t-20260131-k3f9x2ab\nsubject: Own\n---\nYes.\n")).toMatch(/^a reply keeps the subject/);
  // No command waits for all of very many drafts: one look takes some of them, and the next goes on.
  for (let number = 0; number < 1_500; number += 1) put(at("api", `${number}.md`), "No header.\n");
  await act(folder, "main", "inbox");
  const refused = fs.readdirSync(at("api")).length - 1_500;
  await act(folder, "main", "inbox");
  expect([refused > 1_400, refused < fs.readdirSync(at("api")).length - 1_500]).toEqual([false, true]);
});

test("a claim by a draft holds as that of a command, in the newest session, whatever the process that took it works in", async () => {
  await act(folder, "main", "start_session", { session_id: "s-other" });
  session = (await act(folder, "main", "start_session")).session_id;
  const id = await task("Alone");
  put(at("web", "claim.md"), `---\nclaim: ${id}\n---\n`);
  const env = { XDG_STATE_HOME: stateHome(), RELAY_SESSION_ID: "s-other" };
  await perform(worldAt(folder, { part: "api", env, connection: newConnection(true) }), operations.inbox, {});
  const claims = path.join(folder, `.relay/sessions/${session}/claims/${id}`);
  expect(fs.readFileSync(path.join(claims, fs.readdirSync(claims)[0] as string), "utf8")).toContain("lease_s: 3600");
});

test("an act that a killed process may have done is not done again by itself", async () => {
  put(at("web", ".sending.999999-1-0-0.post.md"), "---\npost: a\ntype: document\n---\nx\n");
  await act(folder, "main", "inbox");
  fs.utimesSync(at("web", ".sending.999999-1-0-0.post.md"), 1, 1);
  await act(folder, "main", "inbox");
  expect(fs.readFileSync(at("web/post.md.refused"), "utf8")).toMatch(/^Relay was stopped while it did this/);
  expect((await act(folder, "main", "list_artifacts", { session_id: session })).artifacts).toEqual([]);
});
