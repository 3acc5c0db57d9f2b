/** What people who watch are told of what agents of the relay plugin do: by the local feed, as there is no dashboard. */
import fs from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { tree } from "../../rig/scratch.ts";
import { differs, play, type Scene } from "../stage.ts";

// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever was told.
type Line = any;
/** What viewers were told of the case's session, of one kind. */
function told({ home, session }: Scene, type: string): Line[] {
  const folder = path.join(home, "run/feed");
  const lines = fs.readdirSync(folder).flatMap((name) => fs.readFileSync(path.join(folder, name), "utf8").trim().split("\n"));
  return lines.map((line) => JSON.parse(line)).filter((line: Line) => line.type === type && line.sessionId === session);
}
/** Whether a text is in any file that git would keep. */
const isKept = ({ home }: Scene, text: string): boolean => Object.values(tree(home)).some((content) => content.includes(text));

play({
  "a session that begins is told": async (scene) => expect(told(scene, "session:started")).toMatchObject([{ part: "orchestrator" }]),
  "a thought is told, and kept nowhere": async (scene) => {
    await scene.ok("web", "broadcast_thinking", { content: "the eastern coast first" });
    expect(told(scene, "agent:thinking")).toMatchObject([{ agentId: "web", chunk: "the eastern coast first" }]);
    expect(isKept(scene, "eastern coast")).toBe(false);
  },
  "a thought may be empty, or of many lines": async (scene) => {
    for (const content of ["", "one\ntwo\n🌊"]) await scene.ok("web", "broadcast_thinking", { content });
    expect(told(scene, "agent:thinking").map(({ chunk }) => chunk)).toEqual(["", "one\ntwo\n🌊"]);
  },
  "a thought of 65537 characters is refused, with the limit": ({ no }) =>
    no("web", "broadcast_thinking", { content: "x".repeat(65_537) }, "invalid_argument", "65536"),
  "a thought of nobody is refused": ({ no }) => no(null, "broadcast_thinking", { content: "c" }, "who_are_you", "agent_id"),
  "who thinks need not be of the team": ({ ok }) => ok("passer-by", "broadcast_thinking", { content: "c" }),
  "equal thoughts are told as often as they come": async (scene) => {
    for (let at = 0; at < 2; at += 1) await scene.ok("web", "broadcast_thinking", { content: "again" });
    expect(told(scene, "agent:thinking")).toHaveLength(2);
  },
  "thoughts are told for the session that they name": async (scene) => {
    await scene.ok("web", "broadcast_thinking", { content: "elsewhere", session_id: await scene.other("b") });
    expect(told(scene, "agent:thinking")).toEqual([]);
  },
  "a task that is made and moved is told each time": async (scene) => {
    const task_id = await scene.task({ assignee: "web" });
    await scene.ok("web", "update_task", { task_id, status: "in_review" });
    expect(told(scene, "task:updated").map(({ task }) => task.status)).toEqual(["todo", "in_review"]);
  },
  "an artifact that is posted is told, without its content": async (scene) => {
    const id = await scene.artifact({ content: "a long coast" });
    expect(told(scene, "artifact:posted")).toMatchObject([{ part: "web", artifact: { id, name: "map", type: "design" } }]);
    expect(JSON.stringify(told(scene, "artifact:posted"))).not.toContain("a long coast");
  },
  "a review that has its result is told with id, result and reviewer; its words are in the review": differs(
    "the address of a dashboard",
    async (scene) => {
      const { review_id } = await scene.ok("web", "request_review", { artifact_id: await scene.artifact(), reviewer: "tests" });
      await scene.ok("tests", "submit_review", { review_id, status: "approved", comments: "north is up" });
      const [line] = told(scene, "review:updated").slice(-1);
      expect(line).toMatchObject({ review: { id: review_id, status: "approved", reviewer: "tests" } });
      expect((await scene.ok("web", "list_reviews")).reviews).toMatchObject([{ comments: "north is up" }]);
    },
  ),
  "a feed that cannot be written refuses nothing": async (scene) => {
    const folder = path.join(scene.home, "run/feed");
    fs.renameSync(folder, `${folder}-aside`);
    fs.writeFileSync(folder, "not a folder");
    try {
      await scene.ok("web", "broadcast_thinking", { content: "unheard" });
      await scene.task();
    } finally {
      fs.rmSync(folder);
      fs.renameSync(`${folder}-aside`, folder);
    }
  },
  "an agent that calls is online": async ({ ok, does }) => {
    await ok("web", "get_messages");
    const { parts } = await does("main", "roster");
    expect(parts.find(({ part }: Line) => part === "web")).toMatchObject({ online: true });
  },
  "a session is told with all that was made in it": async (scene) => {
    await scene.task();
    await scene.artifact();
    await scene.ok("lead", "send_message", { content: "c" });
    const input = { session_id: scene.session };
    expect(await scene.does("main", "get_all_tasks", input)).toMatchObject({ total: 1 });
    expect((await scene.does("main", "list_artifacts", input)).artifacts).toHaveLength(1);
    expect((await scene.does("web", "get_messages", input)).messages).toHaveLength(1);
  },
  "a session in which nothing was made has empty lists": async (scene) => {
    const input = { session_id: scene.session };
    expect(await scene.does("main", "get_all_tasks", input)).toMatchObject({ tasks: [], total: 0 });
    expect((await scene.does("main", "list_artifacts", input)).artifacts).toEqual([]);
  },
  "what was told before a restart is still told": differs("a restarted server", async (scene) => {
    await scene.task();
    await scene.restart();
    expect(told(scene, "task:updated")).toHaveLength(1);
  }),
});
