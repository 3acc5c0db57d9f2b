/** Which homes one dashboard shows: those that it is asked for, and those that the user named before. */
import path from "node:path";
import { openPage, type Page } from "../../dashboard/server/page.ts";
import { shellWord } from "../../protocol/core/format/shell-word.ts";
import { homeAt } from "../../protocol/core/home/find-home.ts";
import { refuse } from "../../protocol/core/refusal.ts";
import { createWorld, HUMAN } from "../../protocol/index.ts";
import { servedDashboard } from "../../protocol/status/files/dashboard-hold.ts";
import { stateFolder } from "../../protocol/trust/files/state-folder.ts";
import { listedHomes, listHomes, unlistHome } from "./listed-homes.ts";

/** So many of those that are too many are named. */
const NAMED = 5;

/** What the command line says of it. */
interface Asked {
  home?: string[];
  part?: string;
  readOnly?: boolean;
}

/** The pages of one dashboard. */
interface Chosen {
  /** Those of the homes that were named, or of the one around the working directory. */
  asked: Page[];
  /** Those of the other homes on the list. */
  beside: Page[];
  /** Sentences for the user: each home that is not shown, and why the list of homes could not be written. */
  warnings: string[];
}

/**
 * Opens the pages. Homes that are named come onto the list, unless nothing may be written.
 * @throws Refusal `no_home`, `unknown_part` of a home that was asked for
 */
export function choosePages({ home, part = HUMAN, readOnly = false }: Asked): Chosen {
  const named: (string | undefined)[] = home ?? [undefined];
  const opened = named.map((each) => openPage({ home: each, part, readOnly }));
  const asked = opened.filter((page, at) => opened.findIndex(({ root }) => root === page.root) === at);
  const world = (asked[0] as Page).reader;
  const warnings: string[] = [];
  const { homes: listed, tooMany } = listedHomes(world);
  const { problem } = stateFolder(world);
  if (problem !== null) warnings.push(`${problem}.`);
  if (home !== undefined && !readOnly) {
    try {
      listHomes(
        world,
        asked.map(({ root }) => root),
      );
    } catch (error) {
      warnings.push((error as Error).message);
    }
  }
  const left = tooMany.filter((root) => asked.every((page) => page.root !== root));
  if (left.length > 0) {
    const more = left.length > NAMED ? ` and ${left.length - NAMED} more` : "";
    const why = `at most ${listed.length} homes of the list are shown together; \`relay dashboard --forget HOME\` takes another one off it`;
    warnings.push(`not shown: ${left.slice(0, NAMED).join(", ")}${more}: ${why}.`);
  }
  const beside = listed.flatMap(({ root, isThere }) => {
    if (asked.some((page) => page.root === root)) return [];
    const how = `\`relay dashboard --forget ${shellWord(root)}\` takes it off the list.`;
    if (!isThere) warnings.push(`${root} is not shown: it is not a home any more. ${how}`);
    if (!isThere) return [];
    try {
      return [openPage({ home: root, part, readOnly })];
    } catch (error) {
      warnings.push(`${root} is not shown: ${(error as Error).message} ${how}`);
      return [];
    }
  });
  return { asked, beside, warnings };
}

/** Pages that are served already. */
interface ServedAlready {
  port: number;
  links: string[];
  /** The part that the page writes as. */
  part: string;
}

/**
 * The links of pages that one living process serves already, all of them at one port; null where it is not so.
 * @param wanted the part and the port that were asked for, where they were
 * @throws Refusal `usage` where they are served for another part, or at another port
 */
export function servedAlready(
  pages: readonly Page[],
  { part, port: wantedPort }: { part: string | undefined; port: number | null },
): ServedAlready | null {
  const all = pages.map((page) => ({ page, served: servedDashboard(page.reader) }));
  const [first] = all;
  if (first?.served == null) return null;
  const { port, part: writer } = first.served;
  if (!all.every(({ served }) => served?.port === port)) return null;
  const help = "End that one first (Ctrl-C where it runs), or leave this out.";
  if (part !== undefined && part !== writer)
    throw refuse("usage", { problem: `--part: the dashboard is served already, and writes as ${writer}, not as ${part}.`, help });
  if (wantedPort !== null && wantedPort !== port)
    throw refuse("usage", { problem: `--port: the dashboard is served already, at port ${port}, not at ${wantedPort}.`, help });
  return { port, part: writer, links: all.map(({ page, served }) => `${served?.url}?token=${page.token}`) };
}

/**
 * Takes a home off the list.
 * @param given the home, or the folder that holds it, be it there or not
 * @param home the value of `--home`
 * @returns its path
 * @throws Refusal `usage` where it is not on the list
 */
export function forgetHome(given: string, home: string | undefined): string {
  const world = createWorld({ home, person: true });
  const at = path.resolve(given);
  const { homes, tooMany } = listedHomes(world);
  const listed = [...homes.map((each) => each.root), ...tooMany];
  const root = listed.find((each) => [at, homeAt(at), path.join(at, ".relay"), path.join(at, "relay-home")].includes(each));
  if (root !== undefined && unlistHome(world, root)) return root;
  const words = listed.length === 0 ? "nothing is on it" : `these are: ${listed.join(", ")}`;
  throw refuse("usage", {
    problem: `--forget: ${at} is not on the list of homes; ${words}.`,
    help: listed.length === 0 ? "`relay dashboard --home FOLDER` puts a home onto it." : "Give one of these.",
  });
}
