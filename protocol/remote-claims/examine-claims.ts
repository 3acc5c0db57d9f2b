/** The examination by `doctor` of a home whose remote decides claims. spec/check.md, "doctor". */

import { CONFIG_PATH } from "../core/config/config-schema.ts";
import { type Finding, found } from "../core/format/finding.ts";
import type { World } from "../core/world.ts";
import { keptRemote } from "../git/home/keep-remote.ts";
import { notedStrays } from "./remote-notes.ts";

/** Claims that a remote is to decide, where there is none to ask, and what lies among its refs of claims. */
export async function* examineClaims(world: World): AsyncGenerator<Finding> {
  if (world.home().config().claims !== "remote") return;
  const remote = await keptRemote(world);
  const strays = remote === null ? null : notedStrays(world, remote);
  if (strays !== null) yield found("stray_refs", strays);
  if (remote !== null) return;
  const problem = "it says `claims: remote`, but no sync chose a remote on this machine yet, so this machine decides claims by itself";
  const remedy = "Choose one (`relay sync`, or `relay sync --remote NAME`), or set `claims: local`";
  yield found("nobody_decides", problem, { path: CONFIG_PATH, remedy });
}
