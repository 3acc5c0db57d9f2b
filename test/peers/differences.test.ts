/** Where agents of the relay plugin and of RelayRoom find something else than there, on purpose. SPEC.md has the same table. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type Answer, act } from "../clones.ts";
import { homeWith } from "../rig.ts";

const SESSION = "s-1";
const TEAM = `agents:
  base: { name: N, emoji: e, tools: [], systemPrompt: "I am {agent_id}", disabled: true }
  clone: { extends: base }
  again: { extends: base, systemPrompt: "{{none}} of {agent_id}" }
`;

/** Each row of the table: what is called, and what comes. */
const DIFFERENCES: Record<string, (folder: string) => Promise<void>> = {
  "a message to nobody that is known": async (folder) => {
    await expect(act(folder, "web", "send_message", { to: "wbe", content: "c" })).rejects.toMatchObject({ code: "unknown_part" });
    await expect(act(folder, "web", "send", { to: ["api", "wbe"], subject: "s", body: "b" })).rejects.toMatchObject({
      code: "unknown_part",
    });
    expect(await act(folder, "api", "inbox")).toMatchObject({ unread: 0 });
  },
  "an argument that there is none of": async (folder) => {
    await expect(act(folder, "web", "get_messages", { since: 1 })).rejects.toMatchObject({ code: "unknown_argument" });
  },
  "ids with a slash": async (folder) => {
    expect(await act(folder, undefined, "create_task", { agent_id: "team/dev", title: "t" })).toMatchObject({
      task_id: expect.any(String),
    });
  },
  "the prompt of a clone": async (folder) => {
    const { agents } = await act(folder, undefined, "list_agents", { session_id: SESSION });
    expect(agents.map(({ systemPrompt }: Answer) => systemPrompt)).toEqual(["I am clone", "{{none}} of again"]);
  },
  "an artifact of a task that is not there": async (folder) => {
    const artifact = { name: "n", type: "pr", content: "c", task_id: "task-0000000000" };
    await expect(act(folder, "web", "post_artifact", artifact)).rejects.toMatchObject({ code: "unknown_task" });
  },
  "messages that were got": async (folder) => {
    await act(folder, "web", "send_message", { to: "api", content: "c" });
    await act(folder, "api", "get_messages");
    expect(await act(folder, "api", "inbox")).toMatchObject({ unread: 0 });
  },
  "a thread closed by who takes no part": async (folder) => {
    const { threadId } = await act(folder, "web", "send", { to: ["api"], subject: "s", body: "b" });
    await expect(act(folder, "db", "close", { threadId })).rejects.toMatchObject({ code: "not_participant" });
  },
  "a message to many": async (folder) => {
    for (let at = 0; at < 12; at += 1) await act(folder, "main", "part_add", { part: `p${at}` });
    expect((await act(folder, "web", "send", { to: ["*"], subject: "s", body: "b" })).recipients).toHaveLength(15);
  },
  "where a dashboard is": async (folder) => {
    expect(await act(folder, "web", "get_server_info")).toMatchObject({ dashboardAvailable: false, dashboardUrl: null, port: 0 });
  },
};

test.each(Object.entries(DIFFERENCES))("%s", async (_what, holds) => {
  const folder = await homeWith("web", "api", "db");
  fs.writeFileSync(path.join(folder, `.relay/session-agents-${SESSION}.yml`), TEAM);
  await act(folder, "web", "start_session", { session_id: SESSION });
  await holds(folder);
});

test("the table of SPEC.md has each of them", () => {
  const spec = fs.readFileSync("SPEC.md", "utf8");
  for (const what of Object.keys(DIFFERENCES)) expect(spec).toContain(`| ${what} |`);
});
