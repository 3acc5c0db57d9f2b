/** The first hour of a person who types commands: what is left out, mistyped, too wide, or written in an editor. */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { beforeEach, expect, test } from "vitest";
import { columns, fitted } from "../../cli/print/style.ts";
import { EXIT, operations, perform } from "../../protocol/index.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { relay, relayFile, startRelay } from "../rig/processes.ts";
import { fc, runs } from "../rig/properties.ts";
import { cleanEnv, repository, scratch, tree, until } from "../rig/scratch.ts";
import { endTerminals, Terminal } from "../rig/terminal.ts";

const LONG = "The endpoint answers now, and its cache headers say what the reviewers of yesterday's change wanted them to say.";

let folder: string;
beforeEach(async () => {
  folder = await homeWith("web", "api");
});

const as = (part: string, ...args: string[]) => relay(folder, [...args, "--part", part]);

/** What a terminal of so many columns shows of a command. @param typed what a person types */
function shown(columns: number, args: readonly string[], env: Record<string, string> = {}, typed = ""): string {
  const words = [process.execPath, relayFile(), ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const ran = spawnSync("script", ["-qec", `stty cols ${columns}; ${words}`, "/dev/null"], {
    cwd: folder,
    env: cleanEnv({ SHELL: "/bin/sh", ...env }),
    encoding: "utf8",
    input: typed,
  });
  return stripVTControlCharacters(ran.stdout).replaceAll("\r", "");
}

/** A room with something in each column. */
async function busyRoom(): Promise<void> {
  await as("web", "send", "api,human", `Cache headers of the price endpoint: ${LONG}`, `${LONG}\n\n    const price = ${"x".repeat(80)};`);
  await as("web", "send", "human", "Which colour?", LONG, "--needs-human");
  await as("web", "task", "create", `Write down what the endpoint answers: ${LONG}`, LONG);
  await as("api", "event", "working", LONG);
}

test("where a list shows the beginning of a message only, it ends with a whole word and says that there is more", async () => {
  const folder = await homeWith("web", "api");
  const words = "wonderful ".repeat(40).trim();
  await relay(folder, ["send", "api", "Long", words, "--part", "web"]);
  await relay(folder, ["send", "api", "Short", "all of it", "--part", "web"]);
  const { stdout } = await relay(folder, ["inbox", "--part", "api"]);
  expect(stdout).toMatch(/Long — (wonderful )+…$/m);
  expect(stdout).toMatch(/Short — all of it$/m);
});

test("nothing is cut in a pipe", async () => {
  await busyRoom();
  for (const args of [["inbox", "--part", "api"], ["threads"], ["task", "list"]])
    expect((await relay(folder, args)).stdout).toContain(LONG);
});

test.each([40, 100])("a terminal of %d columns breaks no word", async (columns) => {
  await busyRoom();
  const commands = [
    ["status", "--part", "api"],
    ["inbox", "--part", "api"],
    ["show", "--part", "api"],
    ["threads"],
    ["roster"],
    ["task", "list"],
    ["wakes"],
    ["part", "deliver", "web"],
    ["watch", "--help"],
    ["send", "--help"],
    ["--help"],
    [],
    ["send", "wbe", "Hi", "Hi", "--part", "api"],
    ["ack"],
    ["sned"],
  ];
  for (const args of commands) {
    const lines = shown(columns, args).split("\n");
    expect(lines.join("").trim(), args.join(" ")).not.toBe("");
    for (const line of lines) {
      // A word that is wider than the terminal stands alone, and so does a command of help, which is to be pasted.
      if (args.includes("--help") || args.length === 0) if (/^ +relay /.test(line)) continue;
      const words = line.replace(/^│/, "").trim().split(/\s+/);
      if (line.length > columns) expect(words, args.join(" ")).toHaveLength(1);
    }
  }
});

test("a command to paste is broken nowhere in narrow help, and codes keep their words", async () => {
  const commands: string[] = [];
  for (const args of [["--help"], ["help", "send"], ["help", "up"], ["help", "task", "claim"], ["help", "mcp"], []]) {
    const wide = (await relay(folder, args)).stdout.split("\n");
    const narrow = shown(40, args).split("\n");
    for (const line of wide) {
      const [, command] = /^ +((?:relay|claude) .*?)(?: {2}.*)?$/.exec(line) ?? [];
      if (command === undefined) continue;
      commands.push(command);
      expect(
        narrow.filter((each) => each.trim() === command || each.trim().startsWith(`${command}  `)),
        command,
      ).not.toEqual([]);
    }
    for (const line of narrow) if (/^ +\d+ \w/.test(line)) expect(line).toMatch(/^ {2}\d+ [a-z ]+(, \d+ [a-z ]+)*,?$/);
  }
  expect(commands.length).toBeGreaterThan(20);
});

test("a command in a sentence stands on one line where it fits into one", async () => {
  const task = /^Created (\w+)/.exec((await as("web", "task", "create", "Old work")).stdout)?.[1] as string;
  await as("web", "session", "end", "--force");
  const session = (await relay(folder, ["session", "list", "--json"])).json.sessions[0] as string;
  for (const columns of [60, 100]) {
    const refused = shown(columns, ["task", "claim", task, "--part", "web", "--session", session]);
    expect(refused.split("\n").some((line) => line.includes(`relay session reopen ${session}`))).toBe(true);
    const checked = shown(columns, ["setup", "claude", "--dry-run"]);
    for (const command of ["`relay part here web`", "`relay setup claude --allow`"]) expect(checked).toContain(command);
  }
});

test("show, reply and ack without an id mean the one unread thread, and say which", async () => {
  await as("web", "send", "api", "API is ready", "Try it.");
  const seen = await as("api", "show");
  expect(seen).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^The one unread thread: \w{8} "API is ready" \(newest from web\)\n$/),
  });
  expect(seen.stdout).toContain("Try it.");
  expect(await as("api", "reply", "It works here.", "--keep")).toMatchObject({ code: 0, stderr: expect.stringContaining("API is ready") });
  expect(await as("api", "ack")).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Acked \w+: .*; 0 unread left\.\n$/) });
  expect((await as("web", "show")).stdout).toContain("It works here.");
});

test("without an id, more than one unread thread or none is refused, and what to type is said", async () => {
  expect(await as("api", "show")).toMatchObject({ code: EXIT.usage, stderr: expect.stringContaining("none has unread mail") });
  await as("web", "send", "api", "First", "One.");
  await as("web", "send", "api", "Second", "Two.");
  for (const command of ["show", "ack"]) {
    const { code, stdout, stderr } = await as("api", command);
    expect({ code, stdout }).toEqual({ code: EXIT.usage, stdout: "" });
    expect(stderr).toMatch(/2 threads have unread mail: \w{8} "Second" \(web\), \w{8} "First" \(web\)\. Name one: `relay \w+ /);
    const typed = /Name one: `relay ([^`]*)`/.exec(stderr)?.[1]?.trim().split(" ") as string[];
    expect((await as("api", ...typed)).code).toBe(0);
  }
});

test("many newer messages of one thread hide no other thread from a reply without an id", async () => {
  await as("web", "send", "api", "The quiet one", "Please answer.");
  const web = worldAt(folder, { part: "web" });
  const { threadId } = (await perform(web, operations.send, { to: ["api"], subject: "Loud", body: "0" })) as unknown as {
    threadId: string;
  };
  for (let at = 1; at <= 110; at += 1) await perform(web, operations.reply, { threadId, body: `${at}`, to: ["api"] });
  const before = tree(path.join(folder, ".relay/threads"));
  for (const args of [["reply", "Here it is."], ["ack"], ["show"]]) {
    const { code, stderr } = await as("api", ...args);
    expect({ code, stderr }).toEqual({ code: EXIT.usage, stderr: expect.stringContaining("2 threads have unread mail") });
    expect(stderr).toContain("The quiet one");
  }
  expect(tree(path.join(folder, ".relay/threads"))).toEqual(before);
  // The editor does not open for an answer that has no thread.
  expect(shown(200, ["reply", "--part", "api"], { GIT_EDITOR: `touch ${path.join(folder, "opened")} #` })).toContain("2 threads");
  expect(fs.existsSync(path.join(folder, "opened"))).toBe(false);
});

test("a body that is left out on a terminal is written in git's editor", () => {
  const editor = path.join(folder, "an editor.sh");
  fs.writeFileSync(editor, '#!/bin/sh\nprintf \'Written here.\\n\\n# A heading\\n\' | cat - "$1" > "$1.new" && mv "$1.new" "$1"\n', {
    mode: 0o755,
  });
  const env = { GIT_EDITOR: `'${editor}'` };
  expect(shown(100, ["send", "api", "By hand", "--part", "web"], env)).toMatch(/Sent \w{8}-1 to api\./);
  const body = shown(100, ["show", "--part", "api"]);
  expect(body).toContain("│ Written here.");
  expect(body).toContain("│ # A heading");
  expect(body).not.toContain(">8");
});

test("a text from the editor is kept if it could not be sent, and an empty one is not sent", () => {
  const env = { GIT_EDITOR: "printf 'Long thoughts.' >" };
  const said = shown(300, ["send", "nobody", "By hand", "--part", "web"], env);
  expect(said).toContain('no such part: "nobody"');
  const kept = /What you wrote is kept in (\S+)/.exec(said)?.[1] as string;
  expect(fs.readFileSync(kept, "utf8")).toBe("Long thoughts.");
  fs.rmSync(path.dirname(kept), { recursive: true });
  expect(shown(300, ["send", "api", "By hand", "--part", "web"], { GIT_EDITOR: "true" })).toContain("you wrote nothing in the editor");
  expect(shown(300, ["send", "api", "By hand", "--part", "web"], { GIT_EDITOR: "false" })).toContain("the editor (false) did not start");
  // An agent has nobody who could type.
  expect(shown(300, ["send", "api", "By hand", "--part", "web"], { ...env, CLAUDECODE: "1" })).toContain("<body> is missing");
});

/** Mistyped commands, and the words of their refusals. */
const REFUSED: [args: string[], words: string][] = [
  [["send", "api", "Subject", "--part", "web"], "<body> is missing: expected a text. Example: `relay send web "],
  [["task", "create"], "<title> is missing. See `relay task create --help`. Example: `relay task create "],
  [["inbox", "--limit", "abc", "--part", "web"], '--limit: expected a number, given "abc". Example: `relay inbox '],
  [["setup", "cluade"], 'given "cluade". Did you mean claude? Example: `relay setup '],
  [["pager", "strat"], '<action>: expected one of run, start, stop, status, install, uninstall, given "strat". Did you mean start?'],
  [["task", "claim", "4f9x", "--part", "web"], 'no task "4f9x". `relay task list` lists them.'],
  [["task", "create", "A", "--depends-on", "4f9x", "--part", "web"], '--depends-on: no task "4f9x". `relay task list` lists them.'],
  [["task", "claim", "4f9x"], "`relay task claim` needs to know which part you are. Parts: "],
  [["show", "4f9x", "--part", "web"], "`relay threads` lists them"],
  [["ls"], "There is no command `relay ls`. Did you mean `relay threads`?"],
  [["send", "api", "Hi", "Text.", "--prioritty", "high", "--part", "web"], "unknown option '--prioritty'. Did you mean --urgent? See "],
  [["help", "sned"], "There is no command `relay sned`. Did you mean `relay send`?"],
  [["task", "clam"], "Did you mean `relay task claim`?"],
  [["part", "rm", "web"], "Did you mean `relay part remove`?"],
  [["artifact", "get", "x"], "Did you mean `relay artifact show`?"],
  [["memory", "get"], "Did you mean `relay memory read`?"],
  [["task", "create", "A", "--priority", "hihg", "--part", "web"], 'medium, low, given "hihg". Did you mean high?'],
  [["task", "update", "4f9x", "--part", "web"], "a description or a priority. Example: `relay task update "],
  [["task", "create", "A", "--parent-task-id", "4f9x", "--part", "web"], '--parent-task-id: no task "4f9x"'],
  [["session", "summary", "ZZZZ"], 'no session "ZZZZ". `relay session list` lists them.'],
  [["archive"], "<thread-ids...> is missing: expected threads, or `--before` with a day. Example: `relay archive --before 2026-01-31"],
  [["mcp", "--tools", "bogus"], 'given "bogus". Example: `relay mcp --tools room,board'],
  [["watch", "--last", "x"], '--last: expected a number, given "x". Example: `relay watch --last 20'],
  [["clone"], "<url> is missing. See `relay clone --help`. Example: `relay clone https://example.com/shop.git`.\n"],
  [["event"], 'Example: `relay event limited --reset-at "2026-01-31 '],
  [["send", "all", "s", "b", "--part", "web"], 'To reach everybody, use "*".'],
  [["send", "web", "s", "b", "--part", "web"], "a message to yourself is refused, so nothing was sent. Leave web out, or"],
  [["send", ",", "s", "b", "--part", "web"], "<to> is missing: expected at least 1 entry."],
  [["ack", "4f9x", "--thread", "4f9x", "--part", "web"], "expected ids of messages, or one thread (--thread), or --all: one of them"],
  [["forget", "zzz"], 'no message "zzz", so nothing was forgotten. `relay show THREAD` names each message'],
  [["clone", "http://127.0.0.1:1/x"], "Nothing was made. Try again when it can be reached: `relay clone http://127.0.0.1:1/x`."],
  [["completion", "tcsh"], '<shell>: expected bash, zsh, fish, given "tcsh". Example: `relay completion bash'],
  [["setup", "claude", "--part", "human"], "no agent can be started as it. Example: `relay setup claude --part web`."],
  [["up", "--part", "human", "--", "cat"], "human stands for people, so no agent can be started as it."],
  [["session", "end", "--summary", "nofile"], '--summary takes the text itself, and "nofile" is one word; nothing was written.'],
  [["session", "save", "2026-01-31-001-AAAA", "notes/done"], "relay session save … - < notes/done"],
  [["artifact", "post", "plan", "plan.md", "--type", "pr", "--part", "web"], 'takes the text itself, and "plan.md" is one word'],
  [["state", "save", "state.json"], "relay state save … - < state.json"],
];

test("a mistyped command is refused in the words of the command line", async () => {
  for (const [args, words] of REFUSED) {
    const { code, stdout, stderr } = await relay(folder, args);
    expect([code === 0, stdout], args.join(" ")).toEqual([false, ""]);
    expect(stderr).toContain(words);
    expect(stderr).not.toMatch(/agent_id|task_id|messageId|threadId|depends_on|claim_task/);
  }
});

test("a time that holds no wakes back as it says is named", async () => {
  const limited = (resetAt: string, type = "limited") => as("web", "event", type, "--reset-at", resetAt);
  const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString();
  expect(await limited(hours(2))).toMatchObject({ code: 0, stdout: expect.stringContaining("no wakes until"), stderr: "" });
  expect((await limited(hours(50))).stderr).toMatch(/^warning: \d{4}-\d\d-\d\d \d\d:\d\d is more than 24 hours ahead. Relay stops wakes/);
  expect((await limited("2020-01-31T09:30Z")).stderr).toMatch(/is in the past, so it changes nothing\n$/);
  expect((await limited(hours(2), "idle")).stderr).toContain("resetAt works only with the type limited");
  // What an error shows as an example can be typed.
  const { stderr } = await limited("tomorrow");
  const shown = /expected a time such as (\d{4}-\d\d-\d\d \d\d:\d\d),/.exec(stderr)?.[1] as string;
  expect((await limited(shown)).code).toBe(0);
});

test("one word to reply with is an id or the text, and both are said; what can be no id is the text", async () => {
  const read = await as("api", "reply", "text");
  expect(read).toMatchObject({ code: EXIT.usage, stdout: "" });
  expect(read.stderr).toContain('One word can be a thread\'s id or the text, and no thread has the id "text".');
  await as("web", "send", "api", "API is ready", "Try it.");
  expect((await as("api", "reply", "text")).stderr).toContain("`relay reply ID text`. `relay threads` lists them.");
  expect(await as("api", "reply", "Ok.")).toMatchObject({ code: 0, stderr: expect.stringContaining("The one unread thread") });
  const id = /\w{8}/.exec((await as("web", "show")).stderr)?.[0] as string;
  expect((await relay(folder, ["reply", id, "--part", "web"], { input: "From a pipe." })).code).toBe(0);
  expect((await as("api", "show", id)).stdout).toContain("From a pipe.");
});

test("a file's text is given by -, and a text of one word without a file's name is a text", async () => {
  fs.writeFileSync(path.join(folder, "plan"), "The plan.");
  expect((await as("web", "memory", "write", "notes", "plan")).stderr).toContain("the name of a file here");
  expect((await as("web", "memory", "write", "notes", "Known.")).code).toBe(0);
  expect((await as("web", "memory", "write", "notes", "https://example.com/plan.md")).code).toBe(0);
  expect((await as("web", "memory", "write", "notes", "x".repeat(50_000))).code).toBe(0);
});

test("init without names says how parts are made; with names it says theirs", async () => {
  expect((await relay(repository(), ["init"])).stdout).toContain(
    "Next, add a part: relay part add web. Then in each worktree: relay part here web.",
  );
  expect((await relay(repository(), ["init", "shop", "api"])).stdout).toContain("relay part here shop. Then: relay send shop 'Hello'");
  // Outside of git no worktree says who works in it.
  const outside = scratch();
  const [, said = ""] = /Next, name yourself in each call: relay (.*)/.exec((await relay(outside, ["init", "shop"])).stdout) ?? [];
  expect(await relay(outside, said.replaceAll("'", "").replace("First message", "First").split(" "))).toMatchObject({ code: 0 });
});

test("setup asks at the end of one screen, and shows all of the change to who wants to see it", () => {
  const env = { HOME: path.join(folder, "user"), CODEX_HOME: path.join(folder, "user/.codex") };
  fs.mkdirSync(env.CODEX_HOME, { recursive: true });
  const asked = shown(100, ["setup", "codex"], env, "n\n");
  expect(asked).toMatch(
    /… \d+ more lines; of these, what the agent will start:\n[^?]*relay.cjs hook stop [^?]*\nWrite this\? \[y\/N, d: show all of it\]/,
  );
  expect(asked.split("\n").length).toBeLessThan(40);
  expect(asked).toContain("Nothing was written.");
  const whole = shown(100, ["setup", "codex"], env, "d\ny\n");
  expect(whole).toContain("+## Relay: other agents work here too");
  expect([whole.match(/Write this\? \[y\/N\]\s+y?\s*Wrote \d files\./g)?.length, whole.includes("Made ")]).toEqual([1, false]);
  expect(fs.readFileSync(path.join(env.CODEX_HOME, "config.toml"), "utf8")).toContain("[mcp_servers.relay]");
  // What serves every folder is taken out of every folder.
  const removed = shown(200, ["setup", "codex", "--remove"], env, "y\n");
  expect(removed.match(/this removes Relay from codex in all of them, not only here/g)).toHaveLength(1);
  expect(fs.existsSync(path.join(env.CODEX_HOME, "config.toml"))).toBe(false);
});

test("a look at all agents names those that are set up or on the PATH", async () => {
  const bin = path.join(folder, "bin");
  fs.mkdirSync(bin);
  const env = { HOME: path.join(folder, "user"), PATH: `${bin}:/usr/bin:/bin` };
  const none = await relay(folder, ["setup", "--check"], { env });
  expect(none).toMatchObject({ code: 0, stdout: expect.stringContaining("no known agent is on the PATH") });
  fs.writeFileSync(path.join(bin, "gemini"), "#!/bin/sh\n", { mode: 0o755 });
  const { checks } = (await relay(folder, ["setup", "--check", "--json"], { env })).json;
  expect(checks.map(({ agent }: { agent: string }) => agent)).toEqual(["gemini"]);
  expect((await relay(folder, ["setup", "codex", "--check"], { env })).stdout).toContain("codex");
});

test("help of a command within a group; the first screen is short and names the rest", async () => {
  expect((await relay(folder, ["help", "task", "claim"])).stdout).toMatch(/^Usage: relay task claim /);
  const { code, stdout } = await relay(folder, []);
  expect(code).toBe(EXIT.usage);
  expect(stdout.length).toBeLessThanOrEqual(2_600);
  expect(stdout).toContain("relay help --all");
  expect(await relay(folder, ["--help"])).toMatchObject({ code: EXIT.ok, stdout });
});

test("a task is read by its id whatever session is open; a session that begins is named", async () => {
  const { stdout, stderr } = await as("web", "task", "create", "Old work");
  const first = /no session was open, so session (\S+) began/.exec(stderr)?.[1] as string;
  const task = /^Created (\w+)/.exec(stdout)?.[1] as string;
  expect((await as("web", "session", "start")).stderr).toContain(`session ${first} is open too, with 1 task not done`);
  expect((await as("web", "task", "show", task)).stdout).toContain("Old work");
  expect((await as("web", "task", "show", task, "--session", first)).code).toBe(0);
  expect((await as("web", "task", "create", "New work")).stderr).toBe("");
});

test("status says what a person must decide, and how long the oldest mail waits, and speaks of no pager while all are at work", async () => {
  await busyRoom();
  const told = await relay(folder, ["status"]);
  expect(told.stdout).not.toContain("relay pager start");
  expect(told.stdout).toMatch(/A person must decide:\n\? Which colour\? from web, .*relay show \w{8} --part human/);
  const { json } = await relay(folder, ["status", "--json"]);
  expect(json).toMatchObject({ pager: false, needsHuman: [{ subject: "Which colour?", from: "web" }] });
  const api = json.parts.find(({ part }: { part: string }) => part === "api");
  expect(Math.abs(Date.now() - Date.parse(api.oldestUnreadAt))).toBeLessThan(600_000);
  expect((await as("human", "inbox")).stdout).toMatch(/^\? /);
});

test("watch names who did what to what", async () => {
  const task = /^Created (\w+)/.exec((await as("web", "task", "create", "Write it")).stdout)?.[1] as string;
  await as("api", "task", "claim", task);
  await as("web", "memory", "write", "notes", "Known.");
  await as("web", "send", "api", "Ready", "Yes.");
  await as("api", "ack");
  const watch = startRelay(folder, ["watch", "--last", "20"]);
  let lines = "";
  watch.stdout.on("data", (text) => (lines += text));
  await until("the last line is printed", () => lines.includes("acked"));
  watch.kill();
  await once(watch, "exit");
  expect(lines).toMatch(/ web +created +task \w{4} Write it: todo\n/);
  expect(lines).toMatch(/ api +changed +task \w{4} Write it: in_progress, api\n/);
  expect(lines).toMatch(/ wrote +memory\/\S+\n/);
  expect(lines).toMatch(/ web +sent +Ready → api \(\w{8}\)\n/);
  expect(lines).toMatch(/ api +acked +[\w-]+\n/);
});

test("no text spills out of its bar: tabs, wide characters, words without end or joined by blanks that do not break", async () => {
  const spills = [
    `${"\t".repeat(11)}x${"\t"}relay: the host key changed`,
    `${"一".repeat(39)}q7k2m human → web`,
    `${"y".repeat(78)}\u00a0q7k2m\u00a0human\u00a0→\u00a0web\u00a0${"z".repeat(300)}`,
    `${"👩‍👩‍👧".repeat(60)}`,
    `e${"\u0301".repeat(500)}`,
  ];
  const sent = await relay(folder, ["send", "api", "一".repeat(60), "-", "--part", "web"], { input: spills.join("\n") });
  expect(sent.code).toBe(0);
  const terminal = new Terminal();
  const seen = async (...args: string[]): Promise<string[]> => {
    const pane = terminal.window(
      ["sh", "-c", `'${process.execPath}' '${relayFile()}' ${args.join(" ")}; echo END; sleep 600`],
      ["-c", folder],
    );
    await until("the pane shows it", () => terminal.shows(pane).includes("END"));
    return terminal.shows(pane).split("\n");
  };
  const shown = await seen("show", "--part", "api");
  const from = shown.findIndex((line) => line.startsWith("│"));
  const to = shown.findLastIndex((line) => line.startsWith("│"));
  expect(to - from).toBeGreaterThan(8);
  for (const line of shown.slice(from, to)) expect(line).toMatch(/^│/);
  expect(shown.slice(to + 1).join("\n")).toMatch(/^\n? {2}\[api /);
  const listed = await seen("inbox", "--part", "api");
  expect(
    listed
      .slice(
        0,
        listed.findIndex((line) => line.includes("unread")),
      )
      .filter((line) => line.trim() !== ""),
  ).toHaveLength(1);
  endTerminals();
});

test("breaking lines costs by the length of a text alone, and leaves no line too wide", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("word", "一二", "é", "e\u0301", "\u001b[1mb\u001b[22m", "\t", " ", "   ", "x".repeat(90)), {
        maxLength: 60,
      }),
      fc.integer({ min: 30, max: 120 }),
      (pieces, width) => {
        const text = `│ ${pieces.join("")}`;
        const broken = fitted(text, width).split("\n");
        for (const line of broken) expect(columns(line)).toBeLessThanOrEqual(width);
        const letters = (each: string) => each.replace(/[│\s]/g, "");
        expect(letters(broken.join(""))).toBe(letters(text));
      },
    ),
    { numRuns: runs(10_000) },
  );
  const cost = (length: number): number => {
    const text = `│ ${"a\u0301 ".repeat(length)}`;
    const started = process.cpuUsage();
    fitted(text, 80);
    return process.cpuUsage(started).user;
  };
  cost(10_000);
  expect(cost(320_000) / Math.max(cost(10_000), 1_000)).toBeLessThan(32 * 8);
});
