/** Checks what only this machine knows. spec/check.md, "doctor". */
import type { Finding } from "../../objects/format/finding.ts";
import { outboxOf, partProblem } from "../../objects/part/part.ts";
import { removeFile } from "../../store/files.ts";
import { exists, names } from "../../store/read.ts";
import type { World } from "../../world.ts";
import { heartbeats } from "../part/keep-presence.ts";
import { members } from "../part/members.ts";

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
        findings.push({
          severity: "note",
          code: "stale_presence",
          path: at,
          problem: `a connection of "${part}" died without saying so`,
          fix: () => void removeFile(store, at),
        });
    }
  }
  for (const { part } of members(world)) {
    for (const name of names(store, outboxOf(part))) {
      if (name.endsWith(".refused") && exists(store, `${outboxOf(part)}/${name.slice(0, -8)}`)) {
        findings.push({
          severity: "warning",
          code: "outbox_refused",
          path: `${outboxOf(part)}/${name.slice(0, -8)}`,
          problem: "a message that could not be sent; the reason is in the .refused beside it",
          remedy: "Correct the file, or remove it",
        });
      }
    }
  }
}
