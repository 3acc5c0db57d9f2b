import path from "node:path";
import * as z from "zod/mini";
import { hereFile } from "../../home/discover.ts";
import { tell } from "../../home/feed.ts";
import { linkWorktrees, sharedPart } from "../../home/git/create-home.ts";
import { changeConfig } from "../../home/home.ts";
import { makeInbox, unreadIds } from "../../home/part/inbox.ts";
import { isMember, members, requireMembers, twinOf } from "../../home/part/parts.ts";
import { followRenames } from "../../home/part/rename-part.ts";
import { flag, LIMITS, line, maybe } from "../../objects/format/schema.ts";
import { guestPath } from "../../objects/part/guest.ts";
import { HUMAN, inboxNew, inboxRead, partProblem } from "../../objects/part/part.ts";
import { isIgnored } from "../../objects/tree/layout.ts";
import { defineOperation } from "../../operation.ts";
import { refuse } from "../../refusal.ts";
import { removeBeside, writeBeside } from "../../store/beside.ts";
import { removeFile } from "../../store/files.ts";
import { names } from "../../store/read.ts";
import type { World } from "../../world.ts";

const PartId = z.string().check(z.minLength(1), z.describe("a part id, such as web or shop/api"));
const shared = { tool: null, effect: "write", idempotent: true, identity: "none", home: true } as const;

/** Refuses an id that is malformed, or that exists but for its case. */
function requireFree(world: World, part: string, allowed: string | null): void {
  const problem = partProblem(part);
  if (problem !== null) throw refuse("bad_part", { given: part, problem });
  const config = world.home().config();
  const now = [...config.parts].find(([other, { formerly }]) => other !== allowed && formerly.includes(part))?.[0];
  if (now !== undefined && !config.parts.has(part)) {
    throw refuse("part_protected", { part, reason: `it is the former name of "${now}", and older messages carry it; choose another name` });
  }
  // A guest that is added under its own name becomes a part.
  const existing = config.parts.has(part) && part !== allowed ? part : twinOf(world, part, allowed);
  if (existing !== null) throw refuse("part_exists", { given: part, existing });
}

/** Adds a part and makes its inbox. */
export const partAdd = defineOperation({
  ...shared,
  name: "part_add",
  command: "part add",
  summary: "Add a part: an address that messages can be sent to",
  when: "Add a part.",
  positionals: ["part"],
  input: () => z.object({ part: PartId, about: maybe(line(LIMITS.about, "what it is for, one line")) }),
  output: () => z.object({ part: z.string() }),
  example: { part: "web", about: "the storefront" },
  async run(world, { part, about }) {
    requireFree(world, part, null);
    const { store, config } = world.home();
    makeInbox(store, part, config().inTree);
    await changeConfig(world.home(), (config) => {
      if (config.parts.has(part)) throw refuse("part_exists", { given: part, existing: part });
      return { kind: "add", part, about };
    });
    removeFile(store, guestPath(part));
    tell(world, { type: "part:added", part });
    return { part };
  },
});

/** Renames a part; its inbox goes with it, and older messages still count as its own. */
export const partRename = defineOperation({
  ...shared,
  name: "part_rename",
  command: "part rename",
  summary: "Rename a part; its mail goes with it",
  when: "Rename a part.",
  positionals: ["from", "to"],
  input: () => z.object({ from: PartId, to: PartId }),
  output: () => z.object({ part: z.string(), formerly: z.string() }),
  example: { from: "web", to: "storefront" },
  async run(world, { from, to }) {
    const home = world.home();
    // Done already, or left half-way; then the look before this has moved the mail.
    const done = home.config().parts.get(to)?.formerly.includes(from) === true && !isMember(world, from);
    if (from === HUMAN) throw refuse("part_protected", { part: HUMAN, reason: "it stands for people, everywhere under this name" });
    if (!done) {
      requireMembers(world, [from]);
      if (!home.config().parts.has(from))
        throw refuse("part_protected", { part: from, reason: `it is a guest; \`relay part add ${from}\` makes it a part first` });
      requireFree(world, to, from === to ? null : from);
      if ([...names(home.store, inboxNew(to)), ...names(home.store, inboxRead(to))].some((name) => !isIgnored(name))) {
        throw refuse("part_protected", {
          part: from,
          reason: `mail in inbox/${to} is left from an earlier part of that name; choose another name`,
        });
      }
      if (to.startsWith(`${from}/`) || from.startsWith(`${to}/`)) {
        throw refuse("part_protected", { part: from, reason: "one name would lie inside the other" });
      }
      // What a full disk refuses is refused before the commit; after it, what of the mail cannot be moved now, a look moves.
      makeInbox(home.store, to, home.config().inTree);
      await changeConfig(home, (config) => {
        if (config.parts.has(to)) throw refuse("part_exists", { given: to, existing: to });
        return { kind: "rename", from, to };
      });
    }
    followRenames(world);
    if (!done) tell(world, { type: "part:renamed", part: to, formerly: from });
    return { part: to, formerly: from };
  },
});

/** Removes a part from `relay.yml`; what it wrote and read stays. */
export const partRemove = defineOperation({
  ...shared,
  name: "part_remove",
  command: "part remove",
  summary: "Remove a part; refused while it has unread mail, unless --force",
  when: "Remove a part.",
  effect: "destroy",
  positionals: ["part"],
  input: () => z.object({ part: PartId, force: flag("even with unread mail; its messages stay in their threads") }),
  output: () => z.object({ part: z.string(), unread: z.number() }),
  example: { part: "web" },
  async run(world, { part, force }) {
    const home = world.home();
    requireMembers(world, [part]);
    const { main } = home.config();
    if (part === HUMAN) throw refuse("part_protected", { part, reason: "it stands for people and always exists" });
    if (part === main) throw refuse("part_protected", { part, reason: "it is main; make another part main first (`relay part set-main`)" });
    const unread = unreadIds(home.store, part).length;
    if (unread > 0 && force !== true) throw refuse("part_has_mail", { part, unread });
    await changeConfig(home, (config) => (config.parts.has(part) ? { kind: "remove", part } : null));
    removeFile(home.store, guestPath(part));
    tell(world, { type: "part:removed", part });
    return { part, unread };
  },
});

/** Makes a part the one that coordinates. */
export const partSetMain = defineOperation({
  ...shared,
  name: "part_set_main",
  command: "part set-main",
  summary: "Make a part main: the one that coordinates",
  when: "Make a part main.",
  positionals: ["part"],
  input: () => z.object({ part: PartId }),
  output: () => z.object({ main: z.string(), before: z.string() }),
  example: { part: "web" },
  async run(world, { part }) {
    const home = world.home();
    requireMembers(world, [part]);
    const before = home.config().main;
    if (part === HUMAN) throw refuse("part_protected", { part, reason: "people cannot be woken to coordinate; choose an agent's part" });
    await changeConfig(home, (config) => {
      if (!config.parts.has(part))
        throw refuse("part_protected", { part, reason: `it is a guest; \`relay part add ${part}\` makes it a part first` });
      return { kind: "main", part };
    });
    tell(world, { type: "part:main", part });
    return { main: part, before };
  },
});

/** Says which part this worktree is; kept in git's per-worktree directory, never shared. */
export const partHere = defineOperation({
  ...shared,
  name: "part_here",
  command: "part here",
  summary: "Make this worktree a part: commands and agents started in it are that part",
  when: "Make this worktree a part.",
  positionals: ["part"],
  input: () => z.object({ part: maybe(PartId), unset: flag("forget it") }),
  output: () => z.object({ part: z.nullable(z.string()), worktree: z.string(), warning: z.optional(z.string()) }),
  example: { part: "web" },
  async run(world, { part, unset }) {
    const file = hereFile(world.cwd);
    if (file === null) throw refuse("not_in_git", { path: world.cwd, hint: "Use --part, or set RELAY_PART, where there is no worktree" });
    const worktree = path.dirname(file);
    if (unset === true) {
      removeBeside(file);
      return { part: null, worktree };
    }
    if (part === undefined) return { part: world.me.how === "default" ? world.me.part : null, worktree };
    requireMembers(world, [part]);
    writeBeside(file, `${part}\n`);
    linkWorktrees(world);
    const warning = sharedPart(world, part);
    return { part, worktree, ...(warning === null ? {} : { warning }) };
  },
});

/** Lists the parts of `relay.yml`. */
export const partList = defineOperation({
  ...shared,
  name: "part_list",
  command: "part list",
  summary: "List the parts and what they are for",
  when: "List the parts.",
  effect: "read",
  positionals: [],
  input: () => z.object({}),
  output: () =>
    z.object({
      main: z.string(),
      parts: z.array(z.object({ part: z.string(), about: z.optional(z.string()), session: z.optional(z.string()) })),
    }),
  example: {},
  async run(world) {
    const parts = members(world).map(({ part, about, session }) => ({
      part,
      ...(about === undefined ? {} : { about }),
      ...(session === null ? {} : { session }),
    }));
    return { main: world.home().config().main, parts };
  },
});
