/** Artifacts as agents of the relay plugin post and fetch them. */
import { expect } from "vitest";
import { differs, play } from "../stage.ts";

play({
  "an artifact of a task is posted": async ({ ok, task }) => {
    const args = { name: "map", type: "figma_spec", content: '{"sheets":["coast"]}', task_id: await task() };
    expect(await ok("design", "post_artifact", args)).toMatchObject({ artifact_id: expect.stringMatching(/^artifact-/), version: 1 });
  },
  "an artifact without a task is posted": async ({ artifact, ok }) => {
    await artifact();
    expect((await ok("web", "get_artifact", { name: "map" })).artifact).toMatchObject({ task_id: null });
  },
  "it is fetched by its name, with its type and who made it": async ({ artifact, ok, task }) => {
    const task_id = await task();
    const id = await artifact({ type: "report", task_id }, "design");
    const found = await ok("web", "get_artifact", { name: "map" });
    expect(found.artifact).toMatchObject({ id, name: "map", type: "report", created_by: "design", content: "a coast", task_id });
  },
  "it is fetched by its id": async ({ artifact, ok }) =>
    expect((await ok("web", "get_artifact", { name: await artifact() })).artifact).toMatchObject({ name: "map" }),
  "a name that there is none of gives no artifact, and says so": async ({ no }) =>
    expect(await no("web", "get_artifact", { name: "globe" }, "unknown_artifact", "artifact not found")).toMatchObject({ artifact: null }),
  "who asks for a name that there is none of is told those that there are": async ({ artifact, no }) => {
    for (const name of ["map", "legend"]) await artifact({ name });
    expect(await no("web", "get_artifact", { name: "chart" }, "unknown_artifact")).toMatchObject({ known: ["legend", "map"] });
    expect(await no("web", "request_review", { artifact_id: "chart", reviewer: "api" }, "unknown_artifact")).toMatchObject({
      known: ["legend", "map"],
    });
  },
  "of many names the nearest are told": async ({ artifact, no }) => {
    await Promise.all(Array.from({ length: 21 }, (_, at) => artifact({ name: `sheet of ${"abcdefghijklmnopqrstu"[at]?.repeat(9)}` })));
    expect(await no("web", "get_artifact", { name: "sheet of cccccccc" }, "unknown_artifact")).toMatchObject({
      known: ["sheet of ccccccccc"],
    });
  },
  "content comes byte for byte": async ({ artifact, ok }) => {
    const content = '{ "a": [1, 2, {"b": "é 🌊"}] }\r\n\r\n# not a heading\n---\nend without a line end';
    await artifact({ content });
    expect((await ok("web", "get_artifact", { name: "map" })).artifact.content).toBe(content);
  },
  "an empty content is one": async ({ artifact, ok }) => {
    await artifact({ content: "" });
    expect((await ok("web", "get_artifact", { name: "map" })).artifact.content).toBe("");
  },
  "the same name is the next version, and the latest is fetched": async ({ artifact, ok }) => {
    await artifact({ content: "first" });
    expect(await ok("api", "post_artifact", { name: "map", type: "design", content: "second" })).toMatchObject({ version: 2 });
    expect((await ok("web", "get_artifact", { name: "map" })).artifact).toMatchObject({ content: "second", version: 2, created_by: "api" });
  },
  "an earlier version is fetched by its number": async ({ artifact, ok }) => {
    for (const content of ["first", "second"]) await artifact({ content });
    expect((await ok("web", "get_artifact", { name: "map", version: 1 })).artifact).toMatchObject({ content: "first" });
  },
  "a version that there is none of gives no artifact": async ({ artifact, no }) => {
    await artifact();
    await no("web", "get_artifact", { name: "map", version: 2 }, "unknown_artifact", "artifact not found");
  },
  "two posts at once are two versions": async ({ artifact, ok }) => {
    const ids = await Promise.all([artifact({ content: "a" }), artifact({ content: "b" })]);
    expect(new Set(ids).size).toBe(2);
    const both = await Promise.all([1, 2].map((version) => ok("web", "get_artifact", { name: "map", version })));
    expect(both.map((answer) => answer.artifact.content).sort()).toEqual(["a", "b"]);
  },
  "each of the six types is taken": async ({ artifact }) => {
    for (const type of ["figma_spec", "pr", "report", "analytics_plan", "design", "document"]) await artifact({ name: type, type });
  },
  "another type is refused, and the six are named": ({ no }) =>
    no("web", "post_artifact", { name: "map", type: "openapi", content: "c" }, "invalid_argument", "figma_spec, pr, report"),
  "an artifact without a type is refused": ({ no }) =>
    no("web", "post_artifact", { name: "map", content: "c" }, "invalid_argument", "type"),
  "an artifact without a name is refused": ({ no }) => no("web", "post_artifact", { type: "pr", content: "c" }, "invalid_argument", "name"),
  "a name in any script, with blanks and slashes, is a name": async ({ artifact, ok }) => {
    const name = "지도 / 해안: v2.1 (draft) 🗺️";
    await artifact({ name });
    expect((await ok("web", "get_artifact", { name })).artifact).toMatchObject({ name });
  },
  "a name that leads out of the folder is but a name": async ({ artifact, ok }) => {
    await artifact({ name: "../../../up" });
    expect((await ok("web", "get_artifact", { name: "../../../up" })).artifact).toMatchObject({ name: "../../../up" });
  },
  "a name of 257 characters is refused, with the limit": ({ no }) =>
    no("web", "post_artifact", { name: "n".repeat(257), type: "pr", content: "c" }, "invalid_argument", "256"),
  "content may have 524288 characters, and no more": async ({ artifact, no }) => {
    await artifact({ content: "x".repeat(524_288) });
    await no("web", "post_artifact", { name: "map", type: "pr", content: "x".repeat(524_289) }, "invalid_argument", "524288");
  },
  "a task that is not there is refused": differs("an artifact of a missing task", ({ no }) =>
    no("web", "post_artifact", { name: "map", type: "pr", content: "c", task_id: "task-none" }, "unknown_task", "task not found"),
  ),
  "an artifact of another session is not there": async ({ artifact, no, other }) => {
    await artifact();
    expect(await no("web", "get_artifact", { name: "map", session_id: await other("b") }, "unknown_artifact")).toMatchObject({
      advice: expect.stringMatching(/is of session \S+, which/),
    });
  },
  "who only fetches need not say who it is": async ({ artifact, ok }) => {
    await artifact();
    await ok(null, "get_artifact", { name: "map" });
  },
  "an artifact is there after a restart, with every version": async ({ artifact, ok, restart }) => {
    for (const content of ["first", "second"]) await artifact({ content });
    await restart();
    expect((await ok("web", "get_artifact", { name: "map" })).artifact.content).toBe("second");
    expect((await ok("web", "get_artifact", { name: "map", version: 1 })).artifact.content).toBe("first");
  },
  "a session has no end of artifacts": differs("the size of a session", async ({ artifact, ok }) => {
    await Promise.all(Array.from({ length: 60 }, (_, at) => artifact({ name: `sheet ${at}` })));
    await ok("web", "get_artifact", { name: "sheet 59" });
  }),
});
