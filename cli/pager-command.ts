import { runPager } from "../pager/run.ts";
import { createWorld, EXIT, type World } from "../protocol/index.ts";
import { requireMembers } from "../protocol/mail/files/members.ts";
import { holdLock } from "../protocol/store/lock.ts";
import type { Common } from "./commands.ts";
import { showPagers, startPager, stopPager } from "./pager-process.ts";
import { writeJson } from "./print/output.ts";
import { plainStyleFor } from "./print/style.ts";
import { plainLine } from "./print/words.ts";
import { printFields } from "./print-fields.ts";

/** What `relay pager` takes. */
interface PagerFlags extends Common {
  once?: boolean;
  dryRun?: boolean;
}

/** Does what was asked; gives the exit code. */
export async function pager(action: "run" | "start" | "stop" | "status" | "install" | "uninstall", options: PagerFlags): Promise<number> {
  const parts = options.part?.split(",") ?? null;
  const world = createWorld({ home: options.home });
  world.home().config();
  if (parts !== null) requireMembers(world, parts);
  const say = (words: string, fields: Record<string, unknown>): void => printFields(options, words, fields);
  switch (action) {
    case "run":
      return runHere(world, parts, options);
    case "start":
      // One at a time: of several who start it at once one does, and the others find it.
      return holdLock(world.home().store, "pager", () => startPager(world, parts, say));
    case "stop":
      return stopPager(world, say);
    case "status":
      return showPagers(world, say, (await import("./service.ts")).installedUnit(world));
    case "install":
    case "uninstall": {
      const { install, uninstall } = await import("./service.ts");
      return (action === "install" ? install : uninstall)(world, options.dryRun === true, say);
    }
  }
}

async function runHere(world: World, parts: string[] | null, options: PagerFlags): Promise<number> {
  const stopPager = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stopPager.abort());
  const style = plainStyleFor(process.stdout, process.env, Date.now());
  const print = (line: Record<string, unknown>): void => {
    if (options.json === true) writeJson({ at: new Date().toISOString(), ...line });
    else {
      const { type, ...rest } = line;
      const words = Object.entries(rest).flatMap(([name, value]) =>
        value === null || value === undefined ? [] : [`${name}=${plainLine(String(value))}`],
      );
      process.stdout.write(`${style.dim(new Date().toTimeString().slice(0, 8))}  ${style.bold(String(type))}  ${words.join("  ")}\n`);
    }
  };
  let printed = 0;
  const count = (line: Record<string, unknown>): void => {
    printed += 1;
    print(line);
  };
  await runPager({ world, parts, once: options.once === true, print: count, signal: stopPager.signal });
  if (options.once === true && printed === 0) process.stderr.write("No wake is owed.\n");
  return EXIT.ok;
}
