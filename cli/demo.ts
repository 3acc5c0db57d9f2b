/**
 * `relay demo`: a scratch repository, its worktrees, and parts as real processes. One talks over MCP as an agent's host
 * would, others type commands, one has only a shell; everything shown is what these processes print.
 */
import { EXIT } from "../protocol/index.ts";
import { openBrowser } from "./dashboard/open-browser.ts";
import { boardActs } from "./demo/board-acts.ts";
import { machineActs } from "./demo/machine-acts.ts";
import { officeActs } from "./demo/office-acts.ts";
import { curtain, roomActs, setting } from "./demo/room-acts.ts";
import { type Act, Stage } from "./demo/stage.ts";
import { wakeActs } from "./demo/wake-acts.ts";

/** Every act, in the order in which they play. */
const ACTS: readonly Act[] = [setting, ...roomActs, ...boardActs, ...officeActs, ...machineActs, curtain, ...wakeActs];

/**
 * Runs the demonstration; gives the exit code.
 * @param options `clean` removes the scratch repository at the end; `dashboard` opens the home's page when the home is there, and serves it
 *   until interrupted
 */
export async function demo({ clean = false, dashboard = false }: { clean?: boolean; dashboard?: boolean }): Promise<number> {
  const stage = new Stage();
  stage.say("It plays for about 30 seconds, on a busy machine for 2 minutes, and keeps to one scratch folder.");
  try {
    for (const act of ACTS) {
      stage.title(act.title);
      await act.play(stage);
      if (dashboard && act === setting) await openBrowser(await stage.serve("shop"));
    }
    if (dashboard) {
      // Who reads that it waits may end it at once.
      const interrupted = stage.interrupted();
      stage.say(`\nThat was ${stage.seconds()} s and ${stage.processes} processes. The page is served until Ctrl-C.`);
      await interrupted;
    } else stage.say(`\nThat was ${stage.seconds()} s, ${stage.processes} processes, and no server: everything is in files.`);
    if (clean) stage.remove();
    else stage.lookAround();
    return EXIT.ok;
  } catch (error) {
    stage.say(`\nThe demonstration stopped. What it made is in ${stage.folder}`);
    throw error;
  } finally {
    await stage.disconnect();
  }
}
