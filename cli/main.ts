/** The command: every operation, and the few things that never return. spec/commands.md, "Command line". */
import { EXIT } from "../protocol/index.ts";
import { usePackages } from "../protocol/packages.ts";
import { isTerminal, whenOutputFails } from "./print/output.ts";
import { run } from "./run-command.ts";

usePackages();
const args = process.argv.slice(2);
// A hook answers its agent, and ends; an agent takes exit code 2, which is a usage error elsewhere, for a veto.
if (args[0] === "hook" && !args.includes("--help") && !args.includes("-h"))
  void import("./hook-command.ts").then(async ({ hook }) => process.exit(await hook(args.slice(1))));
else {
  // A reader that went away (`relay threads | head`) is no fault. A server cleans up before it ends.
  if (args[0] !== "mcp") whenOutputFails((error) => process.exit(error.code === "EPIPE" ? 0 : 1));
  void run(args).then((code) => {
    process.exitCode = code;
    // A shell ends its own loop only where the signal ended the command: a person who typed Ctrl-C meant both.
    if (code === EXIT.interrupted && isTerminal("stderr")) process.removeAllListeners("SIGINT").kill(process.pid, "SIGINT");
    setImmediate(endWhereIdle);
  });
}

/**
 * Ends at once where nothing keeps this process running. Node would end as well, but wait first for what V8 compiles in other
 * threads, and give back piece by piece what the system frees all at once.
 */
function endWhereIdle(): void {
  process.once("beforeExit", () => process.exit());
  if (process.getActiveResourcesInfo().length === 0) process.exit();
}
