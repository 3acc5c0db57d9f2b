/** `relay dashboard`: the page of this home, and of the others that the user named, until interrupted. */
import path from "node:path";
import { readFiles } from "../../dashboard/server/files.ts";
import { serveDashboard } from "../../dashboard/server/serve.ts";
import { refuse } from "../../protocol/core/refusal.ts";
import { EXIT } from "../../protocol/index.ts";
import type { Common } from "../commands.ts";
import { writeJson, writeOut } from "../print/output.ts";
import { markAskingTerminals } from "../print/terminal.ts";
import { choosePages, forgetHome, servedAlready } from "./choose-pages.ts";
import { openBrowser } from "./open-browser.ts";

/** What the command line says. `home` may be given several times. */
interface Options extends Omit<Common, "home" | "at"> {
  home?: string[];
  port?: string;
  open?: boolean;
  readOnly?: boolean;
  forget?: string;
}

/** Serves, and prints the links; gives the exit code. @throws Refusal `usage`, `no_home`, `unknown_part` */
export async function dashboard(options: Options, version: string): Promise<number> {
  const port = portOf(options.port);
  const say = (line: string, more: Record<string, unknown>): void => {
    if (options.json === true) writeJson({ schema: 1, success: true, ...more });
    else writeOut(`${line}\n`);
  };
  if (options.forget !== undefined) {
    const forgotten = forgetHome(options.forget, options.home?.[0]);
    say(`${forgotten} is off the list. The home itself is as it was.`, { forgotten });
    return EXIT.ok;
  }
  const { asked, beside, warnings } = choosePages(options);
  const served = options.readOnly === true ? null : servedAlready(asked, { part: options.part, port });
  if (served !== null) {
    const words = asked.length === 1 ? "The dashboard of this home is" : "The dashboards of these homes are";
    say(`${words} served already for ${served.part}: ${served.links.join("\n")}`, { ...served, running: true });
    if (options.open === true) await openBrowser(served.links[0] as string);
    return EXIT.ok;
  }
  const files = readFiles(path.join(__dirname, "dashboard"));
  const pages = [...asked, ...beside];
  const running = await serveDashboard({ pages, files, version, port, complete: markAskingTerminals }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.syscall !== "listen") throw error;
      const why = error.code ?? error.message;
      throw refuse("usage", {
        problem: port === null ? `no port of this machine can be served (${why}).` : `--port: ${port} cannot be served (${why}).`,
        help: port === null ? "Choose one: `relay dashboard --port 4711`." : "Leave it out, and a free port is taken.",
      });
    },
  );
  // Before anything is printed: whoever reads the link may end it at once.
  const ended = new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve());
  });
  const links = running.links.map(({ link }) => link);
  const lines = running.links.map(({ page, link }) => `${page.name}: ${link}`);
  say(lines.join("\n"), { port: running.port, links, running: false });
  for (const warning of [...warnings, ...running.warnings]) process.stderr.write(`relay: ${warning}\n`);
  if (options.json !== true)
    process.stderr.write("Serving; Ctrl-C ends it. Open the link once in each browser; later the address alone is enough.\n");
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
