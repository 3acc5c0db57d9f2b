/**
 * The members that can get messages: the parts of `relay.yml` and the guests that joined; which names mean one of them (older files
 * name a renamed part by its former names, as long as no other part or guest has them); and which of them calls. SPEC.md, "Parts" and
 * "Guest".
 */
import { orElse } from "../../core/format/file-error.ts";
import { FILE_BYTES } from "../../core/format/schema.ts";
import { type Caller, HUMAN, nearest, partProblem, TOKEN_VARIABLE } from "../../core/names.ts";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { exists } from "../../store/read/facts.ts";
import { entries } from "../../store/read/list-folder.ts";
import { readText } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";
import { namesBoundAs } from "../../trust/files/names-here.ts";
import { office } from "../asks.ts";
import { type Guest, guestPath, parseGuest } from "../nouns/part-nouns.ts";
import { inboxesOf, sortRead } from "./inbox-files.ts";

const GUEST_BYTES = FILE_BYTES.guest;

/** A part or a guest, with what is known about it. */
export interface Member {
  part: string;
  about?: string | undefined;
  /** The session a guest joined; null for a part of `relay.yml`. */
  session: string | null;
}

/**
 * Every folder under `inbox/` that is an inbox: it has a `new/` or a guest's record.
 * @param look called with the path of each folder, before it is listed
 */
export function inboxFolders(store: Store, look: (folder: string) => void = () => {}): string[] {
  const found: string[] = [];
  const walk = (prefix: string, depth: number): void => {
    const folder = prefix === "" ? "inbox" : `inbox/${prefix}`;
    look(folder);
    for (const entry of entries(store, folder)) {
      if (entry.kind !== "folder") continue;
      const part = prefix === "" ? entry.name : `${prefix}/${entry.name}`;
      if (partProblem(part) !== null) continue;
      found.push(part);
      if (depth < 3) walk(part, depth + 1);
    }
  };
  walk("", 1);
  return found;
}

/** The record of a guest; null where there is none that can be read. */
export function guestRecord(store: Store, part: string): Guest | null {
  return orElse(null, () => {
    // Most names that are asked for are former ones, and no guest's: one read is enough to say so.
    if (!exists(store, guestPath(part))) return null;
    const source = readText(store, guestPath(part), GUEST_BYTES);
    return source === null ? null : parseGuest(source);
  });
}

/**
 * Every part and guest there is: those of `relay.yml` in their order, then `human`, then guests by name.
 * @param folders those of `inbox/`, where the caller listed them just now
 */
export function members(world: World, folders?: readonly string[]): Member[] {
  const home = world.home();
  const config = home.config();
  const parts: Member[] = [...config.parts].map(([part, { about }]) => ({ part, about, session: null }));
  const guests = (folders ?? inboxFolders(home.store))
    .filter((part) => !config.parts.has(part))
    .flatMap((part) => {
      const guest = guestRecord(home.store, part);
      return guest === null ? [] : [{ part, session: guest.session }];
    });
  return [...parts, ...guests];
}

/** Puts what hands moved to `read/` of any member into its day, before a look at the whole home. */
export function sortAllRead(world: World): void {
  const { store } = world.home();
  if (world.past !== undefined || store.foreign !== null) return;
  // Where nothing says who there is, nothing is sorted.
  for (const { part } of orElse([], () => members(world))) sortRead(store, part);
}

/** Whether an id is a part, a guest or a position. Cheaper than `members` for one id. */
export function isMember(world: World, part: string): boolean {
  const home = world.home();
  return home.config().parts.has(part) || isGuest(home.store, part) || office().isPosition(world, part);
}

const isGuest = (store: Store, part: string): boolean => partProblem(part) === null && guestRecord(store, part) !== null;

/** Those of some members that are positions of the office. Of a name in `relay.yml` no file is read. */
export function positionsAmong(world: World, names: readonly string[]): string[] {
  const { parts } = world.home().config();
  return names.filter((name) => !parts.has(name) && office().isPosition(world, name));
}

/** As `isMember`, for very many ids. */
export function membership(world: World): (part: string) => boolean {
  const { store, config } = world.home();
  const { parts } = config();
  const mayBeThere = inboxesOf(store);
  return (part) => parts.has(part) || (mayBeThere(part) && isGuest(store, part)) || office().isPosition(world, part);
}

/** @throws Refusal `bad_part` */
export function requirePartId(part: string): void {
  const problem = partProblem(part);
  if (problem !== null) throw refuse("bad_part", { given: part, problem });
}

/**
 * Checks that every id is one that can be written to.
 * @throws Refusal `bad_part`, `unknown_part` naming the nearest
 */
export function requireMembers(world: World, parts: readonly string[]): void {
  for (const part of parts) requirePartId(part);
  const unknown = parts.filter((part) => !isMember(world, part));
  if (unknown.length > 0) throw unknownPart(world, unknown);
}

function unknownPart(world: World, given: string[], became?: string): Error {
  const renamed = given.flatMap((part) => renamedTo(world, part) ?? []);
  const known = members(world).map(({ part }) => part);
  const near = given.flatMap((part) => nearest(part, known));
  const inTurn = (world.env[TOKEN_VARIABLE] ?? "") === "" ? {} : { inTurn: true };
  return refuse("unknown_part", { given, nearest: [...new Set([...renamed, ...near])].slice(0, 3), became, ...inTurn });
}

/** The name of a part or guest as it is now; null when there is none of that name, now or formerly. */
export const currentName = (world: World, name: string): string | null => (isMember(world, name) ? name : renamedTo(world, name));

/** The names that a part had before, the oldest first; without those that are somebody's again. */
export function formerNamesOf(world: World, part: string): string[] {
  const { store, config } = world.home();
  const { parts } = config();
  return (parts.get(part)?.formerly ?? []).filter((name) => !parts.has(name) && !isGuest(store, name));
}

/** What a part is called now that once had a name; null when none had. */
export function renamedTo(world: World, name: string): string | null {
  for (const [part, { formerly }] of world.home().config().parts) if (formerly.includes(name)) return part;
  return null;
}

/** The names under which a person may have bound a part to this copy of the project: its name now, then former ones, the newest first. */
export const boundNamesOf = (world: World, part: string): string[] => namesBoundAs(world, part, formerNamesOf(world, part).reverse());

/**
 * The name of now of whoever is bound to a name here; null where there is none, or where the name became that of a part that there was
 * already: who was bound to one of two parts never acts as the other.
 */
export function ownName(world: World, name: string): string | null {
  const now = currentName(world, name);
  return now === null || now === name || boundNamesOf(world, now).includes(name) ? now : null;
}

/** The parts that `*` means: all but the sender and `human`. */
export function everyoneBut(world: World, sender: string): string[] {
  return members(world)
    .map(({ part }) => part)
    .filter((part) => part !== sender && part !== HUMAN);
}

/** What a part is called now; a name that nobody has stays as it is. */
export const nameNow = (world: World, name: string): string => currentName(world, name) ?? name;

/** Every name that means the same part as the one given: its name now first, then its former ones, the newest first. */
export function namesOf(world: World, name: string): string[] {
  const now = nameNow(world, name);
  return [now, ...formerNamesOf(world, now).reverse()];
}

/** Whether two names mean one part. */
export const isSamePart = (world: World, one: string, other: string): boolean => one === other || namesOf(world, one).includes(other);

/** Refuses an id that differs from a known one only in case, whole or up to a "/". @throws Refusal `bad_part`, `part_exists` */
export function requireDistinct(world: World, part: string): void {
  requirePartId(part);
  if (isMember(world, part)) return;
  const twin = twinOf(world, part, null);
  if (twin !== null) throw refuse("part_exists", { given: part, existing: twin });
}

/** A part or guest that an id differs from only in case, whole or up to a "/": where case does not count they share a folder. */
export function twinOf(world: World, part: string, but: string | null): string | null {
  const twin = members(world).find((known) => known.part !== but && isTwin(known.part.split("/"), part.split("/")));
  return twin?.part ?? null;
}

const isTwin = (one: readonly string[], other: readonly string[]): boolean =>
  one.slice(0, other.length).some((_, at) => {
    const [here = "", there = ""] = [one, other].map((segments) => segments.slice(0, at + 1).join("/"));
    return here !== there && here.toLowerCase() === there.toLowerCase();
  });

/**
 * Who a call is from: the part that the connection is bound to, or the id that the call names.
 * @param agentId what the call says; only a connection that is not bound may say another than its own
 * @param operation the operation's name, for the refusal
 * @throws Refusal `who_are_you`, `bound_elsewhere`, `part_contradicted`, `bad_part`; `unknown_part` for a bound part that does not exist, and
 *   for a name that became that of another part;
 *   `part_exists` for an id that differs from a known one only in case, so that it can never join
 */
export function callerOf(world: World, agentId: string | undefined, operation: string): Caller {
  const { me } = world;
  if (me.said !== undefined) throw refuse("part_contradicted", me.said);
  if (agentId !== undefined) requirePartId(agentId);
  const own = me.part === null ? null : ownName(world, me.part);
  // A person types commands. An agent that a worktree made a part may lend its connection to other agents, and never to a person.
  const isPerson = me.how === "default" && world.connection.lasting && agentId === HUMAN;
  if ((me.how === "bound" || isPerson) && agentId !== undefined && agentId !== me.part && agentId !== own) {
    throw refuse("bound_elsewhere", { boundTo: me.part as string, given: agentId });
  }
  const part = agentId ?? me.part;
  if (part === null) throw refuse("who_are_you", { operation, parts: members(world).map((member) => member.part) });
  const renamed = isMember(world, part) ? null : renamedTo(world, part);
  if (renamed !== null && ownName(world, part) === null) throw unknownPart(world, [part], renamed);
  if (renamed !== null) return { part: renamed, warning: renamedWarning(part, renamed) };
  if (agentId === undefined || me.how === "bound") requireMembers(world, [part]);
  if (isMember(world, part)) return { part };
  requireDistinct(world, part);
  return { part, isNew: true };
}

export const renamedWarning = (former: string, now: string): string =>
  `${JSON.stringify(former)} is called ${JSON.stringify(now)} now; use that name`;
