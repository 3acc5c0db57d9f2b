/**
 * What the disk holds for a message and for a finished task: bytes in whole blocks, and inodes. The file of a message takes a block of 4,096
 * bytes and an inode, the folder of its thread as much again for all of its messages; archived, a thread is one file.
 */
import fs from "node:fs";
import path from "node:path";
import { emptyHome } from "./rig/homes.mjs";
import { relay, row, scratch } from "./rig/measure.mjs";
import { startServer } from "./rig/server.mjs";

const MESSAGES = 500;
const TASKS = 50;
/** One message in so many begins a thread; the others reply. */
const A_THREAD = 10;
const BODY = "word ".repeat(200);

/** Sends and acks messages in threads, and takes tasks from their making to their end. */
export async function measureDisk() {
  const home = emptyHome("web", "api");
  const server = await startServer(home);
  await server.must("start_session", { agent_id: "api" });
  await talk(server, A_THREAD);
  await work(server, 1);
  const before = heldBy(home);
  const threads = await talk(server, MESSAGES);
  const talked = heldBy(home);
  await work(server, TASKS);
  const worked = heldBy(home);
  for (const threadId of threads) await server.must("close", { agent_id: "api", threadId });
  await server.close();
  relay(home, "archive", ...threads, "--part", "api");
  const archived = heldBy(home);
  const a = (of, from, to, count) => (to[of] - from[of]) / count;
  const bare = bareFiles();
  const alone = (of) => ({ what: "a file a message and a folder a thread, alone", figure: of });
  return [
    row(`bytes a message of a kilobyte, acked, ${A_THREAD} a thread`, a("bytes", before, talked, MESSAGES) / 1_000, {
      unit: "kB",
      baseline: alone(bare.bytes / MESSAGES / 1_000),
      bars: { most: 4.5 },
    }),
    row(
      "the same without what `run/` keeps for seven days",
      (a("bytes", before, talked, MESSAGES) - a("bytesInRun", before, talked, MESSAGES)) / 1_000,
      {
        unit: "kB",
        baseline: alone(bare.bytes / MESSAGES / 1_000),
      },
    ),
    row("inodes a message", a("inodes", before, talked, MESSAGES), {
      unit: "inodes",
      baseline: alone(bare.inodes / MESSAGES),
      bars: { most: 1.03 },
    }),
    row(
      `bytes a message, once its thread is archived`,
      a("bytes", before, talked, MESSAGES) / 1_000 + a("bytes", worked, archived, MESSAGES) / 1_000,
      {
        unit: "kB",
      },
    ),
    row("inodes a message, once its thread is archived", a("inodes", before, talked, MESSAGES) + a("inodes", worked, archived, MESSAGES), {
      unit: "inodes",
    }),
    row("inodes of a finished task", a("inodes", talked, worked, TASKS), { unit: "inodes", bars: { most: 4 } }),
    row("inodes in `run/` of what is over", a("inRun", before, worked, MESSAGES + TASKS), { unit: "an act", bars: { most: 0 } }),
  ];
}

/** @returns the ids of the threads */
async function talk(server, messages) {
  const threads = new Set();
  let thread;
  for (let n = 0; n < messages; n += 1) {
    const [from, to] = n % 2 === 0 ? ["api", "web"] : ["web", "api"];
    const sent =
      n % A_THREAD === 0
        ? await server.must("send", { agent_id: from, to: [to], subject: "About it", body: `${n} ${BODY}` })
        : await server.must("reply", { agent_id: from, threadId: thread, body: `${n} ${BODY}` });
    thread = sent.threadId ?? thread;
    threads.add(thread);
    await server.must("ack", { agent_id: to, messageId: sent.messageId });
  }
  return [...threads];
}

async function work(server, tasks) {
  for (let n = 0; n < tasks; n += 1) {
    const { task_id } = await server.must("create_task", { agent_id: "api", title: "A task", description: BODY, priority: "medium" });
    await server.must("claim_task", { agent_id: "web", task_id });
    await server.must("update_task", { agent_id: "web", task_id, status: "done" });
  }
}

/** What the same messages hold as files in folders, and nothing else. */
function bareFiles() {
  const root = scratch();
  for (let n = 0; n < MESSAGES; n += 1) {
    const folder = path.join(root, `${Math.floor(n / A_THREAD)}`);
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, `${n}.md`), `${n} ${BODY}`);
  }
  return heldIn(root);
}

/** What a home holds. */
const heldBy = (folder) => heldIn(path.join(folder, ".relay"));

/** Bytes of blocks and inodes below a folder, a file of several names once; and how many of both lie in `run/`. */
function heldIn(root) {
  const held = { bytes: 0, inodes: 0, inRun: 0, bytesInRun: 0 };
  const seen = new Set();
  for (const name of fs.readdirSync(root, { recursive: true })) {
    const stat = fs.lstatSync(path.join(root, name), { throwIfNoEntry: false });
    if (stat === undefined || seen.has(stat.ino)) continue;
    seen.add(stat.ino);
    held.bytes += stat.blocks * 512;
    held.inodes += 1;
    if (!name.startsWith("run/")) continue;
    held.inRun += 1;
    held.bytesInRun += stat.blocks * 512;
  }
  return held;
}
