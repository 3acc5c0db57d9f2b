/** Homes of any size, made quickly: files are written straight in the layout, and no operation is used but `init`. */
import fs from "node:fs";
import path from "node:path";
import { childEnv, RELAY, relay, run, scratch } from "./measure.mjs";
import { dice, messageOf, messageText, threadText } from "./messages.mjs";

const PARTS = ["web", "api", "docs", "tests"];
const A_THREAD = 10;
const DAYS = 100;
const DAY_MS = 86_400_000;
const PRIORITIES = ["critical", "high", "medium", "low"];

/** Unread messages of `web` in every home, whatever its size. */
export const UNREAD = 5;
/** A word in a few messages of every home, whatever its size. */
export const RARE = { word: "quokka", messages: 5 };

const made = new Map();

/**
 * A code repository with a home of so many messages, about ten a thread, over a hundred days up to yesterday; acked by
 * their recipients, but for the last few of `web`. Made once a run.
 * @returns the folder of the repository
 */
export function makeHome(count) {
  const known = made.get(count);
  if (known !== undefined) return known;
  const folder = emptyHome(...PARTS);
  fillHome(path.join(folder, ".relay"), count);
  checkHome(folder, count);
  made.set(count, folder);
  return folder;
}

/** A code repository with a new home. */
export const emptyHome = (...parts) => homeAt(scratch(), parts);

/** The same in an empty folder of the caller's. @param command the `relay.cjs` that makes it @returns the folder */
export function homeAt(folder, parts, command = RELAY) {
  run("git", ["init", "--quiet"], folder);
  run(process.execPath, [command, "init", ...parts, "--json"], folder);
  // What is measured is no loop, however often it is done, and its mail is of yesterday.
  const rules = "loop: { identical: 1000000, per_minute: 1000000, exchange: 1000000 }\nhealth: { unread_hours: 720 }\n";
  settle(folder, rules, command);
  return folder;
}

/** Adds settings to a home's relay.yml, and accepts all that it has. @param lines as YAML @param env where the state lies */
export function settle(folder, lines, command = RELAY, env = childEnv) {
  fs.appendFileSync(path.join(folder, ".relay/relay.yml"), lines);
  run(process.execPath, [command, "config", "accept", "--json"], folder, env);
}

function fillHome(home, count) {
  const random = dice(count);
  const threads = Math.ceil(count / A_THREAD);
  const firstMs = (Math.floor(Date.now() / DAY_MS) - DAYS) * DAY_MS;
  const rareEvery = Math.floor(count / RARE.messages);
  const ensure = folderMaker();
  for (let thread = 0; thread < threads; thread += 1) {
    const dayMs = firstMs + Math.floor((thread / threads) * DAYS) * DAY_MS;
    const place = { day: new Date(dayMs).toISOString().slice(0, 10), threadRandom: random.text(8) };
    const fresh = thread >= threads - UNREAD;
    const pair = fresh ? ["web", "api"] : [PARTS[thread % 4], PARTS[(thread + 1 + (thread % 3)) % 4]];
    for (let n = 1; n <= A_THREAD; n += 1) {
      const [from, to] = n % 2 === 1 ? pair : pair.toReversed();
      const end = (thread * A_THREAD + n) % rareEvery === 0 ? ` ${RARE.word}` : "";
      const message = messageOf(random, { ...place, n, atMs: dayMs + thread + n * 1_000 }, from, [to], undefined, end);
      const folder = ensure(path.join(home, "threads", place.day, message.thread));
      const inbox = ensure(path.join(home, "inbox", to, fresh && n === A_THREAD ? "new" : `read/${place.day}`));
      if (n === 1) fs.writeFileSync(path.join(folder, "thread.md"), threadText(message));
      fs.writeFileSync(path.join(folder, message.file), messageText(message));
      fs.linkSync(path.join(folder, message.file), path.join(inbox, `${message.id}.md`));
    }
  }
}

function folderMaker() {
  const there = new Set();
  return (folder) => {
    if (!there.has(folder)) fs.mkdirSync(folder, { recursive: true });
    there.add(folder);
    return folder;
  };
}

/** A home that Relay does not read as it was meant would make every figure worthless. */
function checkHome(folder, count) {
  const { unread } = relay(folder, "inbox", "--part", "web");
  const { total } = relay(folder, "search", RARE.word);
  if (unread !== UNREAD || total !== RARE.messages) throw new Error(`a home of ${count} has ${unread} unread and ${total} rare messages`);
  const findings = count > 1_000 ? [] : relay(folder, "doctor").findings.filter(({ severity }) => severity !== "note");
  if (findings.length > 0) throw new Error(`doctor: ${JSON.stringify(findings[0])}`);
}

/** A code repository whose home has one session with so many tasks, all to be done, of every priority. */
export function tasksHome(count) {
  const folder = emptyHome("web", "api");
  const session = path.join(folder, ".relay/sessions/bench");
  fs.mkdirSync(path.join(session, "tasks"), { recursive: true });
  const random = dice(count);
  const at = new Date().toISOString();
  fs.writeFileSync(path.join(session, "session.md"), `---\nid: "bench"\nstarted_by: "web"\nstarted_at: "${at}"\n---\n\n`);
  for (let made = 0; made < count; made += 1) {
    const id = `task-${random.text(10)}`;
    const header = { id, title: `Task ${made}`, status: "todo", priority: PRIORITIES[made % 4], created_by: "web", created_at: at };
    const lines = Object.entries(header).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
    fs.writeFileSync(
      path.join(session, "tasks", `${id}.md`),
      `---\n${lines.join("\n")}\nupdated_at: "${at}"\n---\n\nDo it.\n\n## History\n\n- ${at} web: created\n`,
    );
  }
  // They were made a while ago, as most of a board's tasks are.
  fs.utimesSync(path.join(session, "tasks"), new Date(), new Date(Date.now() - 60_000));
  return folder;
}
