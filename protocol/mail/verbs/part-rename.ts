import * as z from "zod/mini";
import { acted } from "../../core/act.ts";
import { changeConfig } from "../../core/home/change-config.ts";
import { HUMAN } from "../../core/names.ts";
import { defineOperation } from "../../core/operation.ts";
import { refuse } from "../../core/refusal.ts";
import { isIgnored } from "../../core/tree/layout.ts";
import { names } from "../../store/read/list-folder.ts";
import { noteNames } from "../../trust/files/names-here.ts";
import { makeInbox } from "../files/inbox-files.ts";
import { isMember, requireMembers } from "../files/members.ts";
import { followRenames } from "../files/rename-part.ts";
import { inboxNew, inboxRead } from "../nouns/part.ts";
import { PartArgument } from "./part-argument.ts";
import { requireFreePart } from "./require-free-part.ts";

/** Renames a part; its inbox goes with it, and older messages still count as its own. */
export const part_rename = defineOperation({
  name: "part_rename",
  summary: "Rename a part; it keeps its mail",
  effect: "write",
  idempotent: true,
  identity: "none",
  positionals: ["from", "to"],
  input: () => ({ from: PartArgument, to: PartArgument }),
  output: () => ({ part: z.string(), formerly: z.string() }),
  example: { from: "web", to: "storefront" },
  async run(world, { from, to }) {
    const home = world.home();
    // Done already, or left half-way; then finishing what was pending has moved the mail.
    const done = home.config().parts.get(to)?.formerly.includes(from) === true && !isMember(world, from);
    if (from === HUMAN)
      throw refuse("part_protected", {
        part: HUMAN,
        reason: "it stands for people, and keeps its name everywhere. Add another part instead, with `relay part add`",
      });
    if (!done) {
      requireMembers(world, [from]);
      if (!home.config().parts.has(from))
        throw refuse("part_protected", { part: from, reason: `it is a guest. Make it a part first: \`relay part add ${from}\`` });
      requireFreePart(world, to, from === to ? null : from);
      if ([...names(home.store, inboxNew(to)), ...names(home.store, inboxRead(to))].some((name) => !isIgnored(name))) {
        throw refuse("part_protected", {
          part: from,
          reason: `inbox/${to} has mail of an earlier part with that name. Choose another name`,
        });
      }
      if (to.startsWith(`${from}/`) || from.startsWith(`${to}/`)) {
        throw refuse("part_protected", { part: from, reason: "the folder of one name would lie inside the other. Choose another name" });
      }
      // What a full disk refuses is refused before the commit; after it, what of the mail cannot be moved now, the next operation moves.
      makeInbox(home.store, to, home.config().inTree);
      noteNames(world);
      await changeConfig(home, (config) => {
        if (config.parts.has(to)) throw refuse("part_exists", { given: to, existing: to });
        return { kind: "rename", from, to };
      });
      noteNames(world);
    }
    followRenames(world);
    if (!done) acted(world, { event: { type: "part:renamed", part: to, formerly: from } });
    return { part: to, formerly: from };
  },
});
