/** SIGKILL at random instants of `send` and `reply`: what it leaves is nothing, or the whole message for everyone, once. */
import path from "node:path";
import { expect, test } from "vitest";
import { operations, perform } from "../../../protocol/index.ts";
import { check, type Entry, type Invoked } from "../../history/history.ts";
import { survey } from "../../history/survey.ts";
import { count } from "../../rig/counts.ts";
import { chatty, homeWith, worldAt } from "../../rig/home.ts";
import { entriesOf, pause, randomInt, unansweredOf } from "../../rig/hurt.ts";
import { connect, relay, work } from "../../rig/processes.ts";
import { until } from "../../rig/scratch.ts";
import type { Plan } from "../../workers/actor.ts";

/** Kills in a home before a new one is taken, so that looking at all of it stays quick. */
const KILLS_A_HOME = 15;
const LANES = 2;
/** Whoever is killed ends by nothing else: this file never comes. */
const NEVER = "/never/comes";
const PLAN = { part: "api", peers: ["web", "db", "main"], weights: { send: 1, reply: 1 }, until: NEVER };

/** One process after the other sends and replies, and is killed; after each the home is looked at. */
async function lane(homes: number, name: string): Promise<{ kills: number; unanswered: number; there: number }> {
  const sum = { kills: 0, unanswered: 0, there: 0 };
  for (let home = 0; home < homes; home += 1) {
    const folder = await homeWith("web", "api", "db");
    const at = path.join(folder, ".relay");
    const log: Entry[] = [];
    for (let kill = 0; kill < KILLS_A_HOME; kill += 1) {
      const plan: Plan = { ...PLAN, folder, name: `${name}-${home}-${kill}` };
      const worker = work("actor", [JSON.stringify(plan)]);
      // Half of them die cold, in their first calls; half when they are quick.
      const lines = kill % 2 === 0 ? 1 : 6;
      await until("the writer writes", () => worker.lines.length >= lines);
      await pause(randomInt(80 / lines));
      worker.child.kill("SIGKILL");
      await worker.ended;
      const entries = entriesOf(worker);
      log.push(...entries);
      // The next Relay process looks: here one of this process, at times the real command.
      if (kill === KILLS_A_HOME - 1) expect((await relay(folder, ["whoami", "--part", "web", "--json"])).code).toBe(0);
      else await perform(worldAt(folder), operations.whoami, {});
      expect(survey(at).pending).toEqual([]);
      expect(check(log, survey(at))).toEqual([]);
      sum.kills += 1;
      for (const begun of unansweredOf(entries)) {
        const before = survey(at).messages.find(({ body }) => body === begun.mark);
        sum.unanswered += 1;
        sum.there += before === undefined ? 0 : 1;
        if (begun.input?.["idempotency_key"] !== undefined) log.push(...(await retry(folder, begun, before?.id)));
      }
    }
    expect(check(log, survey(at))).toEqual([]);
  }
  return sum;
}

/** The same call again: it makes the message, or gives the one that was made. */
async function retry(folder: string, begun: Invoked, known: string | undefined): Promise<Entry[]> {
  const call = `${begun.call} again`;
  const { messageId } = await perform(worldAt(folder, { part: begun.part }), operations[begun.kind], begun.input);
  if (known !== undefined) expect(messageId).toBe(known);
  return [
    { ...begun, call },
    { phase: "answered", call, at: begun.at, messageId: messageId as string },
  ];
}

test("a sender killed at a random instant leaves nothing, or the whole message, once", async () => {
  const homes = Math.ceil(count(60, 5_000) / KILLS_A_HOME / LANES);
  const sums = await Promise.all(Array.from({ length: LANES }, (_, at) => lane(homes, `lane${at}`)));
  const sum = (key: keyof (typeof sums)[0]): number => sums.reduce((total, each) => total + each[key], 0);
  console.info(`kills: ${sum("kills")}, in the middle of a call: ${sum("unanswered")}, of these committed: ${sum("there")}`);
  expect(sum("unanswered")).toBeGreaterThan(sum("kills") / 2);
});

test("what was answered is there after everything was killed at once, and a cold start", async () => {
  const parts = ["web", "api", "db", "ops"];
  const folder = chatty(await homeWith(...parts));
  const agents = await Promise.all(parts.slice(0, 2).map((part) => connect(folder, { args: ["--part", part] })));
  const answered: { id: string; to: string[] }[] = [];
  const sending = agents.map(async (agent, at) => {
    const to = parts.filter((part) => part !== parts[at]);
    for (;;) {
      const sent = await agent.call("send", { to, subject: "Before the end", body: "Kept?" }).catch(() => null);
      if (sent === null) return;
      answered.push({ id: sent.messageId, to });
    }
  });
  const weights = { send: 3, reply: 3, inbox: 1, ack: 1 };
  const plans = parts.map(
    (part): Plan => ({ folder, part, peers: parts.filter((peer) => peer !== part), name: part, weights, until: NEVER }),
  );
  const workers = plans.map((plan) => work("actor", [JSON.stringify(plan)]));
  await until("everyone has sent something", () => workers.every(({ lines }) => lines.length > 40) && answered.length > 20);
  for (const worker of workers) worker.child.kill("SIGKILL");
  await Promise.all([...agents.map((agent) => agent.kill()), ...workers.map((worker) => worker.ended)]);
  await Promise.all(sending);

  const cold = await relay(folder, ["inbox", "--part", "web", "--limit", "200", "--json"]);
  expect(cold.code, cold.stderr).toBe(0);
  // Who was killed in the middle of an ack left both names, which mean acked; each part's own look takes one away.
  for (const part of parts) await perform(worldAt(folder, { part }), operations.inbox, {});
  const disk = survey(path.join(folder, ".relay"));
  const log = workers.flatMap(entriesOf);
  const byAgents = disk.messages.filter(({ body }) => body === "Kept?");
  expect(check(log, disk).filter((fault) => !fault.startsWith("nobody wrote") && !fault.startsWith("doubled: Kept?"))).toEqual([]);
  for (const { id } of answered) expect(byAgents.filter((message) => message.id === id || message.id.includes(`-${id}-`))).toHaveLength(1);
  expect(disk.pending).toEqual([]);
});
