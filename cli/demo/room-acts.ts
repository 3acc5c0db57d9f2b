/** The acts of the room: parts in worktrees of their own that talk, each in its own way. */
import type { Act, Stage } from "./stage.ts";

const GIT_NAME = ["-c", "user.name=Relay demo", "-c", "user.email=demo@localhost", "-c", "commit.gpgsign=false"];

/** Makes the repository `shop`, with a worktree for each part. */
export async function layShop(stage: Stage, parts: readonly string[]): Promise<void> {
  await stage.git("init", "--quiet", "--initial-branch=main", "shop");
  await stage.git("-C", "shop", ...GIT_NAME, "commit", "--quiet", "--allow-empty", "--message", "The code");
  for (const part of parts) await stage.git("-C", "shop", "worktree", "add", "--quiet", "-b", part, `../${part}`);
}

/** What the others play in. */
export const setting: Act = {
  title: "A repository with three more worktrees, and one home for all of them",
  async play(stage) {
    await layShop(stage, ["web", "api", "docs"]);
    stage.relay("shop", "init", "web", "api", "docs");
    stage.relay("shop", "part", "here", "main");
    for (const part of ["web", "api"]) stage.relay(part, "part", "here", part);
  },
};

const overMcp: Act = {
  title: "web is an agent: its host starts the MCP server and calls tools",
  async play(stage) {
    await stage.connect("web-agent", "web");
    const sent = await stage.call("web", "send", {
      to: ["api", "docs"],
      subject: "Which field is the price?",
      body: "`price` or `amount`? I need it for the cart.",
    });
    stage.note("thread", String(sent["threadId"]));
    await stage.call("web", "send", { to: ["apj"], subject: "Typo", body: "A wrong name is refused, with the nearest." });
  },
};

const byCommand: Act = {
  title: "api has the command line, in its own worktree",
  play(stage) {
    stage.relay("api", "inbox");
    stage.relay("api", "reply", stage.noted("thread"), "It is `amount`, in cents.");
    stage.relay("api", "ack", "--thread", stage.noted("thread"));
  },
};

const byShell: Act = {
  title: "docs has only a shell: cat to read, ln and rm to ack, a file in outbox/ to send",
  play(stage) {
    stage.shell("docs", "cat .relay/inbox/docs/new/*.md");
    stage.shell(
      "docs",
      [
        'cd .relay && for m in inbox/docs/new/*.md; do n=$(basename "$m"); d=$(echo "$n" | sed \'s/^m-\\(....\\)\\(..\\)\\(..\\).*/\\1-\\2-\\3/\')',
        'mkdir -p "inbox/docs/read/$d" && ln "$m" "inbox/docs/read/$d/$n" && rm "$m"; done',
        "mkdir -p outbox/docs",
        `printf -- '---\\nthread: ${stage.noted("thread")}\\n---\\nWritten down: amount, in cents.\\n' > outbox/docs/.draft`,
        "mv outbox/docs/.draft outbox/docs/price.md",
      ].join("\n"),
    );
  },
};

const answers: Act = {
  title: "web waits, and both answers are there",
  async play(stage) {
    const threadId = stage.noted("thread");
    const came = await stage.call("web", "wait", { timeoutSeconds: 20 });
    // A draft is sent by whoever looks next: it may come after api's answer.
    if (!JSON.stringify(came).includes("Written down")) await stage.call("web", "wait", { timeoutSeconds: 20 });
    await stage.call("web", "inbox", {});
    await stage.call("web", "ack", { threadId });
    await stage.call("web", "close", { threadId, status: "closed", lesson: "Prices are `amount`, in cents." });
  },
};

/** What there is to see when all others have played. */
export const curtain: Act = {
  title: "What a person sees",
  play(stage) {
    stage.relay("shop", "status");
    stage.relay("shop", "show", stage.noted("thread"));
    stage.relay("shop", "doctor");
    stage.shell("shop", 'cat .relay/memory/project.md; git status --short; echo "(the code\'s own status is clean)"');
  },
};

/** The acts of the room, in order. */
export const roomActs: readonly Act[] = [overMcp, byCommand, byShell, answers];
