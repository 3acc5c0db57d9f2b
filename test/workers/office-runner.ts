/**
 * The runner of an office, which may be killed before its n-th change of the disk. Prints how many changes it made, where it came to its end.
 * Arguments: the folder that holds the home, and the change before which it is killed; never where it is 0.
 */
import { createWorld } from "../../protocol/index.ts";
import { runOffice } from "../../runner/run/run-office.ts";
import { disarm, interruptAt, passed } from "../rig/interrupt.ts";

const [folder = "", killedAt = "0"] = process.argv.slice(2);
const world = createWorld({ cwd: folder, env: { ...process.env } });
interruptAt(Number(killedAt), "SIGKILL", "changes");
await runOffice(world, new AbortController().signal);
disarm();
process.stdout.write(`${JSON.stringify({ changes: passed() })}\n`);
