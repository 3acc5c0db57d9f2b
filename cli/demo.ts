/**
 * `relay demo`: a scratch repository, its worktrees, and parts as real processes. One talks over MCP as an agent's host
 * would, others type commands, one has only a shell; everything shown is what these processes print. Without `--all` it fits on one screen.
 */
import { EXIT } from "../protocol/index.ts";
import { openBrowser } from "./dashboard/open-browser.ts";
import { boardActs } from "./demo/board-acts.ts";
import { machineActs } from "./demo/machine-acts.ts";
import { officeActs } from "./demo/office-acts.ts";
import { curtain, roomActs, setting } from "./demo/room-acts.ts";
import { shortActs } from "./demo/short-acts.ts";
import { type Act, Stage } from "./demo/stage.ts";
import { wakeActs } from "./demo/wake-acts.ts";

/** The next steps, in the reader's own repository. */
const YOURS = `
In your own repository:
  relay up --setup --allow --part web --worktree -- claude
  relay up --setup --allow --part api --worktree -- codex
  relay status                                        # everything on one screen`;

/** Every act, in the order in which they play. */
const ACTS: readonly Act[] = [setting, ...roomActs, ...boardActs, ...officeActs, ...machineActs, curtain, ...wakeActs];

/**
 * Runs the demonstration; gives the exit code.
 * @param options `all` plays everything, else one screen of it; `clean` removes the scratch repository at the end; `dashboard` opens the home's page when the home is there, and serves it
 *   until interrupted
 */
export async function demo({
  all = false,
  clean = false,
  dashboard = false,
}: {
  all?: boolean;
  clean?: boolean;
  dashboard?: boolean;
}): Promise<number> {
  const acts = all ? ACTS : shortActs;
  const stage = new Stage();
  stage.say(`Parts in worktrees of one repository, in a scratch folder; about ${all ? 30 : 10} seconds.`);
  try {
    for (const act of acts) {
      stage.title(act.title);
      await act.play(stage);
      if (dashboard && act === acts[0]) await openBrowser(await stage.serve("shop"));
    }
    if (dashboard) {
      // Who reads that it waits may end it at once.
      const interrupted = stage.interrupted();
      stage.say(`\nThat was ${stage.seconds()} s and ${stage.processes} processes. The page is served until Ctrl-C.`);
      await interrupted;
    } else stage.say(`\nThat was ${stage.seconds()} s, ${stage.processes} processes, and no server: everything is in files.`);
    if (clean) stage.remove();
    else stage.lookAround();
    if (!all) stage.say(`${YOURS}\nMore of it, an office and two machines too: relay demo --all`);
    return EXIT.ok;
  } catch (error) {
    stage.say(`\nThe demonstration stopped. What it made is in ${stage.folder}`);
    throw error;
  } finally {
    await stage.disconnect();
  }
}
