/**
 * Leases a part's wake and stops there, as a pager that is suspended would; when it goes on it commits and reports.
 * Arguments: the folder that holds the home, the part, the rung, and maybe `committed`, to stop once it has committed.
 */
import { answer, createWorld, operations } from "../../protocol/index.ts";

const [folder = ".", part = "web", rung = "exec", stop = "leased"] = process.argv.slice(2);
const world = createWorld({ cwd: folder });
const say = (line: object): boolean => process.stdout.write(`${JSON.stringify(line)}\n`);
const stopOnce = (at: string): unknown => stop === at && process.kill(process.pid, "SIGSTOP");

const lease = await answer(world, operations.wake_lease, { part, rung });
say({ lease });
stopOnce("leased");
const { wakeId } = lease as unknown as { wakeId: string };
say({ commit: await answer(world, operations.wake_commit, { part, wakeId }) });
stopOnce("committed");
say({ report: await answer(world, operations.wake_report, { part, wakeId, outcome: "typed" }) });
