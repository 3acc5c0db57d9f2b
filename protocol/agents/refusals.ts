/** Refusals about teams and the pool of agents. */
import { EXIT, entry } from "../core/refusals/entry.ts";

/** Code → the exit code of a refusal, and its sentence by its data. */
export const TEAM_REFUSALS = {
  no_team: entry(
    EXIT.notFound,
    (d: { path: string }) =>
      `this session has no team: ${d.path} does not exist. Make it with \`relay team write\`, from what \`relay team suggest\` proposes.`,
    (d) => `Session agents file not found: ${d.path}`,
  ),
  no_pool: entry(
    EXIT.notFound,
    (d: { path: string }) =>
      `there is no agent pool: ${d.path} does not exist. Make one with \`relay team write --pool\`, and edit its twelve roles by hand.`,
  ),
};
