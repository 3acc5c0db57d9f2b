/** Programs that tests start, built from the sources as they are when a test first asks for one; `build.mjs` builds nothing twice. */
import { execFileSync } from "node:child_process";
import path from "node:path";

const ready = new Set<string>();

function build(as: string): void {
  if (ready.has(as)) return;
  execFileSync(process.execPath, ["build.mjs", "--tests", as], { stdio: ["ignore", "ignore", "inherit"] });
  ready.add(as);
}

/** The path of a built file. @param name its path in `dist` */
export function builtFile(name: string): string {
  build("--plain");
  return path.resolve("dist", name);
}

/** The folder of the product as it is handed out, but for the types of the library. */
export function distribution(): string {
  build("--fast");
  return path.resolve("dist");
}

/** The path of a built program of `test/workers`. @param name its file's name without extension */
export function builtWorker(name: string): string {
  build("--plain");
  return path.resolve("dist-test", `${name}.mjs`);
}
