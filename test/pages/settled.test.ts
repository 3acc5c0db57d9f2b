/** Sentences of the specification that a reader could take in two ways: the program does what the text says. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { operations, perform } from "../../protocol/index.ts";
import { statusOf, THREAD_STATUSES, type Thread } from "../../protocol/mail/nouns/thread.ts";
import { thisProcess } from "../../protocol/store/process.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { fc, runs } from "../rig/properties.ts";

const draft = (...lines: string[]): string => `${["---", ...lines, "---"].join("\n")}\nhello\n`;
/** Drafts, and whether each is sent: R-SHELL-2, R-FM-1, R-FM-2, and the fields of a draft. */
const DRAFTS: Record<string, { text: string; sent: boolean }> = {
  "one-text": { text: draft("to: api", 'subject: "one text"'), sent: true },
  anchor: { text: draft("to: &them [api]", "subject: an anchor"), sent: true },
  "core-tag": { text: draft("to: [api]", "subject: !!str 12"), sent: true },
  "other-tag": { text: draft("to: [api]", "subject: !other 12"), sent: false },
  alias: { text: draft("to: &them [api]", "tags: *them", "subject: an alias"), sent: false },
  twice: { text: draft("to: [api]", "subject: one", "subject: two"), sent: false },
  "blank-behind": { text: draft("to: [api]", "subject: one").replace("---\n", "--- \n"), sent: false },
  code: { text: draft("to: [api]", "subject: one").replace("---\n", "---js\n"), sent: false },
  "no-body": { text: '---\nto: [api]\nsubject: "none"\n---\n', sent: false },
};

test("a draft is sent, or stays with the reason beside it, as the text says", async () => {
  const folder = await homeWith("web", "api");
  const outbox = path.join(folder, ".relay/outbox/web");
  fs.mkdirSync(outbox, { recursive: true });
  for (const [name, { text }] of Object.entries(DRAFTS)) fs.writeFileSync(path.join(outbox, `${name}.md`), text);
  fs.writeFileSync(path.join(outbox, "notes"), "no draft: its name does not end so");
  await perform(worldAt(folder, { part: "api" }), operations.inbox, {});
  const sent = fs.readdirSync(path.join(outbox, "sent")).flatMap((name) => (name.endsWith(".md") ? name.slice(0, -3) : []));
  expect(sent.sort()).toEqual(
    Object.entries(DRAFTS)
      .filter(([, { sent: is }]) => is)
      .map(([name]) => name)
      .sort(),
  );
  const refused = Object.entries(DRAFTS).filter(([, { sent: is }]) => !is);
  for (const [name] of refused)
    expect(fs.readFileSync(path.join(outbox, `${name}.md.refused`), "utf8"), name).toMatch(
      /^[^\n]+\n\nChange the draft to have it tried again/,
    );
  expect(fs.existsSync(path.join(outbox, "notes.refused"))).toBe(false);
});

test.skipIf(process.platform !== "linux")("a process is written as R-PROC-1 works it out", () => {
  const stat = fs.readFileSync("/proc/self/stat", "utf8");
  const start = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[22 - 3];
  const boot = fs.readFileSync("/proc/sys/kernel/random/boot_id", "utf8").slice(0, 8);
  const namespace = /\d+/.exec(fs.readlinkSync("/proc/self/ns/pid"))?.[0];
  expect(thisProcess()).toBe([process.pid, start, boot, namespace].join("-"));
});

/** R-THREAD-1, line by line. */
function statusAsWritten(thread: Thread, messages: readonly { n: number; from: string; to: string[] }[]): string {
  const { status: set, statusAfter: after, createdBy: asker } = thread;
  if (set === "closed" || set === "canceled") return set;
  if (set !== undefined && set !== "open" && after === undefined) return set;
  const last = messages.filter(({ n, from, to }) => (after === undefined || n > after) && (from === asker || to.includes(asker))).at(-1);
  if (last === undefined) return set ?? "open";
  if (last.from !== asker) return "answered";
  return set === "holding" ? "holding" : "open";
}

test("a thread's status is what the lines of R-THREAD-1 give", () => {
  const part = fc.constantFrom("web", "api", "main");
  const said = fc.record({ from: part, to: fc.array(part, { minLength: 1, maxLength: 2 }) });
  const seen = new Set<string>();
  fc.assert(
    fc.property(
      fc.option(fc.constantFrom(...THREAD_STATUSES), { nil: undefined }),
      fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }),
      fc.array(said, { maxLength: 5 }),
      (status, statusAfter, all) => {
        const messages = all.map((message, index) => ({ ...message, n: index + 1 }));
        const thread = {
          id: "t-20260131-k3f9x2ab",
          subject: "x",
          createdBy: "web",
          createdAt: "",
          status,
          statusAfter,
          other: {},
          body: "",
        };
        const expected = statusAsWritten(thread, messages);
        seen.add(expected);
        expect(statusOf(thread, messages)).toBe(expected);
      },
    ),
    { numRuns: runs(10_000) },
  );
  expect([...seen].sort()).toEqual([...THREAD_STATUSES].sort());
});
