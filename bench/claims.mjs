import path from "node:path";
import { emptyHome, settle } from "./rig/homes.mjs";
import { interleave, p50, p99, relay, row, run, scratch } from "./rig/measure.mjs";
import { startServer } from "./rig/server.mjs";

const ROUNDS = 60;

/** In each round a bare compare-and-set push of a new ref, a claim that the home decides, and one that the remote does. */
export async function measureClaims() {
  const hub = path.join(scratch(), "hub.git");
  run("git", ["init", "--quiet", "--bare", hub], path.dirname(hub));
  const [own, shared] = [emptyHome("web"), emptyHome("web")];
  run("git", ["remote", "add", "origin", hub], shared);
  settle(shared, "claims: remote\n");
  relay(shared, "sync");
  const servers = { local: await startServer(own), remote: await startServer(shared) };
  const claimer = async (server) => {
    await server.must("start_session", { agent_id: "main" });
    const tasks = [];
    for (let round = -1; round < ROUNDS; round += 1) {
      tasks.push((await server.must("create_task", { agent_id: "main", title: `Task ${round}`, description: "d" })).task_id);
    }
    return async (round) => {
      const started = performance.now();
      const { claimed, provisional } = await server.must("claim_task", { agent_id: "web", task_id: tasks[round + 1] });
      if (!claimed || provisional) throw new Error("a claim nobody else wants was not given");
      return performance.now() - started;
    };
  };
  const push = (round) => {
    const ref = `refs/bench/${round + 1}`;
    const id = run("git", ["rev-parse", "HEAD"], path.join(shared, ".relay")).trim();
    const started = performance.now();
    run("git", ["push", "--quiet", `--force-with-lease=${ref}:`, hub, `${id}:${ref}`], path.join(shared, ".relay"));
    return performance.now() - started;
  };
  const samples = await interleave(ROUNDS, { push, local: await claimer(servers.local), remote: await claimer(servers.remote) });
  for (const server of Object.values(servers)) await server.close();
  const baseline = (of) => ({ what: "bare push", figure: of(samples.push) });
  return [
    row("`claim_task`, decided by the home, p50", p50(samples.local)),
    row("`claim_task`, decided by a remote on this disk, p50", p50(samples.remote), {
      baseline: baseline(p50),
      bars: { ratio: 3, most: 60 },
    }),
    row("`claim_task`, decided by a remote on this disk, p99", p99(samples.remote), { baseline: baseline(p99) }),
  ];
}
