/** Checks what only this machine knows. spec/check.md, "doctor". */
import { type Finding, found } from "../../objects/format/finding.ts";
import { outboxOf, partProblem } from "../../objects/part/part.ts";
import { removeFile } from "../../store/files.ts";
import { exists, names } from "../../store/read.ts";
import type { World } from "../../world.ts";
import { members } from "../part/members.ts";
import { heartbeats } from "../part/presence.ts";

/** Looks over what only this machine knows: presence and the outboxes. */
export function examineRun(world: World, findings: Finding[]): void {
  const { store } = world.home();
  const parts = new Set([
    ...members(world).map(({ part }) => part),
    ...names(store, "run/presence").filter((name) => partProblem(name) === null),
  ]);
  for (const part of parts) {
    for (const { path: at, live } of heartbeats(world, part)) {
      if (!live)
        findings.push(
          found("stale_presence", `a connection of "${part}" ended without removing its file`, {
            path: at,
            fix: () => void removeFile(store, at),
          }),
        );
    }
  }
  for (const { part } of members(world)) {
    for (const name of names(store, outboxOf(part))) {
      if (name.endsWith(".refused") && exists(store, `${outboxOf(part)}/${name.slice(0, -8)}`)) {
        findings.push(
          found("outbox_refused", "a message that could not be sent; the reason is in the .refused beside it", {
            path: `${outboxOf(part)}/${name.slice(0, -8)}`,
            remedy: "Correct the file, or remove it",
          }),
        );
      }
    }
  }
}
