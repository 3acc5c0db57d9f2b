/** A soak: 16 parts write, read, ack and close while some are killed and some suspended; then the history must hold. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { operations, perform } from "../../protocol/index.ts";
import { check } from "../history/history.ts";
import { survey } from "../history/survey.ts";
import { count, FULL } from "../rig/counts.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { entriesOf, pause, randomInt, unansweredOf } from "../rig/hurt.ts";
import { relay, type Worker, work } from "../rig/processes.ts";
import { scratch, until } from "../rig/scratch.ts";
import type { Plan } from "../workers/actor.ts";

const PARTS = Array.from({ length: 16 }, (_, at) => `p${at}`);
/** Past this a lock counts its holder as dead; in full some sleep past the patience with a sender, too. */
const LOCK_STALE_MS = 2_000;
const SENDER_PATIENCE_MS = 10_000;

/** How long a process is suspended: mostly a moment, at times longer than others are patient with it. */
function sleepMs(): number {
  const fate = Math.random();
  if (fate < 0.8) return randomInt(150);
  return FULL && fate > 0.97 ? SENDER_PATIENCE_MS + randomInt(1_000) : LOCK_STALE_MS + randomInt(1_000);
}

test("16 parts, killed and suspended at random: nothing is lost, doubled, or comes back", async () => {
  const folder = await homeWith(...PARTS);
  const enough = path.join(scratch(), "enough");
  const wanted = { stops: count(30, 400), kills: count(10, 120) };
  const all: Worker[] = [];
  const start = (part: string, again: Plan["again"]): Worker => {
    const weights = { send: 3, reply: 4, inbox: 3, ack: 5, close: 1 };
    const peers = PARTS.filter((peer) => peer !== part);
    const plan: Plan = { folder, part, peers, name: `${part}.${all.length}`, weights, until: enough, lockStaleMs: LOCK_STALE_MS };
    const worker = work("actor", [JSON.stringify(again === undefined ? plan : { ...plan, again })]);
    all.push(worker);
    return worker;
  };
  const acting = new Map(PARTS.map((part) => [part, start(part, undefined)]));
  await until("everyone acts", () => all.every(({ lines }) => lines.length > 5));

  const asleep = new Set<string>();
  const sleeping: Promise<void>[] = [];
  for (let [stops, kills] = [0, 0]; stops < wanted.stops || kills < wanted.kills; ) {
    await pause(randomInt(40));
    const awake = PARTS.filter((part) => !asleep.has(part));
    const part = awake[randomInt(awake.length)];
    if (part === undefined) continue;
    const worker = acting.get(part) as Worker;
    if (kills < wanted.kills && Math.random() < wanted.kills / (wanted.stops + wanted.kills)) {
      kills += 1;
      worker.child.kill("SIGKILL");
      expect(await worker.ended, worker.stderr()).toBe(null);
      // Whoever comes next for this part does again what nobody knows the end of, with the same key.
      const unknown = unansweredOf(entriesOf(worker)).filter(({ input }) => input?.["idempotency_key"] !== undefined);
      acting.set(part, start(part, unknown));
    } else {
      stops += 1;
      worker.child.kill("SIGSTOP");
      asleep.add(part);
      sleeping.push(
        pause(sleepMs()).then(() => {
          worker.child.kill("SIGCONT");
          asleep.delete(part);
        }),
      );
    }
  }
  await Promise.all(sleeping);
  fs.writeFileSync(enough, "");
  for (const worker of acting.values()) expect(await worker.ended, worker.stderr()).toBe(0);

  // An ack that was killed between its two steps leaves both names, which mean acked; the next look at that inbox takes one away.
  for (const part of PARTS) await perform(worldAt(folder, { part }), operations.inbox, {});
  const log = all.flatMap(entriesOf);
  const disk = survey(path.join(folder, ".relay"));
  console.info(`calls: ${log.filter(({ phase }) => phase === "invoked").length}, messages: ${disk.messages.length}`);
  expect(log.filter((entry) => entry.phase === "refused" && !["thread_closed", "to_nobody"].includes(entry.code))).toEqual([]);
  expect(check(log, disk)).toEqual([]);
  expect(disk.pending).toEqual([]);
  const doctor = await relay(folder, ["doctor", "--json"]);
  expect(doctor.json.findings.filter(({ severity }: { severity: string }) => severity !== "note")).toEqual([]);
});
