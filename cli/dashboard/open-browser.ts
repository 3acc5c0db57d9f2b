/** Opens a link in the browser that the system has for it. */
import { onceLink } from "../../dashboard/server/once.ts";
import { withOwnPath } from "../../protocol/store/program.ts";
import { runProgram } from "../../protocol/store/run.ts";

/** So long a program that opens a browser may take before it is left alone. */
const OPEN_MS = 10_000;

/**
 * Opens a page; where no browser can be opened, stderr says so, and the link was printed.
 * @param link the one with the page's token; other users of the machine see only one that opens the page once
 */
export async function openBrowser(link: string): Promise<void> {
  const opener =
    process.platform === "darwin" ? ["open"] : process.platform === "win32" ? ["rundll32", "url.dll,FileProtocolHandler"] : ["xdg-open"];
  const { exitCode } = await runProgram([...opener, onceLink(link, Date.now())], {
    cwd: process.cwd(),
    env: withOwnPath(process.env),
    timeoutMs: OPEN_MS,
  });
  if (exitCode !== 0) process.stderr.write(`relay: ${opener[0]} could not open a browser; open the link yourself.\n`);
}
