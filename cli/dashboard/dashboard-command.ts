/** `relay dashboard`: the page of this home, until interrupted. */
import path from "node:path";
import { readFiles } from "../../dashboard/server/files.ts";
import { openPage } from "../../dashboard/server/page.ts";
import { serveDashboard } from "../../dashboard/server/serve.ts";
import { EXIT, HUMAN } from "../../protocol/index.ts";
import { refuse, runProgram, servedDashboard } from "../../protocol/internal.ts";
import type { Common } from "../commands.ts";

/** What the command line says. `home` may be given several times. */
interface Options extends Omit<Common, "home" | "at"> {
  home?: string[];
  port?: string;
  open?: boolean;
  readOnly?: boolean;
}

/** Serves, and prints the links; gives the exit code. @throws Refusal `usage`, `no_home`, `unknown_part` */
export async function dashboard(options: Options, version: string): Promise<number> {
  const port = portOf(options.port);
  const readOnly = options.readOnly === true;
  const homes: (string | undefined)[] = options.home ?? [undefined];
  const opened = homes.map((home) => openPage({ home, part: options.part ?? HUMAN, readOnly }));
  const pages = opened.filter((page, at) => opened.findIndex(({ id }) => id === page.id) === at);
  const say = (line: string, more: Record<string, unknown>): void => {
    process.stdout.write(options.json === true ? `${JSON.stringify({ schema: 1, success: true, ...more })}\n` : `${line}\n`);
  };
  const served = readOnly || pages.length !== 1 ? null : servedDashboard((pages[0] as (typeof pages)[number]).reader.home().store);
  if (served !== null) {
    const link = `${served.url}?token=${pages[0]?.token}`;
    say(`The dashboard of this home is served already: ${link}`, { port: served.port, links: [link], running: true });
    if (options.open === true) await openBrowser(link);
    return EXIT.ok;
  }
  const files = readFiles(path.join(__dirname, "dashboard"));
  const running = await serveDashboard({ pages, files, version, port }).catch((error: NodeJS.ErrnoException) => {
    throw refuse("usage", {
      problem: `--port: ${port} cannot be served (${error.code ?? error.message}).`,
      help: "Leave it out, and a free port is taken.",
    });
  });
  // Before anything is printed: whoever reads the link may end it at once.
  const ended = new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve());
  });
  const links = running.links.map(({ link }) => link);
  const lines = running.links.map(({ page, link }) => `${page.name}: ${link}`);
  say(lines.join("\n"), { port: running.port, links, running: false });
  for (const warning of running.warnings) process.stderr.write(`relay: ${warning}\n`);
  if (options.json !== true) process.stderr.write("Serving; Ctrl-C ends it. The link opens the page once; later its address is enough.\n");
  if (options.open === true) await openBrowser(links[0] as string);
  await ended;
  await running.close();
  return EXIT.ok;
}

/** The port that was asked for; null where none was. @throws Refusal `usage` */
function portOf(given: string | undefined): number | null {
  if (given === undefined) return null;
  const port = Number(given);
  if (/^\d{1,5}$/.test(given) && port > 0 && port < 65_536) return port;
  throw refuse("usage", {
    problem: `--port: expected a number from 1 to 65535, given ${JSON.stringify(given)}.`,
    help: "Example: `relay dashboard --port 4711`.",
  });
}

/** So long a program that opens a browser may take before it is left alone. */
const OPEN_MS = 10_000;

/** Opens a link in the browser that the system has for it; where there is none, the link was printed. */
async function openBrowser(link: string): Promise<void> {
  const opener =
    process.platform === "darwin" ? ["open"] : process.platform === "win32" ? ["rundll32", "url.dll,FileProtocolHandler"] : ["xdg-open"];
  const { exitCode } = await runProgram([...opener, link], { cwd: process.cwd(), env: process.env, timeoutMs: OPEN_MS });
  if (exitCode !== 0) process.stderr.write(`relay: ${opener[0]} could not open a browser; open the link yourself.\n`);
}
