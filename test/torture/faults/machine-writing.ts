/**
 * Commands that write for the home's history, for the project around it, or into the user's state folder, for the test that hurts
 * every call under them.
 */
import fs from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { operations } from "../../../protocol/index.ts";
import { survey } from "../../history/survey.ts";
import { type Answer, ask, home, outOf, text, type Writing } from "../../history/verdict.ts";
import { worldAt } from "../../rig/home.ts";
import { git } from "../../rig/scratch.ts";

const POOL = 'agents:\n  web: { name: web, emoji: x, systemPrompt: x, tools: [inbox], hooks: { before_task: "make check" } }\n';
const files = (folder: string): string[] =>
  fs.existsSync(folder) ? fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md")) : [];
/** The last line of a home's own history that a revision names. */
const headOf = (folder: string): string => git(home(folder), "rev-parse", "HEAD").trim();

/** A line of a record of Claude Code. */
const claudeCall = (id: string): string =>
  JSON.stringify({
    type: "assistant",
    timestamp: "2026-01-31T09:30:00.000Z",
    sessionId: "s",
    message: { id, model: "claude-opus-4-5", usage: { input_tokens: 10, output_tokens: 50 } },
  });

/** Each by its words. */
export const MACHINE: Record<string, Writing> = {
  archive: {
    args: ({ about = "" }) => ["archive", about, "--part", "main"],
    retry: ({ about }) => [operations.archive, { threadIds: [about] }],
    inSteps: true,
    before: async (folder) => {
      const { threadId, messageId } = await ask(folder, operations.send, { to: ["web"], subject: "Old", body: "the old one" }, "main");
      await ask(folder, operations.ack, { messageIds: [messageId] }, "web");
      await ask(folder, operations.close, { threadId }, "main");
      return threadId;
    },
    verdict: async (folder, { about = "" }) => {
      // In its folder, in its archive, or for an instant in both; never in none, and it is always found.
      const archived = files(home(folder, "archive")).length > 0;
      const left = survey(home(folder)).messages.some(({ thread }) => thread === about);
      expect([archived, left]).not.toEqual([false, false]);
      expect(JSON.stringify(await ask(folder, operations.show, { threadId: about }))).toContain("the old one");
      return outOf([archived, !left]);
    },
  },
  "part here": {
    args: () => ["part", "here", "web"],
    retry: () => [operations.part_here, { part: "web" }],
    at: "anywhere",
    git: true,
    verdict: async (folder) => outOf([text(path.join(folder, ".git/relay-part")) === "web\n"]),
  },
  "part deliver": {
    args: () => ["part", "deliver", "web", "none"],
    retry: () => [operations.part_deliver, { part: "web", deliver: "none" }],
    at: "anywhere",
    verdict: async (folder) => outOf([(await ask(folder, operations.part_deliver, { part: "web" })).deliver === "none"]),
  },
  "notify add": {
    args: () => ["notify", "add", "bell", "--", "true"],
    retry: () => [operations.notify_add, { name: "bell", argv: ["true"] }],
    at: "anywhere",
    verdict: async (folder) => outOf([(await ask(folder, operations.notify_list)).notifies.some(({ name }: Answer) => name === "bell")]),
  },
  "notify remove": {
    args: () => ["notify", "remove", "bell"],
    retry: () => [operations.notify_remove, { name: "bell" }],
    at: "anywhere",
    once: true,
    before: async (folder) => {
      await ask(folder, operations.notify_add, { name: "bell", argv: ["true"] });
      return "bell";
    },
    verdict: async (folder) => outOf([(await ask(folder, operations.notify_list)).notifies.length === 0]),
  },
  trust: {
    args: ({ about = "" }) => ["trust", about],
    retry: ({ about }) => [operations.trust, { accept: [about] }],
    at: "anywhere",
    ill: true,
    before: async (folder) => {
      fs.writeFileSync(home(folder, "agents.pool.yml"), POOL);
      return (await ask(folder, operations.trust)).commands[0].id;
    },
    verdict: async (folder) => outOf([(await ask(folder, operations.trust)).commands[0].trusted]),
  },
  "config accept": {
    args: () => ["config", "accept"],
    retry: () => [operations.config_accept, {}],
    ill: true,
    at: "anywhere",
    before: async (folder) => {
      fs.writeFileSync(home(folder, "relay.yml"), `${text(home(folder, "relay.yml"))}wake: { again_s: 1 }\n`);
      expect(worldAt(folder).home().config().wake.againMs).toBe(10_000);
      return "wake.again_s";
    },
    verdict: async (folder) => outOf([worldAt(folder).home().config().wake.againMs === 1_000]),
  },
  "config restore": {
    args: () => ["config", "restore"],
    retry: () => [operations.config_restore, {}],
    ill: true,
    once: true,
    before: async (folder) => {
      const good = text(home(folder, "relay.yml"));
      worldAt(folder).home().config();
      fs.writeFileSync(home(folder, "relay.yml"), "parts: [never\n");
      return good;
    },
    verdict: async (folder, { about }) => {
      expect(["", "parts: [never\n", about]).toContain(text(home(folder, "relay.yml")));
      expect((await ask(folder, operations.part_list)).parts.map(({ part }: Answer) => part)).toContain("web");
      return outOf([text(home(folder, "relay.yml")) === about]);
    },
  },
  "usage collect": {
    args: ({ about = "" }) => ["usage", "collect", about, "--agent", "claude"],
    retry: ({ about }) => [operations.usage_collect, { file: about, agent: "claude" }],
    inSteps: true,
    before: async (folder) => {
      const file = path.join(folder, "session.jsonl");
      fs.writeFileSync(file, ["01", "02"].map((id) => `${claudeCall(id)}\n`).join(""));
      return file;
    },
    verdict: async (folder) => {
      const { calls, output } = (await ask(folder, operations.usage)).total;
      // None or all of a call's tokens, and never twice.
      expect(output).toBe(calls * 50);
      return outOf([calls === 2]);
    },
  },
  record: {
    args: () => ["record"],
    retry: () => [operations.record, {}],
    git: true,
    before: async (folder) => {
      await ask(folder, operations.record);
      return (await ask(folder, operations.send, { to: ["web"], subject: "A new one", body: "the new one" }, "main")).messageId;
    },
    verdict: async (folder, { about = "" }) => {
      expect(survey(home(folder)).unread.get("web")).toContain(about);
      return outOf([git(home(folder), "ls-tree", "-r", "--name-only", "HEAD").includes(`${about}.md`)]);
    },
  },
  undo: {
    args: ({ about = "" }) => ["undo", about, "--part", "main"],
    retry: ({ about }) => [operations.undo, { commit: about }],
    git: true,
    before: async (folder) => {
      const { messageId } = await ask(folder, operations.send, { to: ["web"], subject: "A new one", body: "the new one" }, "main");
      await ask(folder, operations.record);
      await ask(folder, operations.ack, { messageIds: [messageId] }, "web");
      await ask(folder, operations.record);
      return headOf(folder);
    },
    verdict: async (folder) => {
      const told = survey(home(folder)).messages.filter(({ body, to }) => to.includes("web") && body.includes("as read in your name"));
      expect(told.length, "the part is told once").toBeLessThanOrEqual(1);
      return outOf([told.length === 1]);
    },
  },
  setup: {
    args: () => ["setup", "claude", "--yes"],
    retry: () => [operations.setup, { agent: "claude" }],
    at: "anywhere",
    git: true,
    inSteps: true,
    before: async (folder) => {
      fs.writeFileSync(path.join(folder, ".mcp.json"), '{ "mcpServers": { "mine": { "command": "mine" } } }\n');
      return "";
    },
    verdict: async (folder) => {
      // What was there stays, whatever happens.
      expect(text(path.join(folder, ".mcp.json"))).toContain('"mine"');
      JSON.parse(text(path.join(folder, ".mcp.json")));
      const settings = text(path.join(folder, ".claude/settings.local.json"));
      if (settings !== "") JSON.parse(settings);
      const told = text(path.join(folder, "AGENTS.md")).includes("Relay");
      return outOf([text(path.join(folder, ".mcp.json")).includes('"relay"'), settings.includes("SessionStart"), told]);
    },
  },
  "office init": {
    args: () => ["office", "init"],
    retry: () => [operations.office_init, {}],
    inSteps: true,
    verdict: async (folder) => outOf([(await ask(folder, operations.office_check)).ok]),
  },
  "office import": {
    args: ({ about = "" }) => ["office", "import", about],
    retry: ({ about }) => [operations.office_import, { folder: about }],
    inSteps: true,
    before: async (folder) => {
      const at = path.join(folder, "teaparty");
      fs.mkdirSync(path.join(at, "agents/boss"), { recursive: true });
      fs.writeFileSync(path.join(at, "teaparty.yaml"), "name: Tea\nlead: boss\n");
      fs.writeFileSync(path.join(at, "agents/boss/agent.md"), "---\nname: boss\n---\nLead.\n");
      return at;
    },
    verdict: async (folder) => outOf([(await ask(folder, operations.office_check)).ok]),
  },
  "office add": {
    args: () => ["office", "add", "tester"],
    retry: () => [operations.office_add, { name: "tester" }],
    inSteps: true,
    before: async (folder) => {
      await ask(folder, operations.office_init);
      return "";
    },
    verdict: async (folder) => {
      // An agent that is in no roster yet does no harm: the office stays whole.
      const { ok, rosters } = await ask(folder, operations.office_check);
      expect(ok).toBe(true);
      return outOf([Object.hasOwn(rosters.om, "tester")]);
    },
  },
  "team write": {
    args: () => ["team", "write", "backend", "tests"],
    retry: () => [operations.team_write, { agents: ["backend", "tests"] }],
    once: true,
    before: async (folder) => {
      await ask(folder, operations.start_session, { session_id: "s-1" });
      await ask(folder, operations.team_write, { pool: true });
      return "s-1";
    },
    verdict: async (folder) => {
      const { agents } = await ask(folder, operations.list_agents);
      expect([0, 2]).toContain(agents.length);
      return outOf([agents.length === 2]);
    },
  },
  "review request": {
    args: ({ about = "" }) => ["review", "request", about, "web", "--part", "main"],
    retry: ({ about }) => [operations.request_review, { artifact_id: about, reviewer: "web" }],
    inSteps: true,
    once: true,
    tells: true,
    before: async (folder) => {
      await ask(folder, operations.start_session, { session_id: "s-1" });
      return (await ask(folder, operations.post_artifact, { name: "plan", type: "report", content: "a plan" }, "main")).artifact_id;
    },
    verdict: async (folder) => {
      const { reviews } = await ask(folder, operations.list_reviews);
      const told = survey(home(folder)).messages.filter(({ subject }) => subject !== "An older one");
      expect(reviews.length).toBeLessThanOrEqual(1);
      expect(told.length, "the reviewer is told once").toBeLessThanOrEqual(1);
      return outOf([reviews.length === 1, told.length === 1]);
    },
  },
  "doctor --fix": {
    args: () => ["doctor", "--fix"],
    retry: () => [operations.doctor, { fix: true }],
    ill: true,
    before: async (folder) => {
      const { messageId } = await ask(folder, operations.send, { to: ["web"], subject: "Lost", body: "the lost one" }, "main");
      fs.rmSync(home(folder, "inbox/web/new", `${messageId}.md`));
      return messageId;
    },
    verdict: async (folder, { about = "" }) => outOf([survey(home(folder)).unread.get("web")?.includes(about) === true]),
  },
};

/** Operations that write and are not hurt call by call, each with the reason. */
export const ELSEWHERE: Record<string, string> = {
  "plan apply": "files of tasks, as `task create` writes them, and a message, each hurt by itself",
  "task submit": "an artifact, requests and an update of the task, each hurt by itself",
  "task release": "a record of a claim, as `task update`",
  "message send": "as `send`",
  "memory write": "as `memory append`",
  "state save": "one file replaced, as `session save`",
  "review withdraw": "a result, as `review submit` creates one",
  clone: "it is git's own clone, and then what `init` and `sync` write",
  sync: "killed at random in sync.test.ts, on small disks in full-disk.test.ts: what it does is git's, in processes of its own",
  think: "it adds a line to the feed, which is disposable",
  "notify test": "it keeps how it went, which is disposable",
  "wake lease": "a step is one file, created exclusively; pagers die at random in wakes.test.ts",
  "wake commit": "as `wake lease`",
  "wake renew": "as `wake lease`",
  "wake report": "as `wake lease`",
  "office start": "it writes a dispatch, then sends its message; killed before each change of the disk in acts.test.ts",
  "office send": "as `office start`",
  "office stop": "it creates one file for each conversation; closes race with ends in turn-ends.test.ts",
  "office close": "as `office stop`",
  "office ask": "it sends a message, and is asked once: turns.test.ts",
  "office prune": "what it removes is git's, in processes of its own: worktrees.test.ts",
  "office runner": "it replaces one file whole",
  "trust office": "it replaces one file whole, in this machine's folder",
};
