/** Checking a home in which others write: what is being written just now is no finding. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { operations, perform } from "../../protocol/index.ts";
import { FINDINGS } from "../../protocol/objects/format/finding.ts";
import type { Answer } from "../rig/clones.ts";
import { count } from "../rig/counts.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { type Worker, work } from "../rig/processes.ts";
import { scratch, until } from "../rig/scratch.ts";
import type { Plan } from "../workers/actor.ts";

const PARTS = Array.from({ length: 5 }, (_, at) => `p${at}`);
const CLAIMERS = 3;

const ROUNDS = count(4, 10);
/** They have a processor among them, and whoever checks has the other: else it would get a ninth of both. */
const NICE = 10;

/** Whether doctor says it of a file that is shared, or finds more than a note on this machine. */
const isOfFile = ({ severity, code }: Answer): boolean => severity !== "note" || code in FINDINGS;

test.each(Array.from({ length: count(1, 20) }, (_, at) => at))("check and doctor beside 8 live writers find nothing (%s)", async () => {
  const folder = await homeWith(...PARTS);
  const enough = path.join(scratch(), "enough");
  const world = worldAt(folder, { part: "main" });
  await perform(world, operations.start_session, { session_id: "s-1" });
  const weights = { send: 3, reply: 4, inbox: 3, ack: 5, close: 1 };
  const writers: Worker[] = PARTS.map((part) => {
    const plan: Plan = { folder, part, peers: PARTS.filter((peer) => peer !== part), name: part, weights, until: enough };
    return work("actor", [JSON.stringify(plan)]);
  });
  for (let at = 0; at < CLAIMERS; at += 1) writers.push(work("worker", [JSON.stringify({ folder, part: `p${at}`, until: enough })]));
  for (const { child } of writers) os.setPriority(child.pid as number, NICE);
  await until("everyone writes", () => writers.every(({ lines }) => lines.length > 3));
  // A board with finished tasks and no summary is a finding of its own.
  await perform(world, operations.save_session_summary, { session_id: "s-1", summary: "Work goes on." });
  const found: Answer[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const [checked, examined] = [await perform(world, operations.check, {}), await perform(world, operations.doctor, {})] as Answer[];
    const real = [...checked.findings, ...examined.findings.filter(isOfFile)];
    found.push(...real.map((finding: Answer) => ({ round, ...finding })));
    expect(writers.map(({ child }) => child.exitCode)).toEqual(writers.map(() => null));
  }
  fs.writeFileSync(enough, "");
  for (const writer of writers) expect(await writer.ended, writer.stderr()).toBe(0);
  expect(found).toEqual([]);
});
