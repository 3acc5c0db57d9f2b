/** Files broken at random, in every place that is read: no fault of Relay's, no crash, and the other messages are served. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { operations, perform, Refusal } from "../../../protocol/index.ts";
import { homeWith, worldAt } from "../../rig/home.ts";
import { fc, runs } from "../../rig/properties.ts";
import { clearScratch } from "../../rig/scratch.ts";

const RUNS = runs(3_000);
/** After so many files a new home is taken: what an outbox delivers stays. */
const RUNS_A_HOME = 200;
/** What hostile files are made of, besides their own bytes. */
const PIECES = [
  ...[
    "---\n",
    "---js\n",
    "\n---\n",
    "\0",
    "\r\n",
    "\ufeff",
    "&a *a",
    "__proto__: 1\n",
    '"',
    "'",
    ": ",
    "[",
    "{",
    "!!js/function x\n",
    "to: [api]\n",
  ],
];

/** One change of a file's bytes: a piece put in, some cut out, one changed, or all from somewhere on lost. */
const change = fc.record({
  kind: fc.constantFrom("put", "cut", "flip", "end"),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.integer({ min: 1, max: 40 }),
  piece: fc.oneof(
    fc.constantFrom(...PIECES).map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
  ),
});
const changes = fc.array(change, { minLength: 1, maxLength: 4 });
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

function broken(whole: Buffer, all: readonly Change[]): Buffer {
  return all.reduce((bytes, { kind, at, length, piece }) => {
    const place = Math.floor(at * bytes.length);
    const before = bytes.subarray(0, place);
    if (kind === "end") return before;
    if (kind === "put") return Buffer.concat([before, piece, bytes.subarray(place)]);
    if (kind === "cut") return Buffer.concat([before, bytes.subarray(place + length)]);
    return Buffer.concat([before, Buffer.from([(bytes[place] ?? 0) ^ length]), bytes.subarray(place + 1)]);
  }, whole);
}

interface Stage {
  folder: string;
  goodThread: string;
  goodMessage: string;
  /** The files that can be broken, each with what it was. */
  files: Record<string, { at: string; whole: Buffer }>;
}

async function stage(): Promise<Stage> {
  clearScratch();
  const folder = await homeWith("web", "api");
  const home = (...names: string[]): string => path.join(folder, ".relay", ...names);
  const send = (subject: string) =>
    perform(worldAt(folder, { part: "web" }), operations.send, {
      to: ["api"],
      subject,
      body: `${subject} body`,
      tags: ["t"],
      urgent: true,
    });
  const [good, victim] = [await send("good"), await send("victim")];
  await perform(worldAt(folder, { part: "web" }), operations.close, { threadId: victim["threadId"], status: "holding" });
  const id = victim["messageId"] as string;
  const thread = home("threads", fs.readdirSync(home("threads"))[0] as string, victim["threadId"] as string);
  // A copy, or a change of one would be a change of both.
  const unread = home("inbox/api/new", `${id}.md`);
  const bytes = fs.readFileSync(unread);
  fs.rmSync(unread);
  fs.writeFileSync(unread, bytes);
  fs.mkdirSync(home("outbox/web"), { recursive: true });
  const draft = Buffer.from('---\nto: [api]\nsubject: "Drafted"\ntags: [a, "b"]\n---\nA body.\n');
  return {
    folder,
    goodThread: good["threadId"] as string,
    goodMessage: good["messageId"] as string,
    files: {
      "a message": { at: path.join(thread, `${id.split("-").slice(3).join("-")}.md`), whole: bytes },
      "a thread.md": { at: path.join(thread, "thread.md"), whole: fs.readFileSync(path.join(thread, "thread.md")) },
      "an unread message": { at: unread, whole: bytes },
      "a draft": { at: home("outbox/web/draft.md"), whole: draft },
      "relay.yml": { at: home("relay.yml"), whole: fs.readFileSync(home("relay.yml")) },
    },
  };
}

/** Performs it; a refusal is an answer, but a fault of Relay's own is none. */
async function ask(
  folder: string,
  name: keyof typeof operations,
  input: Record<string, unknown> = {},
): Promise<Record<string, unknown> | Refusal> {
  const answer = await perform(worldAt(folder, { part: "api" }), operations[name], input).catch((error) => error);
  if (answer instanceof Error) {
    expect(answer).toBeInstanceOf(Refusal);
    expect((answer as Refusal).code, answer.message).not.toBe("internal");
  }
  return answer;
}

test.each(["a message", "a thread.md", "an unread message", "a draft", "relay.yml"])(
  "%s broken at random is refused, and hides no other",
  async (what) => {
    let on = await stage();
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(changes, async (all) => {
        runs += 1;
        if (runs % RUNS_A_HOME === 0) on = await stage();
        const { at, whole } = on.files[what] as Stage["files"][string];
        fs.writeFileSync(at, broken(whole, all));
        const victim = path.basename(path.dirname((on.files["a message"] as Stage["files"][string]).at));
        const inbox = await ask(on.folder, "inbox", { limit: 200 });
        for (const name of ["threads", "doctor", "roster"] as const) await ask(on.folder, name);
        await ask(on.folder, "show", { threadId: victim });
        await ask(on.folder, "close", { threadId: victim, status: "holding" });
        if (what !== "relay.yml") {
          const ids = (inbox as { messages: { messageId: string }[] }).messages.map(({ messageId }) => messageId);
          expect(ids).toContain(on.goodMessage);
          expect(await ask(on.folder, "show", { threadId: on.goodThread })).toMatchObject({ messages: [{ body: "good body" }] });
        }
        expect(fs.existsSync(at) || what === "a draft").toBe(true);
        // A refused draft is left with its reason, one that was sent is gone.
        for (const name of fs.readdirSync(path.join(on.folder, ".relay/outbox/web"))) {
          if (name !== "sent") fs.rmSync(path.join(on.folder, ".relay/outbox/web", name), { recursive: true });
        }
        fs.writeFileSync(at, whole);
        if (what === "a draft") fs.rmSync(at);
      }),
      { numRuns: RUNS },
    );
  },
);
