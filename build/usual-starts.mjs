/** The starts that people and agents make all day: what they evaluate is read at every start, and what they compile is kept. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** The commands whose compiled code is kept apart from that of the others. */
export const KINDS = [
  ...[
    "inbox",
    "send",
    "reply",
    "ack",
    "show",
    "status",
    "mcp",
    "dashboard",
    "pager",
    "watch",
    "hook prompt",
    "hook stop",
    "hook session-start",
  ],
  ...["task create", "task claim", "task update", "task list"],
];

/** Makes each of them once, in a home of their own. @param relay the file that starts the command */
export function makeUsualStarts(relay) {
  inHome(relay, (run) => {
    const answer = (part, ...args) => JSON.parse(run(part, [...args, "--json"]));
    const { messageId } = answer("web", "send", "api", "Subject", "Text.");
    answer("api", "inbox");
    run("api", ["inbox"]);
    run("api", ["show", messageId]);
    run("api", ["reply", messageId, "Text.", "--ack"]);
    answer("api", "send", "web", "Another", "Text.");
    for (const moment of ["session-start", "prompt", "tool", "stop"]) run("web", ["hook", moment, "--agent", "claude"], "{}");
    answer("web", "ack", answer("web", "inbox").messages[0].messageId);
    run("web", ["session", "start"]);
    const { task_id: task } = answer("web", "task", "create", "A task");
    answer("web", "task", "claim", task);
    answer("web", "task", "update", task, "done");
    run("web", ["task", "list"]);
    run("web", ["status"]);
    run("web", ["mcp"], CALLS);
  });
}

/** Makes the most usual ones, so that what they compile is there from the first start on. */
export function compileFirst(relay) {
  inHome(relay, (run) => {
    // With mail, as most of them find it.
    run("api", ["send", "web", "Subject", "Text.", "--json"]);
    run("web", ["inbox", "--json"]);
    run("web", ["hook", "prompt", "--agent", "claude"], "{}");
    run("web", ["mcp"], CALLS);
  });
}

/** A line of JSON-RPC. */
const call = (id, method, params) => `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
/** Parameters of a client's first request. */
const GREETING = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "build", version: "1" } };
const CALLS = [call(1, "initialize", GREETING), call(2, "tools/list", {}), call(3, "tools/call", { name: "inbox", arguments: {} })].join(
  "",
);

/** Makes a home that was written to, and removes it again. @param act is given `run`, which starts the command as a part and returns its output */
function inHome(relay, act) {
  const top = mkdtempSync(path.join(tmpdir(), "relay-build-"));
  const [code, linked] = [path.join(top, "code"), path.join(top, "web")];
  const argv = (args) => [path.resolve(relay), ...args];
  // As most agents are: web in a worktree of its own.
  const options = (part) => ({
    cwd: part === "web" ? linked : code,
    encoding: "utf8",
    env: { ...process.env, RELAY_HOME: undefined, RELAY_PART: part },
  });
  const run = (part, args, input = "") => execFileSync(process.execPath, argv(args), { ...options(part), input });
  const git = (...args) => execFileSync("git", ["-c", "user.name=build", "-c", "user.email=build@localhost", ...args], { cwd: top });
  git("init", "--quiet", code);
  git("-C", code, "commit", "--quiet", "--allow-empty", "--no-verify", "-m", "Begin");
  git("-C", code, "worktree", "add", "--quiet", linked);
  run("", ["init", "web", "api"]);
  // Once something was written, the next start keeps what `relay.yml` says, and those after it do not read it as YAML.
  run("web", ["session", "start"]);
  run("web", ["session", "end", "--summary", "All is done."]);
  run("web", ["session", "list"]);
  act(run);
  rmSync(top, { recursive: true });
}
