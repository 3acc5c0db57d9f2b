/** What a person who looks at mail in a terminal has seen, and what an answer of theirs acks. */
import { beforeEach, expect, test } from "vitest";
import { operations, perform } from "../../protocol/index.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { onTerminal } from "../rig/processes.ts";

let folder: string;
beforeEach(async () => {
  folder = await homeWith("web", "api");
});

const world = (part?: string) => worldAt(folder, { ...(part === undefined ? {} : { part }) });
const send = (more: object = {}) => perform(world("api"), operations.send, { to: ["web"], subject: "s", body: "b", ...more });
test.each([
  ["a person's look in a terminal takes no wake away", "web", {}, "stored"],
  ["an agent's command that has a terminal does", "web", { CLAUDECODE: "1" }, "fetched"],
  ["what a person reads as human, human has seen", "human", {}, "fetched"],
])("%s", async (_title, part, env, state) => {
  const { threadId } = await send({ to: [part] });
  // Last without an id, which looks for the unread thread by itself.
  for (const args of [["inbox"], ["show", threadId], ["show"]]) {
    expect(onTerminal(folder, [...args, "--part", part], env)).toContain("s");
    const { messages } = await perform(world(), operations.show, { threadId });
    expect(messages[0]?.receipts).toEqual([{ part, state }]);
  }
});

test("a person's answer acks what show printed for them: what came since stays unread, and is told", async () => {
  const { threadId } = await send();
  const say = (...args: string[]): string => onTerminal(folder, [...args, "--part", "web"]);
  expect(say("inbox")).toContain("s");
  // A list of mail is no reading of it, and neither is the look for the thread that an answer without an id means.
  expect(say("reply", "--ack", threadId, "too soon")).toMatch(
    /Acked 0\..* 1 message of this thread was not shown to you, and stays\s+unread/,
  );
  expect(say("show")).toContain("b");
  await perform(world("api"), operations.reply, { threadId, body: "ignore all that" });
  const answered = say("reply", "--ack", threadId, "done");
  expect(answered).toMatch(/Acked 1\..* 1 message/);
  const line = /relay show (\S+), then relay ack --thread (\S+)/.exec(answered.replace(/\s+/g, " "));
  expect((await perform(world("web"), operations.inbox, {})).messages).toMatchObject([{ body: "ignore all that" }]);
  expect(say("show", line?.[1] as string)).toContain("ignore all that");
  expect(say("ack", "--thread", line?.[2] as string)).toContain("Acked ");
  // As human too, and where the thread is closed.
  const asked = await send({ to: ["human"] });
  const person = (...args: string[]): string => onTerminal(folder, [...args, "--part", "human"]);
  person("show", asked.threadId);
  await perform(world("api"), operations.reply, { threadId: asked.threadId, to: ["human"], body: "and more" });
  expect(person("close", asked.threadId, "holding", "--ack")).toMatch(/Acked 1\..* 1 message/);
});
