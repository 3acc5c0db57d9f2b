/** An office of real programs: a lead that gives work to two others, by Claude Code, Codex and Gemini CLI. */

import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { AgentName, Seen } from "../models/seen.ts";
import { officeFolder } from "../rig/home.ts";
import { putAll, repository, until } from "../rig/scratch.ts";
import { describeWith, Stage } from "./stage.ts";

/** The programs of an office's lead, of a workgroup's lead below it, and of a worker. */
interface Cast {
  lead: AgentName;
  group: AgentName;
  worker: AgentName;
}

const agentFile = (name: string, program: AgentName): string =>
  `---\nname: ${name}\ndescription: Is ${name}.\nrunner: ${program}\n---\n\nYou are ${name}, as your file says.\n`;

/** An office at work in a repository of its own. */
class RealOffice {
  readonly stage: Stage;
  readonly code: string;

  private constructor(stage: Stage, code: string) {
    this.stage = stage;
    this.code = code;
  }

  /** A repository without a home. */
  static async nothing(): Promise<RealOffice> {
    return new RealOffice(await Stage.open(), repository());
  }

  /** An office whose lead has a worker, and a workgroup that is led by another. */
  static async open({ lead, group, worker }: Cast): Promise<RealOffice> {
    const stage = await Stage.open();
    const code = repository();
    await stage.relay(code, "init", "web");
    const files = {
      "office.yml": "name: Shop\nlead: boss\nmembers: { workgroups: [coding], agents: [tester] }\n",
      "workgroups/coding.yml": "name: coding\ndescription: Builds.\nlead: coder\nmembers: { agents: [helper] }\n",
      "agents/boss.md": agentFile("boss", lead),
      "agents/coder.md": agentFile("coder", group),
      "agents/helper.md": agentFile("helper", worker),
      "agents/tester.md": agentFile("tester", worker),
    };
    putAll(path.join(code, ".relay/org"), files);
    await stage.relay(code, "trust", "office");
    const office = new RealOffice(stage, code);
    await stage.loopback(code);
    return office;
  }

  /** Gives the lead a goal. @returns the context */
  async start(goal: string): Promise<string> {
    return (await this.stage.relay(this.code, "office", "start", goal, "--part", "web")).context_id;
  }

  /** The conversation of a position. */
  async of(position: string): Promise<{ context_id: string; thread: string }> {
    const { conversations } = await this.stage.relay(this.code, "office", "tree");
    return conversations.find((each: { position: string }) => each.position === position);
  }

  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever was answered.
  log(context: string): Promise<any> {
    return this.stage.relay(this.code, "office", "log", context);
  }

  /** Waits until mail for the part says something. @returns that message */
  async mail(words: string): Promise<{ threadId: string }> {
    const found = async () =>
      (await this.stage.relay(this.code, "inbox", "--part", "web")).messages.find((message: object) =>
        JSON.stringify(message).includes(words),
      );
    return until(`mail: ${words}`, found).catch(async (error) => {
      const turns = this.stage.models.turns.map(({ seen, answer }) => [seen.agent, seen.news, answer]);
      const events = fs.readFileSync(path.join(this.code, ".relay/run/logs/office.jsonl"), "utf8");
      throw new Error(`${(error as Error).message}\n${JSON.stringify(turns, null, 1)}\n${events}`);
    });
  }

  /** The sessions of the programs in the turns of a conversation. */
  sessions(thread: string): (string | undefined)[] {
    const [, day = "", random = ""] = /^t-(\d{8})-(\w+)$/.exec(thread) ?? [];
    const folder = path.join(this.code, ".relay/dispatches", `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`, random, "turns");
    const ends = fs.readdirSync(folder).filter((name) => name.endsWith(".end.md"));
    return ends.sort().map((name) => /^agent_session: "(.+)"$/m.exec(fs.readFileSync(path.join(folder, name), "utf8"))?.[1]);
  }

  /** The process group of the program that runs for a dispatch. */
  groupOf(thread: string): number {
    const launches = path.join(officeFolder(this.code, { env: this.stage.env }), "launches");
    const launch = fs.readdirSync(launches).find((name) => name.startsWith(`${thread}.`)) as string;
    return Number(fs.readFileSync(path.join(launches, launch, "pid"), "utf8"));
  }
}

const has = ({ news }: Seen, words: string): boolean => news.some((text) => text.includes(words));
/** Whether a request is of the agent of a name. */
const isOf = ({ texts }: Seen, name: string): boolean => texts.some((text) => text.includes(`You are ${name} (`));
const knows = ({ texts }: Seen, words: string): boolean => texts.some((text) => text.includes(words));
const answers = ({ results }: Seen, words: string): boolean => results.some((text) => text.includes(words));

const CASTS: Cast[] = [
  { lead: "claude", group: "codex", worker: "codex" },
  { lead: "codex", group: "claude", worker: "claude" },
  { lead: "claude", group: "codex", worker: "gemini" },
  { lead: "gemini", group: "gemini", worker: "codex" },
  { lead: "qwen", group: "copilot", worker: "pi" },
  { lead: "pi", group: "qwen", worker: "opencode" },
  { lead: "opencode", group: "copilot", worker: "copilot" },
];

/** The programs that are known to go on in a session whose first turn was killed. */
const GOES_ON: readonly AgentName[] = ["claude", "codex", "gemini", "pi"];

for (const cast of CASTS) {
  describeWith(...new Set(Object.values(cast)))(`a lead by ${cast.lead}, one below by ${cast.group}, a worker by ${cast.worker}`, () => {
    test("work goes down, replies come up, and the lead's reply is the person's", async () => {
      const office = await RealOffice.open(cast);
      office.stage.models.play((seen) => {
        if (isOf(seen, "boss")) {
          if (has(seen, "Build the page.")) return { tool: "Send", args: { member: "coder", message: "Write it." } };
          if (answers(seen, "written")) return { tool: "Send", args: { member: "tester", message: "Read it.", wait: false } };
          if (has(seen, "Reply from tester")) return "The page is built.";
          return seen.results.length > 0 ? "I wait." : undefined;
        }
        return isOf(seen, "coder") ? "written" : "read";
      });
      const context = await office.start("Build the page.");
      await office.mail("The page is built.");
      expect((await office.log(context)).turns).toHaveLength(2);
    });

    test("a recipient asks back, and goes on in its session with the answer", async () => {
      const office = await RealOffice.open(cast);
      office.stage.models.play((seen) => {
        if (isOf(seen, "boss")) {
          if (has(seen, "Paint the page.")) return { tool: "Send", args: { member: "coder", message: "Paint it." } };
          if (answers(seen, "Which colour?")) {
            const [, context] = /(agent:om:[^"\\\s]+)/.exec(seen.results.join("\n")) ?? [];
            return { tool: "Send", args: { member: "coder", message: "Blue.", context_id: context, wait: true } };
          }
          return answers(seen, "It is blue.") ? "The page is blue." : undefined;
        }
        if (has(seen, "Paint it.")) return { tool: "Send", args: { member: "boss", message: "Which colour?" } };
        if (has(seen, "Blue.")) return knows(seen, "Paint it.") ? "It is blue." : "I know of nothing.";
        return "I wait.";
      });
      const context = await office.start("Paint the page.");
      await office.mail("The page is blue.");
      const below = await office.of("om/coding/lead");
      expect((await office.log(below.context_id)).turns.map(({ reason }: { reason: string }) => reason)).toEqual(["start", "message"]);
      const [first, second] = office.sessions(below.thread);
      expect(first).toBeDefined();
      expect(second).toBe(first);
      expect((await office.log(context)).turns).toHaveLength(1);
    });

    if (!GOES_ON.includes(cast.worker)) return;
    test("one whose process group is killed has failed; its lead and itself go on in their sessions", async () => {
      const office = await RealOffice.open(cast);
      let thinks = false;
      office.stage.models.play((seen) => {
        if (isOf(seen, "boss")) {
          if (has(seen, "Test the page.")) return { tool: "Send", args: { member: "tester", message: "Test it." } };
          if (has(seen, "Once more.")) {
            const [, context] = /(agent:om:om\/tester:[^"\\\s]+)/.exec(seen.texts.join("\n")) ?? [];
            return { tool: "Send", args: { member: "tester", message: "Again.", context_id: context, wait: true } };
          }
          if (answers(seen, "recipient_failed")) return "The tester crashed.";
          return answers(seen, "All is well.") ? "The page is tested." : undefined;
        }
        if (has(seen, "Again.")) return knows(seen, "Test it.") ? "All is well." : "I know of nothing.";
        thinks = true;
        return new Promise(() => {});
      });
      const context = await office.start("Test the page.");
      await until("the worker asks its model", () => thinks);
      const below = await office.of("om/tester");
      process.kill(-office.groupOf(below.thread), "SIGKILL");
      const { threadId } = await office.mail("The tester crashed.");
      await office.stage.relay(office.code, "reply", threadId, "Once more.", "--part", "web");
      await office.mail("The page is tested.");
      const failed = (await office.log(below.context_id)).turns;
      expect(failed.map(({ outcome }: { outcome: string }) => outcome)).toEqual(["failed", "ok"]);
      expect((await office.log(context)).turns).toHaveLength(2);
      for (const { thread } of [below, await office.of("om")]) {
        const [first, second] = office.sessions(thread);
        expect(first).toBeDefined();
        expect(second).toBe(first);
      }
    });
  });
}

/** The lines of the page's first block of commands, as the words of each. */
function pastedLines(): string[][] {
  const page = fs.readFileSync("docs/office.md", "utf8");
  const [, block = ""] = /```sh\n(.*?)```/s.exec(page) ?? [];
  const lines = block.trim().split("\n");
  return lines.map((line) => [...line.replace(/\s#.*/, "").matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? ""));
}

for (const program of ["claude", "codex"] as const) {
  describeWith(program)(`the page on the office, by ${program}`, () => {
    test("from nothing to three agents that answered, line by line", async () => {
      const office = await RealOffice.nothing();
      const { stage, code } = office;
      stage.models.play((seen) => {
        if (!isOf(seen, "office-manager")) return isOf(seen, "developer") ? "I wrote it." : "It is good.";
        if (answers(seen, "It is good.")) return "Added, and reviewed.";
        const member = answers(seen, "I wrote it.") ? "reviewer" : "developer";
        return { tool: "Send", args: { member, message: `Do your part, ${member}.` } };
      });
      const lines = pastedLines().map((words) => words.map((word) => (word === "claude" ? program : word)));
      expect(lines.length).toBeLessThanOrEqual(5);
      for (const [name = "", ...words] of lines) {
        expect(name).toBe("relay");
        if (words[1] === "start") await stage.loopback(code);
        await stage.relay(code, ...words);
      }
      const doneBy = async () => (await stage.relay(code, "office", "tree")).conversations as { position: string; outcome: string }[];
      await until("three answered", async () => (await doneBy()).filter(({ outcome }) => outcome === "ok").length === 3);
      expect((await doneBy()).map(({ position }) => position).sort()).toEqual(["om", "om/developer", "om/reviewer"]);
    });
  });
}
