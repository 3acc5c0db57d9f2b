/** Taking a part out of another again that a commit made one with it: its names, its mail, and whether it is main. spec/trust.md, "Undo". */
import { acted } from "../../core/act.ts";
import { parseConfig } from "../../core/config/config.ts";
import { type MessageLocation, parseMessageId } from "../../core/format/id.ts";
import { changeConfig } from "../../core/home/change-config.ts";
import type { Changed } from "../../core/noun/noun-effects.ts";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { gitResult } from "../../git/git-run.ts";
import { requireRepository } from "../../git/home/repository.ts";
import { ackOne, idInInbox, isAcked, makeInbox, putInInbox, readDays, readIds, unreadIds } from "../../mail/files/inbox-files.ts";
import { namesOf, renamedTo, twinOf } from "../../mail/files/members.ts";
import { readMessage } from "../../mail/files/read-message.ts";
import { messagePath } from "../../mail/nouns/message.ts";
import { readPath } from "../../mail/nouns/part.ts";
import { linkFile } from "../../store/write/publish.ts";
import type { Undone } from "./undo-commit.ts";
import { undoMail } from "./undo-mail.ts";

/** A part that a commit made one with another. */
interface Merged {
  commit: string;
  /** What this clone had before it. */
  base: string;
  part: string;
  /** The part that it became. */
  to: string;
  /** Who takes the commit back. */
  by: string;
}

/** Whether a commit made a part one with others: what it became was there before, or became of several. */
export function isMerged({ before, after }: Changed, part: string, to: string): boolean {
  const [was, is] = [parseConfig(before ?? ""), parseConfig(after ?? "")];
  const others = (is.parts.get(to)?.formerly ?? []).filter((name) => name !== part && was.parts.has(name) && !is.parts.has(name));
  return was.parts.has(to) || others.length > 0;
}

/**
 * Makes a part again, of the part that has its name as a former one: with the names, the description and the mail that it had.
 * @returns null where it is a part, or nobody's former name
 * @throws Refusal `part_exists` where another name differs from it in case alone
 */
export async function splitPart(world: World, { commit, base, part, to, by }: Merged, { before }: Changed): Promise<Undone> {
  const home = world.home();
  const holder = renamedTo(world, part);
  const was = parseConfig(before ?? "");
  if (home.config().parts.has(part) || holder === null || (holder !== to && !was.parts.has(holder))) return null;
  const twin = twinOf(world, part, null);
  if (twin !== null) throw refuse("part_exists", { given: part, existing: twin });
  const { about, formerly = [] } = was.parts.get(part) ?? {};
  const wasUnread = await unreadBefore(world, base, part);
  makeInbox(home.store, part, home.config().inTree);
  await changeConfig(home, ({ parts, main }) =>
    parts.has(part) ? null : { kind: "split", from: holder, part, about, formerly, main: was.main === part && main === holder },
  );
  const lost = divideMail(world, {
    ...{ holder, part, names: new Set([part, ...formerly]), wasUnread },
    holderUnread: await unreadBefore(world, base, holder),
  });
  undoMail(world, { commit, how: "acked" }, holder, lost, by);
  acted(world, { event: { type: "part:added", part } });
  return `made ${part} a part again, with its mail from ${holder}`;
}

/** The messages that a part had not read in a commit. */
async function unreadBefore(world: World, commit: string, part: string): Promise<Set<string>> {
  const listed = await gitResult(requireRepository(world), ["ls-tree", "--name-only", "-z", `${commit}:inbox/${part}/new`]);
  return new Set(
    listed.code === 0
      ? listed.out
          .toString("utf8")
          .split("\0")
          .flatMap((name) => idInInbox(name) ?? [])
      : [],
  );
}

/** What mail to divide: of which part, by which names, and what either had not read before. */
interface Division {
  holder: string;
  part: string;
  names: ReadonlySet<string>;
  wasUnread: ReadonlySet<string>;
  holderUnread: ReadonlySet<string>;
}

/**
 * Gives a part the mail that was written to it; what was not written to the other part as well counts as read there.
 * @returns what was written to both, and counts as read by the other part because this one had read it
 */
function divideMail(world: World, { holder, part, names, wasUnread, holderUnread }: Division): string[] {
  const { store } = world.home();
  const left = namesOf(world, holder);
  const recipients = (id: string): readonly string[] => {
    const location = parseMessageId(id) as MessageLocation;
    return readMessage(store, location, messagePath(location), [])?.to ?? [];
  };
  const deliver = (id: string): void => {
    if (!isAcked(store, part, id)) putInInbox(store, part, id, messagePath(parseMessageId(id) as MessageLocation));
  };
  const acked: string[] = [];
  const lost: string[] = [];
  for (const day of readDays(store, holder)) {
    for (const id of readIds(store, holder, day)) {
      if (!recipients(id).some((name) => names.has(name))) continue;
      if (holderUnread.has(id)) lost.push(id);
      if (wasUnread.has(id)) deliver(id);
      else if (linkFile(store, readPath(holder, id, day), readPath(part, id, day)) === "created") acked.push(readPath(part, id, day));
    }
  }
  for (const id of unreadIds(store, holder)) {
    const to = recipients(id);
    if (!to.some((name) => names.has(name))) continue;
    deliver(id);
    if (!to.some((name) => left.includes(name)) && ackOne(store, holder, id) === "acked")
      acked.push(readPath(holder, id, (parseMessageId(id) as MessageLocation).day));
  }
  acted(world, { paths: acked });
  return lost;
}
