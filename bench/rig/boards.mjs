/** The sessions and events of an aged home: one session is taken from its start to its end by Relay, and the others are written after it. */
import fs from "node:fs";
import path from "node:path";
import { dice } from "./messages.mjs";
import { startServer } from "./server.mjs";

const WEEK = 7;
const TASKS = 6;
const CLONES = ["4k8m2n6p", "9q3r7s1t"];
const EVENTS = 5;

/** A session a week, each with its tasks done, summed up and ended. @param days midnights in milliseconds, oldest first */
export async function laySessions(folder, days) {
  const sessions = path.join(folder, ".relay/sessions");
  const { session, tasks } = await firstSession(folder);
  const template = readFolder(path.join(sessions, session));
  const random = dice(days.length);
  for (let at = 0; at < days.length; at += WEEK) {
    const day = new Date(days[at]).toISOString().slice(0, 10);
    const names = new Map([
      [session, `${day}-001-${random.text(4).toUpperCase()}`],
      ...tasks.map((task) => [task, `task-${random.text(10)}`]),
    ]);
    const renamed = (text) => [...names].reduce((now, [from, to]) => now.replaceAll(from, to), text);
    for (const { name, text } of template) {
      const file = path.join(sessions, renamed(session), renamed(name));
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, renamed(text));
    }
  }
}

async function firstSession(folder) {
  const server = await startServer(folder);
  const { session_id: session } = await server.must("start_session", { agent_id: "api" });
  const tasks = [];
  for (let n = 0; n < TASKS; n += 1) {
    const made = { agent_id: "api", title: `Task ${n}`, description: "Do it.", priority: "medium" };
    const { task_id } = await server.must("create_task", made);
    await server.must("claim_task", { agent_id: "web", task_id });
    await server.must("update_task", { agent_id: "web", task_id, status: "done" });
    tasks.push(task_id);
  }
  await server.must("save_session_summary", { agent_id: "api", session_id: session, summary: "# What was done\n\nAll of it.\n" });
  await server.must("end_session", { agent_id: "api", session_id: session });
  await server.close();
  return { session, tasks };
}

const readFolder = (folder) =>
  fs
    .readdirSync(folder, { recursive: true })
    .filter((name) => fs.statSync(path.join(folder, name)).isFile())
    .map((name) => ({ name, text: fs.readFileSync(path.join(folder, name), "utf8") }));

/** What parts of two clones said of themselves each day. */
export function layEvents(home, days) {
  const random = dice(7);
  for (const dayMs of days) {
    const at = new Date(dayMs).toISOString();
    const day = at.slice(0, 10);
    const folder = path.join(home, "events", day);
    fs.mkdirSync(folder, { recursive: true });
    for (const clone of CLONES) {
      const lines = Array.from({ length: EVENTS }, () =>
        JSON.stringify({ id: `e-${day.replaceAll("-", "")}-${random.text(14)}`, at, part: "web", type: "note", detail: "Went on." }),
      );
      fs.writeFileSync(path.join(folder, `${clone}.jsonl`), `${lines.join("\n")}\n`);
    }
  }
}
