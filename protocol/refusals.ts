/** The list of refusals, of the core and of all packages: a command that succeeds makes none, and evaluates none of them. */

import { TEAM_REFUSALS } from "./agents/refusals.ts";
import { ARTIFACT_REFUSALS } from "./board/refusals/artifact.ts";
import { SESSION_REFUSALS } from "./board/refusals/session.ts";
import { TASK_REFUSALS } from "./board/refusals/task.ts";
import { ARGUMENT_REFUSALS } from "./core/refusals/argument.ts";
import { DISK_REFUSALS } from "./core/refusals/disk.ts";
import { GIT_REFUSALS } from "./core/refusals/git.ts";
import { HOME_REFUSALS } from "./core/refusals/home.ts";
import { MESSAGE_REFUSALS } from "./mail/refusals/message.ts";
import { PART_REFUSALS } from "./mail/refusals/part.ts";
import { DISPATCH_REFUSALS } from "./office/refusals/dispatch.ts";
import { OFFICE_REFUSALS } from "./office/refusals/office.ts";
import { REMOVAL_REFUSALS } from "./removal/refusals.ts";
import { SYNC_REFUSALS } from "./sync/refusals.ts";
import { WAKE_REFUSALS } from "./wake/refusals.ts";

/** The catalogue: code → exit code and sentences. */
export const REFUSALS = {
  ...ARGUMENT_REFUSALS,
  ...PART_REFUSALS,
  ...MESSAGE_REFUSALS,
  ...REMOVAL_REFUSALS,
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
