/**
 * `relay demo`: a scratch repository, its worktrees, and parts as real processes. One talks over MCP as an agent's host
 * would, others type commands, one has only a shell; everything shown is what these processes print.
 */
import { EXIT } from "../protocol/index.ts";
import { boardActs } from "./demo/board-acts.ts";
import { machineActs } from "./demo/machine-acts.ts";
import { officeActs } from "./demo/office-acts.ts";
import { curtain, roomActs, setting } from "./demo/room-acts.ts";
import { type Act, Stage } from "./demo/stage.ts";
import { wakeActs } from "./demo/wake-acts.ts";

/** Every act, in the order in which they play. */
const ACTS: readonly Act[] = [setting, ...roomActs, ...boardActs, ...officeActs, ...machineActs, curtain, ...wakeActs];

/** Runs the demonstration; gives the exit code. @param clean removes the scratch repository at the end */
export async function demo(clean: boolean): Promise<number> {
  const stage = new Stage();
  stage.say("It plays for about 30 seconds, on a busy machine for 2 minutes, and keeps to one scratch folder.");
  try {
    for (const { title, play } of ACTS) {
      stage.title(title);
      await play(stage);
    }
    stage.say(`\nThat was ${stage.seconds()} s, ${stage.processes} processes, and no server: everything is in files.`);
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
