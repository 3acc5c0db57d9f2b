/**
 * `relay demo`: a scratch repository, three worktrees, three parts as real processes. One talks over MCP as an agent's
 * host would, one types commands, one has only a shell; everything shown is what these processes print.
 */
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { type ClientConnection, connectStdio } from "../mcp/sdk-client.ts";
import { EXIT, refuse } from "../protocol/index.ts";
import { styleFor } from "./style.ts";

/** The command that is running now. */
const RELAY = fs.realpathSync(process.argv[1] ?? "relay");
const GIT_NAME = ["-c", "user.name=Relay demo", "-c", "user.email=demo@localhost", "-c", "commit.gpgsign=false"];

/** Runs the demonstration; gives the exit code. @param clean removes the scratch repository at the end */
export async function demo(clean: boolean): Promise<number> {
  const stage = new Stage();
  try {
    await play(stage);
    stage.say(`\nThat was ${stage.seconds()} s, ${stage.processes} processes, and no server: everything lies in files.`);
    if (clean) stage.remove();
    else stage.lookAround();
    return EXIT.ok;
  } catch (error) {
    stage.say(`\nThe demonstration stopped. What it made is in ${stage.folder}`);
    throw error;
  } finally {
    await stage.disconnect();
  }
}

async function play(stage: Stage): Promise<void> {
  stage.title("A repository with three worktrees, and one home for all of them");
  stage.git("init", "--quiet", "--initial-branch=main", "shop");
  stage.git("-C", "shop", ...GIT_NAME, "commit", "--quiet", "--allow-empty", "--message", "The code");
  for (const part of ["web", "api", "docs"]) stage.git("-C", "shop", "worktree", "add", "--quiet", "-b", part, `../${part}`);
  stage.relay("shop", "init", "web", "api", "docs");
  stage.relay("api", "part", "here", "api");

  stage.title("web is an agent: its host starts the MCP server and calls tools");
  const web = await stage.connect("web-agent", "web");
  const sent = await stage.call(web, "send", {
    to: ["api", "docs"],
    subject: "Which field is the price?",
    body: "`price` or `amount`? I need it for the cart.",
  });
  await stage.call(web, "send", { to: ["apj"], subject: "Typo", body: "A wrong name is refused, with the nearest." });

  stage.title("api has the command line, in its own worktree");
  stage.relay("api", "inbox");
  stage.relay("api", "reply", String(sent["threadId"]), "It is `amount`, in cents.");
  stage.relay("api", "ack", "--thread", String(sent["threadId"]));

  stage.title("docs has only a shell: cat to read, ln and rm to ack, a file in outbox/ to send");
  stage.shell("docs", "cat .relay/inbox/docs/new/*.md");
  stage.shell(
    "docs",
    [
      'cd .relay && for m in inbox/docs/new/*.md; do n=$(basename "$m"); d=$(echo "$n" | sed \'s/^m-\\(....\\)\\(..\\)\\(..\\).*/\\1-\\2-\\3/\')',
      'mkdir -p "inbox/docs/read/$d" && ln "$m" "inbox/docs/read/$d/$n" && rm "$m"; done',
      "mkdir -p outbox/docs",
      `printf -- '---\\nthread: ${String(sent["threadId"])}\\n---\\nWritten down: amount, in cents.\\n' > outbox/docs/.draft`,
      "mv outbox/docs/.draft outbox/docs/price.md",
    ].join("\n"),
  );

  stage.title("web waits, and both answers are there");
  await stage.call(web, "wait", { timeoutSeconds: 20 });
  await stage.call(web, "inbox", {});
  await stage.call(web, "ack", { threadId: sent["threadId"] });
  await stage.call(web, "close", { threadId: sent["threadId"], status: "closed", lesson: "Prices are `amount`, in cents." });

  stage.title("What a person sees");
  stage.relay("shop", "status");
  stage.relay("shop", "show", String(sent["threadId"]));
  stage.relay("shop", "doctor");
  stage.shell("shop", 'cat .relay/memory/project.md; git status --short; echo "(the code\'s own status is clean)"');
}

/** Where it plays: a scratch folder, and words for what happens. */
class Stage {
  readonly folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "relay-demo-")));
  processes = 0;
  readonly #style = styleFor(process.stdout, process.env, Date.now());
  readonly #started = Date.now();
  readonly #connections: ClientConnection[] = [];

  say(text: string): void {
    process.stdout.write(`${text}\n`);
  }

  title(text: string): void {
    this.say(`\n${this.#style.bold(this.#style.cyan(`— ${text}`))}`);
  }

  /** A command as typed, then what it printed. */
  #show(where: string, typed: string, printed: string): void {
    this.say(`${this.#style.dim(`${where}$`)} ${this.#style.bold(typed)}`);
    const text = printed.trimEnd();
    if (text !== "") this.say(text.replace(/^/gm, "  "));
  }

  git(...args: string[]): void {
    this.processes += 1;
    execFileSync("git", args, { cwd: this.folder, stdio: ["ignore", "pipe", "inherit"] });
  }

  relay(where: string, ...args: string[]): void {
    const typed = args.map((word) => (/^[\w./-]+$/.test(word) ? word : `'${word}'`)).join(" ");
    this.#run(where, `relay ${typed}`, process.execPath, [RELAY, ...args]);
  }

  shell(where: string, script: string): void {
    this.#run(where, script, "sh", ["-c", script]);
  }

  #run(where: string, typed: string, program: string, args: string[]): void {
    this.processes += 1;
    const env = { ...process.env, RELAY_HOME: "", RELAY_PART: "", COLUMNS: "100" };
    const { stdout, stderr, status } = spawnSync(program, args, { cwd: path.join(this.folder, where), encoding: "utf8", env });
    this.#show(where, typed, stdout + stderr);
    if (status !== 0) throw refuse("internal", { reason: `${typed} ended with ${status}` });
  }

  async connect(name: string, part: string): Promise<ClientConnection> {
    this.processes += 1;
    const connection = await connectStdio(name, [process.execPath, RELAY, "mcp", "--part", part], path.join(this.folder, part));
    this.#connections.push(connection);
    this.say(
      `${this.#style.dim(`${part}$`)} ${this.#style.bold(`relay mcp --part ${part}`)}   ${this.#style.dim("(started by the agent's host)")}`,
    );
    return connection;
  }

  async call(connection: ClientConnection, tool: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
    const answer = await connection.call(tool, args);
    this.#show("mcp", `${tool} ${JSON.stringify(args)}`, JSON.stringify(answer, null, 1).replace(/\n\s*/g, " "));
    return answer;
  }

  async disconnect(): Promise<void> {
    await Promise.all(this.#connections.splice(0).map((connection) => connection.close()));
  }

  seconds(): string {
    return ((Date.now() - this.#started) / 1000).toFixed(1);
  }

  lookAround(): void {
    this.say(`Look around:  cd ${this.folder}/shop && find .relay/threads .relay/inbox -name '*.md'`);
    this.say(`              cd ${this.folder}/shop/.relay && git log --stat`);
    this.say(`Clear away:   rm -rf ${this.folder}`);
  }

  remove(): void {
    fs.rmSync(this.folder, { recursive: true, force: true });
  }
}
