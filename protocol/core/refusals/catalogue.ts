/** All refusals: a command that succeeds makes none, and evaluates none of them. */
import { ARGUMENT_REFUSALS } from "./argument.ts";
import { ARTIFACT_REFUSALS } from "./artifact.ts";
import { DISK_REFUSALS } from "./disk.ts";
import { DISPATCH_REFUSALS } from "./dispatch.ts";
import { GIT_REFUSALS } from "./git.ts";
import { HOME_REFUSALS } from "./home.ts";
import { MESSAGE_REFUSALS } from "./message.ts";
import { OFFICE_REFUSALS } from "./office.ts";
import { PART_REFUSALS } from "./part.ts";
import { SESSION_REFUSALS } from "./session.ts";
import { SYNC_REFUSALS } from "./sync.ts";
import { TASK_REFUSALS } from "./task.ts";
import { TEAM_REFUSALS } from "./team.ts";
import { WAKE_REFUSALS } from "./wake.ts";

/** The catalogue: code → exit code and sentences. */
export const REFUSALS = {
  ...ARGUMENT_REFUSALS,
  ...PART_REFUSALS,
  ...MESSAGE_REFUSALS,
  ...SESSION_REFUSALS,
  ...TASK_REFUSALS,
  ...ARTIFACT_REFUSALS,
  ...TEAM_REFUSALS,
  ...OFFICE_REFUSALS,
  ...DISPATCH_REFUSALS,
  ...WAKE_REFUSALS,
  ...HOME_REFUSALS,
  ...DISK_REFUSALS,
  ...GIT_REFUSALS,
  ...SYNC_REFUSALS,
};
