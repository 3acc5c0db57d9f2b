/** What agents of the relay plugin remember: the project's memory, and each agent's own. */
import fs from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { differs, play, type Scene } from "../stage.ts";

const file = ({ home }: Scene, name: string): string => path.join(home, "memory", name);
const read = async ({ ok }: Scene, agent_id?: string): Promise<string> =>
  (await ok(null, "read_memory", agent_id === undefined ? {} : { agent_id })).content;

play({
  "an agent's memory is a file under its id": async (scene) => {
    await scene.ok("web", "write_memory", { key: "rules", content: "Keep the margin." });
    expect(fs.readFileSync(file(scene, "agents/web.md"), "utf8")).toContain("## rules\n");
  },
  "what an agent remembered is read by its id": async (scene) => {
    await scene.ok("api", "write_memory", { key: "shape", content: "Answers are { data, error }." });
    expect(await read(scene, "api")).toContain("Answers are { data, error }.");
  },
  "who never remembered anything has no memory": async (scene) => expect(await read(scene, "nobody-yet")).toBeNull(),
  "a note is appended to what was there": async (scene) => {
    await scene.ok("note-a", "write_memory", { key: "first", content: "First." });
    await scene.ok("note-a", "append_memory", { content: "Second." });
    expect(await read(scene, "note-a")).toMatch(/First\.[\s\S]*Second\./);
  },
  "a note stands under its day, after a rule": async (scene) => {
    await scene.ok("note-b", "append_memory", { content: "The river rose." });
    expect(await read(scene, "note-b")).toMatch(/---\n_\d{4}-\d{2}-\d{2}_\n\nThe river rose\.\n$/);
  },
  "a note without an agent is refused": ({ no }) => no(null, "append_memory", { content: "c" }, "who_are_you", "agent_id"),
  "without an agent the project's memory is read, and no other file": async (scene) => {
    await scene.ok(null, "write_memory", { key: "about", content: "An atlas." });
    fs.writeFileSync(file(scene, "lessons.md"), "of an earlier version");
    expect(await read(scene)).toContain("An atlas.");
    expect(await read(scene)).not.toContain("earlier");
  },
  "a key that is written again is replaced": async (scene) => {
    for (const content of ["Old.", "New."]) await scene.ok("again", "write_memory", { key: "rules", content });
    expect(await read(scene, "again")).toContain("New.");
    expect(await read(scene, "again")).not.toContain("Old.");
  },
  "another key leaves the first as it is": async (scene) => {
    for (const key of ["one", "two"]) await scene.ok("keys", "write_memory", { key, content: `of ${key}` });
    for (const key of ["one", "two"]) expect(await read(scene, "keys")).toContain(`## ${key}\n\nof ${key}\n`);
  },
  "a key with an empty content is a section without text": async (scene) => {
    await scene.ok("empty", "write_memory", { key: "rules", content: "" });
    expect(await read(scene, "empty")).toContain("## rules");
  },
  "headings in what is remembered are text": async (scene) => {
    await scene.ok("heads", "write_memory", { key: "one", content: "## two\nnot a section\n```\n## three\n```" });
    await scene.ok("heads", "write_memory", { key: "two", content: "a section" });
    await scene.ok("heads", "write_memory", { key: "one", content: "short" });
    const text = await read(scene, "heads");
    expect(text).toContain("short");
    expect(text).toContain("a section");
    expect(text).not.toContain("not a section");
  },
  "forty keys at once are forty sections": async (scene) => {
    await Promise.all(Array.from({ length: 40 }, (_, at) => scene.ok("many", "write_memory", { key: `k${at}`, content: `c${at}` })));
    expect((await read(scene, "many")).match(/^## k\d+$/gm)).toHaveLength(40);
  },
  "forty notes at once are forty notes": async (scene) => {
    await Promise.all(Array.from({ length: 40 }, (_, at) => scene.ok("notes", "append_memory", { content: `note ${at}.` })));
    expect((await read(scene, "notes")).match(/^note \d+\.$/gm)).toHaveLength(40);
  },
  "an id that leads out of the folder is refused when it is written": ({ no }) =>
    no("../up", "write_memory", { key: "k", content: "c" }, "bad_part", "not a part id"),
  "an id that leads out of the folder is refused when it is read": ({ no }) => no("../../etc/passwd", "read_memory", {}, "bad_part"),
  "an id that leads out of the folder is refused when a note is made": ({ no }) =>
    no("../../root", "append_memory", { content: "c" }, "bad_part"),
  "an id with a slash has a memory of its own, under its folder": differs("ids with a slash", async (scene) => {
    await scene.ok("atlas/web", "write_memory", { key: "k", content: "of the atlas" });
    expect(fs.existsSync(file(scene, "agents/atlas/web.md"))).toBe(true);
    expect(await read(scene, "atlas/web")).toContain("of the atlas");
  }),
  "a key that is empty is refused": ({ no }) => no("web", "write_memory", { key: "", content: "c" }, "invalid_argument", "key"),
  "a key of 257 characters is refused, with the limit": ({ no }) =>
    no("web", "write_memory", { key: "k".repeat(257), content: "c" }, "invalid_argument", "256"),
  "a key may have 256 characters": ({ ok }) => ok("long", "write_memory", { key: "k".repeat(256), content: "c" }),
  "a key of two lines is refused": ({ no }) => no("web", "write_memory", { key: "a\nb", content: "c" }, "invalid_argument", "one line"),
  "a key with a carriage return is refused": ({ no }) =>
    no("web", "write_memory", { key: "a\rb", content: "c" }, "invalid_argument", "line"),
  "a key that begins as a heading is refused": ({ no }) => no("web", "write_memory", { key: "# a", content: "c" }, "invalid_argument", "#"),
  "a key in any script is a key": async (scene) => {
    await scene.ok("script", "write_memory", { key: "해안선 🌊", content: "c" });
    expect(await read(scene, "script")).toContain("## 해안선 🌊\n");
  },
  "without an agent a key is written into the project's memory": async (scene) => {
    await scene.ok(null, "write_memory", { key: "overview", content: "Twelve sheets." });
    expect(fs.readFileSync(file(scene, "project.md"), "utf8")).toContain("Twelve sheets.");
    expect(await read(scene)).toContain("Twelve sheets.");
  },
  "content of 131073 characters is refused, with the limit": ({ no }) =>
    no("web", "write_memory", { key: "k", content: "x".repeat(131_073) }, "invalid_argument", "131072"),
  "whose memory is written can be written to from then on": async ({ ok, mail }) => {
    await ok("rememberer", "write_memory", { key: "k", content: "c" });
    await ok("lead", "send_message", { to: "rememberer", content: "Hello" });
    expect(await mail("rememberer")).toEqual(["Hello"]);
  },
  "a memory is of no session": async (scene) => {
    await scene.ok("across", "write_memory", { key: "k", content: "c", session_id: await scene.other("b") });
    expect(await read(scene, "across")).toContain("c");
  },
  "a memory is there after a restart": async (scene) => {
    await scene.ok("lasting", "write_memory", { key: "k", content: "kept" });
    await scene.restart();
    expect(await read(scene, "lasting")).toContain("kept");
  },
});
