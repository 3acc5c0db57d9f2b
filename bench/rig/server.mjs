/** A real server, spoken to with hand-written JSON-RPC lines: a client library would be part of every figure. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { childEnv, RELAY, run } from "./measure.mjs";

const PROTOCOL = "2025-06-18";

/**
 * Starts a server and greets it.
 * @param cwd where it is started; it finds its home from there
 * @param greetOnly stops after the answer to `initialize`: then nothing has asked for a home yet
 * @param args of its command
 * @param program what serves; the built command unless given
 * @param env what its environment has besides
 */
export async function startServer(cwd, { greetOnly = false, args = [], program = [RELAY, "mcp"], env = {} } = {}) {
  const child = spawn(process.execPath, [...program, ...args], {
    cwd,
    env: { ...childEnv, ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const waiting = new Map();
  const gone = once(child, "close").then(() => {
    for (const { reject } of waiting.values()) reject(new Error("the server ended"));
  });
  let pieces = [];
  let arrivedAt = 0;
  child.stdout.setEncoding("utf8").on("data", (text) => {
    pieces.push(text);
    if (!text.includes("\n")) return;
    arrivedAt = performance.now();
    const lines = pieces.join("").split("\n");
    pieces = [lines.pop()];
    for (const line of lines) {
      const message = JSON.parse(line);
      waiting.get(message.id)?.resolve(message);
      waiting.delete(message.id);
    }
  });
  let last = 0;
  const write = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const request = (method, params) =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      write({ id: last, method, params });
    });
  const server = {
    /** Calls a tool; gives its structured answer, a failure too. */
    async call(name, args = {}) {
      const { result, error } = await request("tools/call", { name, arguments: args });
      if (error !== undefined) throw new Error(`${name}: ${error.message}`);
      return result.structuredContent;
    },
    /** Calls a tool that must succeed. */
    async must(name, args) {
      const answer = await server.call(name, args);
      if (answer?.success === false) throw new Error(`${name}: ${answer.error}`);
      return answer;
    },
    /** What the server tells a model at the start. */
    instructions: "",
    /** The list of tools. */
    list: async () => (await request("tools/list", {})).result.tools,
    /**
     * The tool call that does the least: an argument that is not known is refused before the home is looked at, so it
     * costs the pipes, the protocol and the refusal, and no disk.
     */
    empty: () => server.call("whoami", { nothing: 1 }),
    /** When the last answer was here, before it was parsed; an instant of `performance.now()`. */
    arrivedAt: () => arrivedAt,
    /** Resident memory in megabytes. */
    residentMb: () => residentMb(child.pid),
    /** Ends it as a client does. */
    async close() {
      child.stdin.end();
      await gone;
    },
    /** Its process. */
    pid: child.pid,
    async kill() {
      child.kill("SIGKILL");
      await gone;
    },
  };
  const greeted = await request("initialize", { protocolVersion: PROTOCOL, capabilities: {}, clientInfo: { name: "bench", version: "1" } });
  server.instructions = greeted.result.instructions;
  if (!greetOnly) write({ method: "notifications/initialized" });
  return server;
}

/** Resident memory of a process in megabytes (2^20 bytes). */
export function residentMb(pid) {
  const kilobytes =
    process.platform === "linux"
      ? /^VmRSS:\s+(\d+) kB$/m.exec(fs.readFileSync(`/proc/${pid}/status`, "latin1"))[1]
      : run("ps", ["-o", "rss=", "-p", String(pid)]);
  return Number(kilobytes) / 1024;
}
