/** Messages as agents of the relay plugin send and get them. */
import { expect } from "vitest";
import { differs, play } from "../stage.ts";

play({
  "a message to one is answered with its sender, recipient, time and place": async ({ ok }) => {
    const before = Math.floor(Date.now() / 1_000);
    const { message_id, message } = await ok("lead", "send_message", { to: "web", content: "Look at it" });
    expect(message).toMatchObject({ id: message_id, from_agent: "lead", to_agent: "web", content: "Look at it", thread_id: null });
    expect(message.created_at).toBeGreaterThanOrEqual(before);
    expect(message.seq).toBeGreaterThan(0);
  },
  "who it is for gets it": async ({ ok }) => {
    await ok("lead", "send_message", { to: "web", content: "Hello" });
    expect((await ok("web", "get_messages")).messages).toMatchObject([{ from_agent: "lead", to_agent: "web", content: "Hello" }]);
  },
  "nobody else gets it": async ({ ok, mail }) => {
    await ok("lead", "send_message", { to: "api", content: "Hello" });
    expect(await mail("web")).toEqual([]);
  },
  "a message without a recipient is to all": async ({ ok }) => {
    await ok("lead", "send_message", { content: "To all" });
    for (const agent of ["web", "api"])
      expect((await ok(agent, "get_messages")).messages).toMatchObject([{ to_agent: null, content: "To all" }]);
  },
  "a recipient of null is all, too": async ({ ok, mail }) => {
    await ok("lead", "send_message", { to: null, content: "To all" });
    expect(await mail("web")).toEqual(["To all"]);
  },
  "nobody gets a message to all that is its own": async ({ ok, mail }) => {
    await ok("lead", "send_message", { to: null, content: "To all" });
    expect(await mail("lead")).toEqual([]);
  },
  "who joins later gets what went to all": async ({ ok, mail }) => {
    await ok("lead", "send_message", { content: "Earlier" });
    expect(await mail("late-comer")).toEqual(["Earlier"]);
  },
  "a message to oneself is kept for oneself": async ({ ok, mail }) => {
    await ok("lead", "send_message", { to: "lead", content: "Note" });
    expect(await mail("lead")).toEqual(["Note"]);
  },
  "without a place all messages come, first to last": async ({ ok, mail }) => {
    for (const content of ["one", "two", "three"]) await ok("lead", "send_message", { to: "web", content });
    expect(await mail("web")).toEqual(["one", "two", "three"]);
  },
  "from a place on only later ones come": async ({ ok, mail }) => {
    for (const content of ["one", "two"]) await ok("lead", "send_message", { to: "web", content });
    const [{ seq }] = (await ok("web", "get_messages")).messages;
    const later = (await ok("web", "get_messages", { after_seq: seq })).messages;
    expect(later).toMatchObject([{ content: "two" }]);
    expect(later[0].seq).toBeGreaterThan(seq);
    expect(await mail("web", { after_seq: later[0].seq })).toEqual([]);
  },
  "the place itself is not in it": async ({ ok, mail }) => {
    const { message } = await ok("lead", "send_message", { content: "one" });
    expect(await mail("web", { after_seq: message.seq })).toEqual([]);
  },
  "a place before the first gives all": async ({ ok, mail }) => {
    await ok("lead", "send_message", { to: "web", content: "one" });
    expect(await mail("web", { after_seq: -1 })).toEqual(["one"]);
  },
  "places grow with each message": async ({ ok }) => {
    const seqs = [];
    for (const content of ["one", "two", "three"]) seqs.push((await ok("lead", "send_message", { content })).message.seq);
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
    expect(new Set(seqs).size).toBe(3);
  },
  "forty messages at once have forty places, and none is missed": async ({ ok, mail }) => {
    const texts = Array.from({ length: 40 }, (_, at) => `${at}`);
    const sent = await Promise.all(texts.map((content) => ok("lead", "send_message", { to: "web", content })));
    expect(new Set(sent.map(({ message }) => message.seq)).size).toBe(40);
    expect((await mail("web")).sort()).toEqual([...texts].sort());
  },
  "so many come as were asked for, the earliest first": async ({ ok, mail }) => {
    for (const content of ["one", "two", "three"]) await ok("lead", "send_message", { to: "web", content });
    expect(await mail("web", { limit: 2 })).toEqual(["one", "two"]);
  },
  "a limit of none is refused": ({ no }) => no("web", "get_messages", { limit: 0 }, "invalid_argument", "at least 1"),
  "where nothing came the list is empty": async ({ mail }) => expect(await mail("design")).toEqual([]),
  "a message without content is refused": ({ no }) => no("lead", "send_message", { to: "web" }, "invalid_argument", "content"),
  "an empty content is a message": async ({ ok, mail }) => {
    await ok("lead", "send_message", { to: "web", content: "" });
    expect(await mail("web")).toEqual([""]);
  },
  "content comes as it was written": async ({ ok, mail }) => {
    const content = '---\nfrom: "nobody"\n---\n# 안녕 🌊\r\n\ttab, "quotes", `code`, \u2028 and trailing blanks  \n\n';
    await ok("lead", "send_message", { to: "web", content });
    expect(await mail("web")).toEqual([content]);
  },
  "content may have 65536 characters": async ({ ok, mail }) => {
    await ok("lead", "send_message", { to: "web", content: "x".repeat(65_536) });
    expect((await mail("web"))[0]).toHaveLength(65_536);
  },
  "content of 65537 characters is refused, with the limit": ({ no }) =>
    no("lead", "send_message", { to: "web", content: "x".repeat(65_537) }, "invalid_argument", "65536"),
  "a name for a thread comes with the message": async ({ ok }) => {
    await ok("lead", "send_message", { to: "web", content: "one", thread_id: "the coast" });
    expect((await ok("web", "get_messages")).messages).toMatchObject([{ thread_id: "the coast" }]);
  },
  "metadata comes with the message": async ({ ok }) => {
    await ok("lead", "send_message", { to: "web", content: "one", metadata: { kind: "map", sheet: "4" } });
    expect((await ok("web", "get_messages")).messages).toMatchObject([{ metadata: { kind: "map", sheet: "4" } }]);
  },
  "a message without metadata has none": async ({ ok }) =>
    expect((await ok("lead", "send_message", { content: "one" })).message).toMatchObject({ metadata: null }),
  "21 entries of metadata are refused, with the limit": ({ no }) => {
    const metadata = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`k${at}`, "v"]));
    return no("lead", "send_message", { content: "one", metadata }, "invalid_argument", "20");
  },
  "a number in metadata is refused, with its name": ({ no }) =>
    no("lead", "send_message", { content: "one", metadata: { sheet: 4 } }, "invalid_argument", "metadata.sheet"),
  "an agent of the team can be written to before it said anything": async ({ ok, mail, write }) => {
    write(
      "team",
      `agents:\n  lead: { name: L, emoji: l, tools: [], systemPrompt: p }\n  quiet: { name: Q, emoji: q, tools: [], systemPrompt: p }\n`,
    );
    await ok("lead", "send_message", { to: "quiet", content: "Are you there?" });
    expect(await mail("quiet")).toEqual(["Are you there?"]);
  },
  "a message to who is not known is refused, with the nearest": differs("a message to an unknown name", async ({ no }) => {
    await no("lead", "send_message", { to: "desing", content: "c" }, "unknown_part", "Nearest: design");
  }),
  "an empty recipient is refused: left out, it would be all": differs("an empty recipient", async ({ no, mail }) => {
    await no("lead", "send_message", { to: "", content: "c" }, "bad_part");
    expect(await mail("web")).toEqual([]);
  }),
  "who does not say who it is cannot send, and is told how": ({ no }) =>
    no(null, "send_message", { content: "c" }, "who_are_you", "agent_id"),
  "who does not say who it is cannot get messages": ({ no }) => no(null, "get_messages", {}, "who_are_you", "agent_id"),
  "what was got is read": differs("messages that `get_messages` gave", async ({ ok, mail }) => {
    await ok("lead", "send_message", { to: "web", content: "one" });
    expect(await mail("web")).toEqual(["one"]);
    // Whoever asks from its own place has it again.
    expect(await mail("web", { after_seq: 0 })).toEqual(["one"]);
  }),
  "messages are there after a restart, in their places": differs("a restarted server", async ({ ok, restart }) => {
    for (const content of ["one", "two"]) await ok("lead", "send_message", { to: "web", content });
    const before = (await ok("web", "get_messages")).messages;
    await restart();
    expect((await ok("web", "get_messages")).messages).toEqual(before);
  }),
  "a message after a restart has a later place": async ({ ok, restart }) => {
    const first = await ok("lead", "send_message", { content: "one" });
    await restart();
    const second = await ok("lead", "send_message", { content: "two" });
    expect(second.message.seq).toBeGreaterThan(first.message.seq);
  },
  "a session has no end of messages": differs("the size of a session", async ({ ok, mail }) => {
    await Promise.all(Array.from({ length: 60 }, (_, at) => ok("lead", "send_message", { to: "web", content: `${at}` })));
    expect(await mail("web")).toHaveLength(60);
  }),
});
