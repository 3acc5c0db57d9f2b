/** What an office leaves on the record: all of it in each clone, and nothing that is one machine's. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { localDispatches } from "../../../protocol/office/files/next-turn.ts";
import { readDispatch } from "../../../protocol/office/files/read-dispatch.ts";
import { act, cloneOf, shop } from "../../rig/clones.ts";
import { worldAt } from "../../rig/home.ts";
import { OfficeStage } from "../../rig/office-stage.ts";
import { recordersOf } from "../../rig/recorders.ts";
import { cleanEnv, until } from "../../rig/scratch.ts";

const does = (...steps: object[]): string => `Do this.\n\ndo: ${JSON.stringify(steps)}`;

/** All that git keeps of a home, whatever branch or commit it is of. */
function blobsOf(code: string): string {
  const cwd = path.join(code, ".relay");
  const git = (...args: string[]): Buffer => execFileSync("git", args, { cwd, env: cleanEnv(), maxBuffer: 2 ** 28 });
  const ids = git("cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)").toString().split("\n");
  const blobs = ids.filter((line) => line.endsWith(" blob")).map((line) => line.split(" ")[0] as string);
  return blobs.map((id) => git("cat-file", "blob", id).toString("latin1")).join("\n\0\n");
}

test("two clones that both gave work lose nothing by a merge, neither runs what is the other's, and git has nothing of a machine", async () => {
  const { hub, code } = await shop("web");
  const one = await OfficeStage.open({}, code);
  await act(code, undefined, "sync");
  const other = await OfficeStage.open({}, await cloneOf(hub));
  const given = [one, other].map((stage, n) => {
    const steps = [{ capture: `seen${n}` }, { send: { member: "auditor", message: does({ say: `audited ${n}` }) } }, { crash: 3 }];
    return [stage.give("om", does({ say: `first ${n}` })), stage.give("om", does(...steps))];
  });
  for (const stage of [one, other]) await stage.rest();
  for (const stage of [one, other, one]) await act(stage.folder, undefined, "sync");
  for (const [n, ids] of given.entries())
    for (const stage of [one, other]) {
      const states = ids.map((id) => readDispatch(worldAt(stage.folder), id));
      expect(states.map((state) => state?.ends.map(({ outcome }) => outcome))).toEqual([["ok"], ["failed"]]);
      expect(states.map((state) => state?.isOwn)).toEqual([stage === [one, other][n], stage === [one, other][n]]);
      expect(stage.messages(ids[0] as string).map(({ body }) => body)).toContain(`first ${n}`);
    }
  const listed = async (stage: OfficeStage) => (await act(stage.folder, undefined, "office_tree")) as object;
  const texts = (answer: object): string => JSON.stringify(answer);
  for (const stage of [one, other]) for (const id of given.flat()) expect(texts(await listed(stage))).toContain(id);
  expect([one, other].map((stage) => localDispatches(stage.world))).toEqual([[], []]);
  const begun = one.noted("begin").length + (one.notes === other.notes ? 0 : other.noted("begin").length);
  expect(begun).toBe(6);
  // What agents sent is recorded without anybody asking.
  for (const { folder } of [one, other]) await until("no recorder is left", () => recordersOf(folder).length === 0);
  // Tokens, ids of processes and generated settings are nowhere in git.
  const all = blobsOf(code) + blobsOf(other.folder);
  for (const [n, stage] of [one, other].entries()) {
    const seen = JSON.parse(fs.readFileSync(path.join(stage.notes, `seen${n}`), "utf8")) as { env: Record<string, string> };
    expect(seen.env["RELAY_OFFICE_TOKEN"]).toMatch(/^[\w-]{43}$/);
    expect(all).not.toContain(seen.env["RELAY_OFFICE_TOKEN"]);
    for (const { pid } of stage.noted("begin")) expect(all).not.toMatch(new RegExp(`pid"?:? ?${pid}\\b`));
    expect(all).not.toContain(stage.folder);
  }
  for (const words of ["RELAY_OFFICE_TOKEN", "mcpServers", "office-agent.mjs", "environment.json"]) expect(all).not.toContain(words);
});
