/** The number of the format never goes down in what a clone sends, whoever recorded it. spec/trust.md, "Formats". */
import { FORMAT } from "../../objects/config/config-schema.ts";
import type { Repository } from "../../store/git/git-run.ts";
import type { World } from "../../world.ts";
import { changeConfig } from "../change-config.ts";
import { formatIn } from "../git/branch-config.ts";
import { recordIn } from "./record-home.ts";

/**
 * Raises the format of this home to that of what the remote has: an older Relay that could not read that one recorded its own on
 * top of it. The caller holds the lock of records.
 * @returns the commit to send; null where `relay.yml` cannot be changed now, so that nothing may be sent
 */
export async function raiseFormat(world: World, repository: Repository, theirs: string, ours: string): Promise<string | null> {
  if (theirs === ours) return ours;
  const theirFormat = await formatIn(repository, theirs);
  // A format that this version does not know is not sent to at all.
  if (theirFormat > FORMAT || theirFormat <= (await formatIn(repository, ours))) return ours;
  if (world.home().configFault() !== null) return null;
  await changeConfig(world.home(), ({ format }) => (format >= theirFormat ? null : { kind: "format", format: theirFormat }));
  return (await recordIn(world, repository)).commit ?? ours;
}
