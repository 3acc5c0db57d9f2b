import { createWorld, EXIT } from "../protocol/index.ts";
import { runOffice } from "../runner/run/run-office.ts";
import type { Common } from "./commands.ts";

/** `relay office run`: the runner of a home, until nothing is left to do, or a signal ends it; gives the exit code. */
export async function officeRun(options: Common): Promise<number> {
  const world = createWorld({ home: options.home });
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stop.abort());
  world.home().config();
  await runOffice(world, stop.signal);
  return EXIT.ok;
}
