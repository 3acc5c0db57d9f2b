/**
 * A push that brings a memory or a summary that nobody can read, where there was none: it keeps nobody from writing theirs, it is
 * told, and whoever writes theirs or takes the push back is rid of it in every clone.
 */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { printAnswer } from "../../cli/print/print-answer.ts";
import { plainStyleFor } from "../../cli/print/style.ts";
import { type Answer, act, cloneOf, shop } from "../rig/clones.ts";
import { remoteAt } from "./rig/remote.ts";

const TEXTS: readonly (readonly [name: string, content: string | Uint8Array])[] = [
  ["a NUL", "## style\n\nTwo\0spaces.\n"],
  ["bytes that are no text", Uint8Array.of(0x23, 0xff, 0xfe, 0x0a)],
];

const words = (name: string, answer: Answer): string =>
  printAnswer(name, answer, plainStyleFor(process.stdout, { NO_COLOR: "1" }, Date.now()), {});

/** Two clones of a home with a session, and a push of texts that nobody can read. */
async function pushed(
  content: string | Uint8Array,
): Promise<{ hub: string; here: string; there: string; paths: string[]; session: string; commit: string }> {
  const { hub, code: here } = await shop("web");
  const { session_id: session } = await act(here, "main", "start_session");
  await act(here, undefined, "sync");
  const there = await cloneOf(hub);
  const hostile = remoteAt(hub);
  const paths = ["memory/agents/web.md", "memory/project.md", `sessions/${session}/summary.md`];
  for (const each of paths) hostile.write(each, content);
  return { hub, here, there, paths, session, commit: hostile.commit() };
}

const isThere = (code: string, name: string): boolean => fs.existsSync(path.join(code, ".relay", name));

describe.each(TEXTS)("texts with %s", (_name, content) => {
  test("stay in the branch and are reported, keep no part from writing, and give way to new texts in every clone", async () => {
    const { here, there, paths, session } = await pushed(content);
    for (const clone of [here, there]) {
      const said = words("sync", await act(clone, undefined, "sync"));
      for (const each of paths) {
        expect(said).toMatch(new RegExp(`skipped ${each}: .*cannot be read.* stays in the branch`));
        expect(isThere(clone, each)).toBe(false);
      }
      expect(await act(clone, undefined, "sync")).toMatchObject({ broughtBack: [], restored: [] });
      expect(await act(clone, undefined, "check")).toMatchObject({ ok: true });
      const { findings } = await act(clone, undefined, "doctor");
      const left = findings.filter(({ severity }: { severity: string }) => severity !== "note");
      expect(left.map(({ code, path: at }: { code: string; path: string }) => `${code} ${at}`).sort()).toEqual(
        paths.map((each) => `not_laid_out ${each}`),
      );
    }
    await act(here, "web", "write_memory", { agent_id: "web", key: "style", content: "Two spaces." });
    const { threadId } = await act(here, "main", "send", { to: ["web"], subject: "One", body: "1" });
    await act(here, "main", "close", { threadId, lesson: "Begin early" });
    await act(here, "main", "save_session_summary", { session_id: session, summary: "# All\n\nDone.\n" });
    await act(here, undefined, "sync");
    await act(there, undefined, "sync");
    for (const clone of [here, there]) {
      expect((await act(clone, "web", "read_memory", { agent_id: "web" })).content).toContain("Two spaces.");
      const texts = paths.map((each) => fs.readFileSync(path.join(clone, ".relay", each), "utf8"));
      expect(texts).toEqual(["Two spaces", "Begin early", "Done"].map((words) => expect.stringContaining(words)));
    }
  });

  test("are taken back by `undo`, here and in every other clone", async () => {
    const { hub, here, there, paths, commit } = await pushed(content);
    await act(here, undefined, "sync");
    const { undone } = await act(here, undefined, "undo", { commit });
    for (const each of paths) expect(undone.join("\n")).toContain(each);
    expect(await act(here, undefined, "undo", { commit })).toMatchObject({ undone: [] });
    await act(here, undefined, "sync");
    await act(there, undefined, "sync");
    const clones = [here, there, await cloneOf(hub)];
    for (const clone of clones) {
      expect(words("sync", await act(clone, undefined, "sync"))).not.toContain("skipped");
      expect(await act(clone, undefined, "check")).toMatchObject({ ok: true, findings: [] });
      for (const each of paths) expect(fs.readFileSync(path.join(clone, ".relay", each), "utf8")).not.toContain("\0");
    }
  });
});
