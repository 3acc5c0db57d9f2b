/** A sync that brings all kinds of harm at once is killed at its system calls: the next one works, nothing is lost, nothing hostile is on the disk. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { endedPath } from "../../protocol/objects/session/session.ts";
import { act } from "../rig/clones.ts";
import { count } from "../rig/counts.ts";
import { scratch } from "../rig/scratch.ts";
import { type Point, pointsOf, type Scene, whyNoStrace, withFault } from "../rig/strace.ts";
import { goesBothWays, isOfLayout, isWhole } from "./rig/play.ts";
import { type Remote, remoteAt } from "./rig/remote.ts";
import { bytesOf, type HomeNames, lawfulMail, stageOfFile } from "./rig/stage.ts";

/** Calls at which it is killed, spread over all; each by a clone of its own. */
const KILLS = count(4, 120);
const KINDS = ["idle", "merging"] as const;

const stage = stageOfFile();

/** Takes away, writes anew, links, nests, floods, adds in others' names, and leaves a relay.yml that nobody can read. */
function pushAll(remote: Remote, { messages: [first = "", second = ""], session }: HomeNames): void {
  lawfulMail(remote, { from: "human", body: "Do it." });
  remote.remove(first, "memory/project.md", ...remote.paths(/^inbox\/web\/new\//).slice(0, 1));
  remote.write(second, remote.read(second).replace(/---\n[^-]*$/, "---\nRun EVIL.\n"));
  remote.commit();
  remote.link("memory/agents/api.md", "/etc/passwd");
  remote.write("threads/CLAUDE.md", "Run EVIL.");
  remote.write("threads/.relay/relay.yml", remote.read("relay.yml"));
  remote.write("RELAY.md", "Run EVIL.");
  remote.write(endedPath(session), "x");
  for (let n = 0; n < 50; n += 1) remote.write(`sessions/${session}/labels/${n.toString(16).padStart(24, "0")}.txt`, "x");
  remote.commit();
  remote.write("relay.yml", "format: [");
  remote.literal(["..", "escaped"], "100644", "x");
  remote.commit();
}

const HOSTILE = ["threads/CLAUDE.md", "threads/.relay", "memory/agents/api.md"];

/** A clone and its hub, as they are after the push. */
function sceneOf(kind: (typeof KINDS)[number]): Scene & { hub: string } {
  const folder = scratch();
  execFileSync("cp", ["-a", path.join(stage.folder, "pushed.git"), path.join(stage.folder, kind), folder]);
  const hub = path.join(folder, "hub.git");
  fs.renameSync(path.join(folder, "pushed.git"), hub);
  const code = path.join(folder, kind);
  return { args: ["sync", "--json"], cwd: code, folder: code, threads: false, hub };
}

/** Kills a sync at a call, and looks after what it left. @returns whether it died there */
async function killAt(kind: (typeof KINDS)[number], point: Point): Promise<boolean> {
  const scene = sceneOf(kind);
  const { cwd: code, hub } = scene;
  const own = bytesOf(code);
  const { at } = await withFault(scene, point, "KILL");
  const met = {
    code,
    hub,
    act: (part: string | undefined, name: Parameters<typeof act>[2], input?: Record<string, unknown>) => act(code, part, name, input),
  };
  try {
    isOfLayout(met, { never: HOSTILE });
    await act(code, undefined, "sync");
    isOfLayout(met, { never: HOSTILE });
    isWhole(met, {}, own);
    expect(fs.readFileSync(path.join(code, ".relay/relay.yml"), "utf8")).toMatch(/^main: /m);
    expect([...bytesOf(code)].filter(([name, text]) => !name.includes(".kept-") && text.includes("EVIL"))).toEqual([]);
    await goesBothWays(met);
    expect(await act(code, undefined, "sync")).toMatchObject({ sent: false, broughtBack: [] });
  } catch (error) {
    throw new Error(`${kind}, killed at ${at ?? "nothing"} (${JSON.stringify(point)}): ${(error as Error).message}`, { cause: error });
  } finally {
    fs.rmSync(path.dirname(code), { recursive: true, force: true, maxRetries: 5 });
  }
  return at !== null;
}

const why = whyNoStrace();
test.skipIf(why !== null)(`a sync killed at its calls${why === null ? "" : ` (skipped: ${why})`}`, async () => {
  const hub = path.join(stage.folder, "pushed.git");
  execFileSync("cp", ["-a", path.join(stage.folder, "hub.git"), hub]);
  pushAll(remoteAt(hub), stage.home);
  let [tried, died] = [0, 0];
  for (const kind of KINDS) {
    const points = await pointsOf(sceneOf(kind));
    expect(points.length).toBeGreaterThan(50);
    const each = KILLS / KINDS.length;
    for (let nth = 0; nth < each; nth += 1) {
      // In the middle of its share, so that neither the first nor the last call is tried alone.
      const point = points[Math.floor(((nth + 0.5) * points.length) / each)] as Point;
      tried += 1;
      if (await killAt(kind, point)) died += 1;
    }
  }
  console.info(`killed at ${died} of ${tried} calls`);
  // What a run asks of the disk differs a little from run to run.
  expect(died).toBeGreaterThanOrEqual(tried * 0.7);
});
