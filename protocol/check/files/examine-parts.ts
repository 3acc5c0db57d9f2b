/** Checks what each part has here: its inbox and its outbox, and which of its connections are alive. spec/check.md, "doctor". */
import { type Finding, found } from "../../core/format/finding.ts";
import { partProblem } from "../../core/names.ts";
import type { World } from "../../core/world.ts";
import { idInInbox, isAcked, makeInbox } from "../../mail/files/inbox-files.ts";
import { members } from "../../mail/files/members.ts";
import { heartbeats, sessionsOf } from "../../mail/files/presence.ts";
import { formerNames, moveMail } from "../../mail/files/rename-part.ts";
import { inboxNew, keptOpen, outboxOf, presenceFolder } from "../../mail/nouns/part.ts";
import { guestPath } from "../../mail/nouns/part-nouns.ts";
import { exists } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import { removeFile } from "../../store/write/move-file.ts";

/** Checks the inbox of every part. Writes nothing. */
export function* examineInboxes(world: World): Generator<Finding> {
  const { store, config } = world.home();
  const { inTree } = config();
  for (const { part, session } of members(world)) {
    world.progress?.(`inbox of ${part}`);
    const [inbox, guest] = [inboxNew(part), guestPath(part)];
    const fix = (): void => makeInbox(store, part, inTree);
    const split = "without it, git sees new/ as renamed once all mail is acked, and a pull moves new mail to read/";
    if (!exists(store, inbox)) yield found("no_inbox", `part "${part}" has no inbox`, { path: inbox, fix });
    else if (inTree && !exists(store, keptOpen(part))) yield found("no_gitkeep", split, { path: keptOpen(part), fix });
    if (session === null && exists(store, guest))
      yield found("guest_record", "left from when this part was a guest", { path: guest, fix: () => void removeFile(store, guest) });
    for (const name of names(store, inbox)) {
      const id = idInInbox(name);
      const path = `${inbox}/${name}`;
      if (id !== null && isAcked(store, part, id))
        yield found("half_acked", "it is acked, but its name in new/ still exists", { path, fix: () => void removeFile(store, path) });
    }
  }
  for (const [name, part] of formerNames(world)) {
    const fix = (): void => moveMail(world, name, part);
    yield found("former_inbox", `mail of "${part}" is under its former name`, { path: inboxNew(name), fix });
  }
}

/** Checks what processes of this machine left: connections that ended without a word, and drafts that were refused. Writes nothing. */
export function* examineConnections(world: World): Generator<Finding> {
  const { store } = world.home();
  const parts = members(world).map(({ part }) => part);
  for (const part of parts) {
    const sessions = sessionsOf(world, part).map(({ agent }) => agent.name);
    if (sessions.length > 1)
      yield found(
        "shared_part",
        `${sessions.length} sessions are "${part}" (${sessions.join(", ")}): mail that one acks, the others do not see`,
        {
          path: presenceFolder(part),
          remedy: `Give each a part and a worktree of its own: \`relay part add NAME\`, \`git worktree add ../NAME\`, and there \`relay part here NAME\``,
        },
      );
  }
  const seen = names(store, "run/presence").filter((name) => partProblem(name) === null);
  for (const part of new Set([...parts, ...seen]))
    for (const { path, live } of heartbeats(world, part))
      if (!live) {
        const problem = `a connection of "${part}" ended without removing its file`;
        yield found("stale_presence", problem, { path, fix: () => void removeFile(store, path) });
      }
  for (const part of parts)
    for (const name of names(store, outboxOf(part))) {
      const path = `${outboxOf(part)}/${name.slice(0, -".refused".length)}`;
      const problem = "a message that could not be sent; the reason is in the .refused beside it";
      if (name.endsWith(".refused") && exists(store, path))
        yield found("outbox_refused", problem, { path, remedy: "Correct the file, or remove it" });
    }
}
