/**
 * Increments a counter in a file again and again, and says each number that it wrote. Its one argument is a `Plan`.
 * Nothing here loses power, so nothing waits for the disk.
 */
import { openStore } from "../../protocol/store/root.ts";
import { replaceFile } from "../../protocol/store/write/replace.ts";
import "../rig/end-with-parent.ts";
import { disarm, interruptAt } from "../rig/interrupt.ts";

/** What to do; `file` is a path in the home. */
export interface Plan {
  home: string;
  file: string;
  /** So many rounds. */
  rounds?: number;
  /** Or a signal to itself before this call of the disk, in the next round before the next, and so on, until a round has fewer. */
  sweep?: { signal: NodeJS.Signals; from: number };
}

const plan = JSON.parse(process.argv[2] ?? "{}") as Plan;
const store = { ...openStore(plan.home), durable: false };
const say = (line: object): boolean => process.stdout.write(`${JSON.stringify(line)}\n`);

async function increment(): Promise<number> {
  return Number(await replaceFile(store, plan.file, 64, (content) => `${Number(content ?? 0) + 1}\n`));
}

say({ ready: true });
for (let round = 0; round < (plan.rounds ?? 0); round += 1) say({ wrote: await increment() });

for (let call = plan.sweep?.from ?? 0, early = plan.sweep === undefined; !early; call += 1) {
  say({ call });
  interruptAt(call, plan.sweep?.signal as NodeJS.Signals);
  const wrote = await increment();
  early = disarm();
  say({ wrote, call, early });
  // Whoever sweeps looks now, and lets it go on.
  process.kill(process.pid, "SIGSTOP");
}
