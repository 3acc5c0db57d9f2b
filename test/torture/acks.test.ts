/** Two processes ack one message while a third completes its pending send: it moves once, and never comes back. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { operations, perform } from "../../protocol/index.ts";
import { survey } from "../history/survey.ts";
import { count } from "../rig/counts.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { sweep, work } from "../rig/processes.ts";
import { begin } from "../rig/rounds.ts";
import { scratch, until } from "../rig/scratch.ts";

/** A process that is gone: nothing that runs has this start time. */
const GONE = "1-1-00000000-1";

/** Makes a message for `web` what its writer would have left, had it been killed right after the commit. */
function leavePending(home: string, id: string): void {
  const unread = path.join(home, "inbox/web/new", `${id}.md`);
  fs.renameSync(unread, path.join(home, "local/pending", `${GONE}.${id}.md`));
}

test("two acks and a completing look, at one instant", async () => {
  const folder = await homeWith("web", "api");
  const home = path.join(folder, ".relay");
  const rounds = scratch();
  const world = worldAt(folder, { part: "api" });
  const movers = ["ack", "ack", "look"].map((what) => work("mover", [folder, rounds, what, "web"]));
  const all: string[] = [];
  for (let round = 0; round < count(100, 5_000); round += 1) {
    const { messageId } = await perform(world, operations.send, { to: ["web"], subject: "Once", body: `${round}` });
    const id = messageId as string;
    all.push(id);
    leavePending(home, id);
    begin(rounds, round, id);
    await until("all three are done", () => movers.every(({ lines }) => lines.at(-1)?.round === round));
    const [one, two, look] = movers.map(({ lines }) => lines.at(-1));
    expect([one.success, two.success, look.success], JSON.stringify([one, two])).toEqual([true, true, true]);
    expect([...one.acked, ...two.acked], "moved once").toEqual([id]);
    expect([...one.alreadyRead, ...two.alreadyRead]).toEqual([id]);
    expect(fs.readdirSync(path.join(home, "inbox/web/new"))).toEqual([]);
    expect(fs.readdirSync(path.join(home, "local/pending"))).toEqual([]);
  }
  begin(rounds, all.length, "");
  for (const mover of movers) expect(await mover.ended, mover.stderr()).toBe(0);
  expect(survey(home).acked.get("web")?.sort()).toEqual(all.sort());
});

test.each(["whoami", "ack"] as const)(
  "a process that performs %s is suspended before each call of the disk, while the message is acked",
  async (name) => {
    const folder = await homeWith("web", "api");
    const home = path.join(folder, ".relay");
    const acked: string[] = [];
    const lay = async (): Promise<Record<string, unknown>> => {
      const { messageId } = await perform(worldAt(folder, { part: "api" }), operations.send, { to: ["web"], subject: "Once", body: "b" });
      acked.push(messageId as string);
      leavePending(home, messageId as string);
      return name === "ack" ? { messageId } : {};
    };
    const rival = () => perform(worldAt(folder, { part: "web" }), operations.ack, { messageId: acked.at(-1) });
    await sweep(folder, name, lay, rival, (theirs, mine, call) => {
      expect(theirs).toMatchObject({ success: true });
      expect([...mine.acked, ...(theirs.acked ?? [])], `suspended before call ${call}`).toEqual([acked.at(-1)]);
      for (const at of ["inbox/web/new", "local/pending"]) expect(fs.readdirSync(path.join(home, at)), `call ${call}`).toEqual([]);
    });
    expect(survey(home).acked.get("web")?.sort()).toEqual(acked.sort());
    expect(acked.length).toBeGreaterThan(15);
  },
);
