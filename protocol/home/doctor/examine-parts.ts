/** Checks the inboxes and outboxes of parts, and which of them are connected. spec/check.md, "doctor". */
import { type Finding, found } from "../../objects/format/finding.ts";
import { guestPath } from "../../objects/part/nouns.ts";
import { inboxNew, keptOpen } from "../../objects/part/part.ts";
import { removeFile } from "../../store/files.ts";
import { exists, names } from "../../store/read.ts";
import type { World } from "../../world.ts";
import { idInInbox, isAcked, makeInbox } from "../part/inbox-files.ts";
import { members } from "../part/members.ts";
import { formerNames, moveMail } from "../part/rename-part.ts";

/** Examines the inbox of every part. */
export function examineInboxes(world: World): Finding[] {
  const { store, config } = world.home();
  const { inTree } = config();
  const findings: Finding[] = [];
  for (const { part, session } of members(world)) {
    world.progress?.(`inbox of ${part}`);
    const fix = (): void => makeInbox(store, part, inTree);
    if (!exists(store, inboxNew(part))) findings.push(found("no_inbox", `part "${part}" has no inbox`, { path: inboxNew(part), fix }));
    else if (inTree && !exists(store, keptOpen(part))) {
      const problem = "without it, git sees new/ as renamed once all mail is acked, and a pull moves new mail to read/";
      findings.push(found("no_gitkeep", problem, { path: keptOpen(part), fix }));
    }
    const guest = guestPath(part);
    if (session === null && exists(store, guest)) {
      const problem = "left from when this part was a guest";
      findings.push(found("guest_record", problem, { path: guest, fix: () => void removeFile(store, guest) }));
    }
    for (const name of names(store, inboxNew(part))) {
      const id = idInInbox(name);
      if (id === null || !isAcked(store, part, id)) continue;
      const path = `${inboxNew(part)}/${name}`;
      const problem = "it is acked, but its name in new/ still exists";
      findings.push(found("half_acked", problem, { path, fix: () => void removeFile(store, path) }));
    }
  }
  for (const [name, part] of formerNames(world)) {
    const problem = `mail of "${part}" is under its former name`;
    findings.push(found("former_inbox", problem, { path: inboxNew(name), fix: () => moveMail(world, name, part) }));
  }
  return findings;
}
