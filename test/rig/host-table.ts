/** The table of `npm run test:agents -- --latest`: each host at its version, and what holds with it. */
import path from "node:path";
import type { Reporter, TestModule } from "vitest/node";
import { HOSTS } from "../../protocol/agents/hosts/index.ts";
import type { Installed } from "../agents/install.ts";

/** A reporter beside vitest's own. */
export class HostTable implements Reporter {
  /** Prints the versions, and a row for each file of tests, with a column for each host that is run. @param modules the files that ran */
  onTestRunEnd(modules: readonly TestModule[]): void {
    const hosts = HOSTS.filter(({ tested }) => tested !== null);
    const agents: Record<string, Installed | undefined> = modules[0]?.project.getProvidedContext().agents ?? {};
    const versionOf = (name: string): string => {
      const found = agents[name];
      return found !== undefined && "program" in found ? (found.program.split(`${name}@`)[1]?.split("/")[0] ?? "?") : "missing";
    };
    const rows = modules.map((module) => {
      const tests = [...module.children.allTests()];
      const cells = hosts.map(({ name, title }) => {
        const own = tests.filter(({ fullName }) => fullName.includes(title) || new RegExp(`\\b${name}\\b`).test(fullName));
        const states = own.map((test) => test.result().state);
        if (states.includes("failed")) return "fails";
        return states.includes("passed") ? "holds" : "-";
      });
      return [path.basename(module.relativeModuleId, ".test.ts"), ...cells];
    });
    const names = hosts.map(({ name }) => name);
    const table = [["", ...names], ["", ...names.map(versionOf)], ...rows.sort(([a = ""], [b = ""]) => (a < b ? -1 : 1))];
    for (const [first = "", ...cells] of table) console.log(first.padEnd(18) + cells.map((cell) => cell.padEnd(10)).join(""));
  }
}
