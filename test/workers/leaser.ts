/**
 * Leases a part's wake and stops there, as a pager that is suspended would; when it goes on it commits and reports.
 * Arguments: the folder that holds the home, the part, the rung.
 */
import { answer, createWorld, operations } from "../../protocol/index.ts";

const [folder = ".", part = "web", rung = "exec"] = process.argv.slice(2);
const world = createWorld({ cwd: folder });
const say = (line: object): boolean => process.stdout.write(`${JSON.stringify(line)}\n`);

const lease = await answer(world, operations.wake_lease, { part, rung });
say({ lease });
process.kill(process.pid, "SIGSTOP");
const { wakeId } = lease as unknown as { wakeId: string };
say({ commit: await answer(world, operations.wake_commit, { part, wakeId }) });
say({ report: await answer(world, operations.wake_report, { part, wakeId, outcome: "typed" }) });
