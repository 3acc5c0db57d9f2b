/** What agents of RelayRoom do and may expect: mail, events, wakes and search, on one server with one part a call. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { Answer } from "../rig/clones.ts";
import { homeWith } from "../rig/home.ts";
import { connect, relay } from "../rig/processes.ts";
import { until } from "../rig/scratch.ts";
import { differs, play, type Scene } from "./stage.ts";

const PARTS = ["web", "api", "db", "docs", "looper", "chatter", "echo", "shelf"];
let letters = 0;
/** A letter of its own subject, to one part or some. */
const letter = (to: string | string[], more: Record<string, unknown> = {}): Record<string, unknown> => {
  letters += 1;
  return { to: [to].flat(), subject: `letter ${letters}`, body: `body ${letters}`, ...more };
};
const unread = async ({ ok }: Scene, part: string): Promise<Answer[]> => (await ok(part, "inbox")).messages;
/** Empties an inbox, so that a case begins with nothing. */
const emptied = async (scene: Scene, part: string): Promise<void> => {
  for (const { threadId } of await unread(scene, part)) await scene.ok(part, "ack", { threadId });
};
/** With the limits as they are where nobody changed them. */
const limited = async ({ home }: Scene, step: () => Promise<unknown>): Promise<void> => {
  const file = path.join(home, "relay.yml");
  const before = fs.readFileSync(file, "utf8");
  fs.writeFileSync(file, before.replace(/^loop: .*\n/m, ""));
  await step();
  fs.writeFileSync(file, before);
};
const WORDS = ["$schema", "propertyNames", "additionalProperties", "patternProperties", "exclusiveMinimum", "exclusiveMaximum"];
/** The words in a schema that strict clients refuse. */
const strange = (node: unknown): string[] =>
  typeof node !== "object" || node === null
    ? []
    : Object.entries(node).flatMap(([key, value]) => [...(WORDS.includes(key) ? [key] : []), ...strange(value)]);

play(
  {
    "the eleven tools are there": async ({ tools }) => {
      const names = (await tools()).map(({ name }) => name);
      for (const name of ["ack", "close", "event", "inbox", "reply", "roster", "search", "send", "show", "threads", "whoami"])
        expect(names).toContain(name);
    },
    "schemas have no words that strict clients refuse": async ({ tools }) =>
      expect((await tools()).flatMap(({ inputSchema }) => strange(inputSchema))).toEqual([]),
    "each tool says when to use it": async ({ tools }) => {
      for (const { name, description } of await tools()) expect(description.length, name).toBeGreaterThan(20);
    },
    "a part that can be none is refused": ({ no }) => no("../evil master", "inbox", {}, "bad_part"),
    "a caller that nobody made a part joins, and is told so": differs("a caller that is not a part", async ({ ok }) => {
      expect((await ok("stranger", "send", letter("web"))).warning).toContain('"stranger" is not a part of this project');
    }),
    "whoami says who and where": async ({ ok }) => expect(await ok("web", "whoami")).toMatchObject({ part: "web" }),
    "the roster has parts that never said anything": async ({ ok }) => {
      const { parts } = await ok("web", "roster");
      expect(parts.find(({ part }: Answer) => part === "shelf")).toMatchObject({ online: false });
    },

    "mail is unread, with sender and subject, until it is acked": async (scene) => {
      await emptied(scene, "api");
      const { messageId } = await scene.ok("web", "send", letter("api", { subject: "Are you there?" }));
      expect(await unread(scene, "api")).toMatchObject([{ from: "web", subject: "Are you there?" }]);
      await scene.ok("api", "ack", { messageId });
      expect(await unread(scene, "api")).toEqual([]);
    },
    "who sent it sees that it was read": async ({ ok }) => {
      const { threadId, messageId } = await ok("web", "send", letter("api"));
      await ok("api", "ack", { messageId });
      expect((await ok("web", "show", { threadId })).messages[0].receipts).toMatchObject([{ part: "api", state: "acked" }]);
    },
    "people count among the recipients": async ({ ok }) =>
      expect((await ok("web", "send", letter(["api", "db", "human"]))).recipients).toHaveLength(3),
    "each recipient is named once": async ({ ok }) =>
      expect((await ok("web", "send", letter(["api", "db", "docs", "api"]))).recipients.map(({ part }: Answer) => part)).toEqual([
        "api",
        "db",
        "docs",
      ]),
    "a message to more than may be named is refused, and leaves no thread": differs("a message to many", async ({ no, ok }) => {
      const to = Array.from({ length: 65 }, (_, at) => `p${at}`);
      await no("web", "send", letter(to, { subject: "too many of them" }), "invalid_argument", "64");
      expect((await ok("web", "threads", { q: "too many of them" })).threads).toEqual([]);
    }),
    "one recipient who is not there keeps the message from all": differs("a message to an unknown name", async (scene) => {
      await emptied(scene, "db");
      await scene.no("web", "send", letter(["db", "ghost"]), "unknown_part", "ghost");
      expect(await unread(scene, "db")).toEqual([]);
    }),
    "an answer goes to who asked": async (scene) => {
      await emptied(scene, "web");
      const { threadId } = await scene.ok("web", "send", letter("api"));
      expect((await scene.ok("api", "reply", { threadId, body: "Here." })).recipients).toMatchObject([{ part: "web" }]);
      expect(await unread(scene, "web")).toMatchObject([{ from: "api" }]);
    },

    "the same message a fourth time in a minute is refused": (scene) =>
      limited(scene, async () => {
        const same = letter("shelf");
        for (let at = 0; at < 3; at += 1) await scene.ok("looper", "send", same);
        await scene.no("looper", "send", same, "loop", "3");
      }),
    "the 21st message in a minute is refused": (scene) =>
      limited(scene, async () => {
        for (let at = 0; at < 20; at += 1) await scene.ok("chatter", "send", letter("shelf"));
        await scene.no("chatter", "send", letter("shelf"), "loop", "20");
      }),
    "the same answer a fourth time in a minute is refused": (scene) =>
      limited(scene, async () => {
        const { threadId } = await scene.ok("shelf", "send", letter("echo"));
        for (let at = 0; at < 3; at += 1) await scene.ok("echo", "reply", { threadId, body: "Yes." });
        await scene.no("echo", "reply", { threadId, body: "Yes." }, "loop");
      }),

    "optional arguments that are empty were not given": async ({ ok }) => {
      for (const [tool, args] of Object.entries({
        inbox: { cursor: "", limit: "" },
        threads: { status: "", part: "", q: "", cursor: "" },
        search: { query: "coast", part: "", thread: "", since: "" },
        event: { type: "progress", detail: "", resetAt: "" },
        send: letter("api", { urgent: "", needsHuman: "", tags: "", idempotency_key: "" }),
      }))
        await ok("web", tool, args);
    },
    "an empty recipient of an answer is refused: left out, it would be all": differs("an empty recipient", async (scene) => {
      const { threadId } = await scene.ok("web", "send", letter(["api", "db"]));
      await emptied(scene, "db");
      await scene.no("api", "reply", { threadId, body: "to whom?", to: "" }, "bad_part");
      expect(await unread(scene, "db")).toEqual([]);
    }),
    "an argument that there is none of is refused, with those that there are": differs("an unknown argument", ({ no }) =>
      no("web", "send", letter("api", { priority: "high" }), "unknown_argument", "subject"),
    ),

    "an event is recorded, with what belongs to it": async ({ ok, home }) => {
      const { eventId } = await ok("web", "event", { type: "progress", detail: { step: "coast" } });
      const days = fs.readdirSync(path.join(home, "events"), { recursive: true, encoding: "utf8" });
      const text = days
        .map((name) => path.join(home, "events", name))
        .filter((file) => fs.statSync(file).isFile())
        .map((file) => fs.readFileSync(file, "utf8"));
      expect(text.join()).toContain(eventId);
    },
    "an event of another project is no parent": ({ no }) =>
      no("web", "event", { type: "progress", parentEventId: "e-20200101-00000000000000" }, "invalid_argument", "parentEventId"),
    "a limit longer than a day is taken for a day": async ({ ok }) => {
      const resetAt = new Date(Date.now() + 40 * 3_600_000).toISOString();
      const { limitedUntil } = await ok("docs", "event", { type: "limited", resetAt });
      expect(Date.parse(limitedUntil) - Date.now()).toBeLessThanOrEqual(24 * 3_600_000);
      await ok("docs", "event", { type: "idle" });
    },
    "a time that is none is refused": ({ no }) => no("docs", "event", { type: "limited", resetAt: "later" }, "invalid_argument", "resetAt"),
    "who is out of quota keeps its mail, and is not woken": async (scene) => {
      await emptied(scene, "docs");
      await scene.ok("docs", "event", { type: "limited", resetAt: new Date(Date.now() + 3_600_000).toISOString() });
      await scene.ok("web", "send", letter("docs"));
      expect(await unread(scene, "docs")).toHaveLength(1);
      expect(await scene.does("docs", "wake_lease", { part: "docs", rung: "tmux", holder: "one" })).toMatchObject({ leased: false });
      await scene.ok("docs", "event", { type: "idle" });
    },
    "who has mail is to be woken": async (scene) => {
      await emptied(scene, "db");
      await scene.ok("web", "send", letter("db"));
      expect(await scene.does("db", "wake_lease", { part: "db", rung: "tmux", holder: "one" })).toMatchObject({ leased: true, unread: 1 });
    },
    "of two who would wake one part one does": async (scene) => {
      await emptied(scene, "api");
      await scene.ok("web", "send", letter("api"));
      const leases = await Promise.all(
        ["one", "two"].map((holder) => scene.does("api", "wake_lease", { part: "api", rung: "tmux", holder })),
      );
      expect(leases.filter(({ leased }) => leased)).toHaveLength(1);
    },
    "a report of a wake that is another is refused": async (scene) =>
      expect(scene.does("api", "wake_report", { part: "api", wakeId: "w-other", outcome: "noticed" })).rejects.toMatchObject({
        code: expect.stringMatching(/stale_wake|invalid_argument/),
      }),
    "many letters that came meanwhile are one wake, with their number": async (scene) => {
      await emptied(scene, "shelf");
      for (let at = 0; at < 5; at += 1) await scene.ok("web", "send", letter("shelf"));
      expect(await scene.does("shelf", "wake_lease", { part: "shelf", rung: "tmux", holder: "one" })).toMatchObject({ unread: 5 });
      expect(await scene.does("shelf", "wake_lease", { part: "shelf", rung: "tmux", holder: "two" })).toMatchObject({ leased: false });
    },
    "who acked all is not to be woken any more": async (scene) => {
      await emptied(scene, "echo");
      await scene.ok("web", "send", letter("echo"));
      await emptied(scene, "echo");
      expect((await scene.does("echo", "wakes", { part: "echo" })).waiting).toEqual([]);
      expect(await scene.does("echo", "wake_lease", { part: "echo", rung: "tmux", holder: "one" })).toMatchObject({ leased: false });
    },
    "who looks into an empty inbox is not to be woken": async (scene) => {
      await emptied(scene, "looper");
      expect(await unread(scene, "looper")).toEqual([]);
      expect(await scene.does("looper", "wake_lease", { part: "looper", rung: "tmux", holder: "one" })).toMatchObject({ leased: false });
    },

    "a closed thread takes no answer": async ({ ok, no }) => {
      const { threadId } = await ok("web", "send", letter("api"));
      await ok("web", "close", { threadId });
      await no("api", "reply", { threadId, body: "late" }, "thread_closed", "closed");
    },
    "closing a thread leaves nothing of it unread": async (scene) => {
      await emptied(scene, "api");
      const { threadId } = await scene.ok("web", "send", letter("api"));
      await scene.ok("web", "close", { threadId });
      expect(await unread(scene, "api")).toEqual([]);
    },
    "who got a message may close its thread": async (scene) => {
      const { threadId } = await scene.ok("web", "send", letter("api"));
      await scene.ok("api", "close", { threadId });
      expect((await unread(scene, "api")).map((each) => each.threadId)).not.toContain(threadId);
    },
    "closing keeps nothing in memory, unless it is told what was learned": async ({ ok, home }) => {
      const memory = path.join(home, "memory/project.md");
      const before = fs.existsSync(memory) ? fs.readFileSync(memory, "utf8") : "";
      const { threadId } = await ok("web", "send", letter("api"));
      await ok("web", "close", { threadId });
      expect(fs.existsSync(memory) ? fs.readFileSync(memory, "utf8") : "").toBe(before);
      const second = await ok("web", "send", letter("api"));
      await ok("web", "close", { threadId: second.threadId, lesson: "Ask for the scale first." });
      expect(fs.readFileSync(memory, "utf8")).toContain("Ask for the scale first.");
    },
    "search finds a thread by its subject, for who takes no part in it too": async ({ ok }) => {
      await ok("web", "send", letter("api", { subject: "plan of the archipelago" }));
      expect((await ok("docs", "search", { query: "archipelago" })).hits).toMatchObject([{ subject: "plan of the archipelago" }]);
    },
    "search gives the newest where there are more than were asked for": async ({ ok }) => {
      for (let at = 0; at < 3; at += 1) await ok("web", "send", letter("api", { subject: `isthmus ${at}` }));
      expect((await ok("docs", "search", { query: "isthmus", limit: 2 })).hits.map(({ subject }: Answer) => subject)).toEqual([
        "isthmus 2",
        "isthmus 1",
      ]);
    },
  },
  { tools: "room", parts: PARTS },
);

test("a server for a part that can be none does not start", async () => {
  const folder = await homeWith("web");
  expect(await relay(folder, ["mcp", "--part", "../evil master"])).toMatchObject({ code: 2 });
});

test("a server with a channel says that it has one, and pushes a doorbell without subject and text", async () => {
  const folder = await homeWith("web", "api");
  const web = await connect(folder, { args: ["--part", "web", "--tools", "room", "--channel"] });
  expect(web.client.getServerCapabilities()?.experimental).toHaveProperty("claude/channel");
  const pushed: string[] = [];
  web.client.fallbackNotificationHandler = async (notification) => {
    pushed.push(JSON.stringify(notification));
  };
  const api = await connect(folder, { args: ["--part", "api", "--tools", "room"] });
  await api.call("send", { to: ["web"], subject: "the secret subject", body: "the secret text" });
  await until("the doorbell came", () => pushed.length > 0);
  expect(pushed[0]).toContain("claude/channel");
  expect(pushed[0]).not.toContain("secret");
  for (const agent of [web, api]) await agent.close();
});
