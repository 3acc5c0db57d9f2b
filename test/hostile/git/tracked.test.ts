/** Files of one machine that came with the code: nothing in them is completed, sent or followed, and nothing is lost when they go. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type Answer, act } from "../../rig/clones.ts";
import { relay } from "../../rig/processes.ts";
import { commitAll, git, repository, scratch, tree } from "../../rig/scratch.ts";

/** A process that is no more. */
const DEAD = "99999-1-00000000-1";
const MESSAGE = "m-aaaaaaaaaaaaaaaaaaaaaaaaa";

interface Hostile {
  code: string;
  threadId: string;
  messageId: string;
}

/** A repository whose home is files of the code, with a message from main to web. */
async function inTree(): Promise<Hostile> {
  const code = repository();
  await act(code, undefined, "init", { parts: ["web", "api"], inTree: true });
  const { threadId, messageId } = await act(code, "main", "send", { to: ["web"], subject: "s", body: "an honest one" });
  return { code, threadId, messageId };
}

/** Each gives the files that somebody puts into the home's machine folders, by their paths there. */
const TRICKS: [what: string, files: (home: string, made: Hostile) => Record<string, string>][] = [
  [
    "a pending send",
    (home, { messageId }) => {
      const [day = ""] = fs.readdirSync(path.join(home, "threads"));
      const [thread = ""] = fs.readdirSync(path.join(home, "threads", day));
      const [name = ""] = fs.readdirSync(path.join(home, "threads", day, thread)).filter((each) => each !== "thread.md");
      const text = fs.readFileSync(path.join(home, "threads", day, thread, name), "utf8");
      fs.rmSync(path.join(home, "inbox/web/new"), { recursive: true });
      return { [`local/pending/${DEAD}-0.${messageId}.md`]: text };
    },
  ],
  ["an intent", () => ({ [`local/intents/${DEAD}.aaaaaa.claim.s-1.task-1`]: "" })],
  [
    "a change of a file that was begun",
    () => ({ "local/revisions/relay.yml/1": "next-a none\n", "local/revisions/relay.yml/next-a": "format: 2\nparts: [{id: evil}]\n" }),
  ],
  ["a draft", () => ({ "outbox/main/evil.md": '---\nto: ["api"]\nsubject: "evil"\n---\n\nevil\n' })],
  ["a reservation", () => ({ [`run/reserve/${DEAD}-0.1.aaaaaaaaaaaaaaaaaaaaaaaa`]: "threads/empty" })],
  ["a link in place of a folder", () => ({ "local/pending": "" })],
];

/** What git would see, but for the machine's folders. */
const shown = (code: string): Record<string, string> => tree(path.join(code, ".relay"), /^(\.git|local|run|outbox)(\/|$)/);

function lay(code: string, files: Record<string, string>, what: string): void {
  for (const [name, content] of Object.entries(files)) {
    const at = path.join(code, ".relay", name);
    fs.mkdirSync(path.dirname(at), { recursive: true });
    if (what.startsWith("a link")) fs.symlinkSync("../threads", at);
    else fs.writeFileSync(at, content);
  }
}

test.each(TRICKS)("%s that a clone has: read on, nothing happens, nothing is written until it is removed", async (what, make) => {
  const made = await inTree();
  fs.rmSync(path.join(made.code, ".relay/local"), { recursive: true, force: true });
  fs.rmSync(path.join(made.code, ".relay/run"), { recursive: true, force: true });
  lay(made.code, make(path.join(made.code, ".relay"), made), what);
  commitAll(made.code, "hostile", "--force");
  const clone = path.join(scratch(), "clone");
  git(scratch(), "clone", "--quiet", made.code, clone);
  const before = shown(clone);
  const read: Answer = await act(clone, "web", "show", { threadId: made.threadId });
  expect(read.messages).toHaveLength(1);
  for (const args of [["send", "web", "s", "b", "--part", "main"], ["ack", made.messageId, "--part", "web"], ["record"]]) {
    const { code, json } = await relay(clone, [...args, "--json"]);
    expect([args[0], code, json.code]).toEqual([args[0], 4, "tracked_state"]);
  }
  expect(shown(clone)).toEqual(before);
  expect(git(clone, "status", "--porcelain")).toBe("");
  const { findings } = await act(clone, undefined, "doctor");
  const [finding] = findings.filter(({ code }: Answer) => code === "tracked_state");
  const [, cure = ""] = /`(git rm [^`]+)`/.exec(finding.remedy) ?? [];
  git(clone, ...cure.split(" ").slice(1));
  await act(clone, "main", "send", { to: ["api"], subject: "s", body: "b" });
  expect((await act(clone, "api", "inbox")).messages).toMatchObject([{ subject: "s" }]);
  expect(JSON.stringify(await act(clone, "api", "inbox"))).not.toContain("evil");
});

test("a pull that brings such files into a home with a repository of its own", async () => {
  const code = repository();
  const other = path.join(scratch(), "other");
  git(scratch(), "clone", "--quiet", code, other);
  await act(code, undefined, "init", { parts: ["web"] });
  lay(other, { "outbox/main/evil.md": '---\nto: ["web"]\nsubject: "evil"\n---\n\nevil\n' }, "");
  commitAll(other, "hostile", "--force");
  git(code, "pull", "--quiet", "--no-rebase", other, "main");
  expect(fs.existsSync(path.join(code, ".relay/outbox/main/evil.md"))).toBe(true);
  expect((await act(code, "web", "inbox")).messages).toEqual([]);
  await expect(act(code, "main", "send", { to: ["web"], subject: "s", body: MESSAGE })).rejects.toMatchObject({ code: "tracked_state" });
  git(code, "rm", "-r", "--quiet", "--force", "--ignore-unmatch", ".relay/outbox", ".relay/local", ".relay/run");
  await act(code, "main", "send", { to: ["web"], subject: "s", body: MESSAGE });
  expect((await act(code, "web", "inbox")).messages).toMatchObject([{ subject: "s" }]);
});

test("a home that the code tracks and that does not say so", async () => {
  const { code } = await inTree();
  const config = path.join(code, ".relay/relay.yml");
  fs.writeFileSync(config, fs.readFileSync(config, "utf8").replace(/^in_tree: true\n/m, ""));
  lay(code, { "outbox/main/evil.md": '---\nto: ["web"]\nsubject: "evil"\n---\n\nevil\n' }, "");
  commitAll(code, "hostile", "--force");
  const clone = path.join(scratch(), "clone");
  git(scratch(), "clone", "--quiet", code, clone);
  expect(JSON.stringify(await act(clone, "web", "inbox"))).not.toContain("evil");
});
