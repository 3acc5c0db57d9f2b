import * as z from "zod/mini";
import { acted } from "../../core/act.ts";
import { flag } from "../../core/format/schema.ts";
import { changeConfig } from "../../core/home/change-config.ts";
import { HUMAN } from "../../core/names.ts";
import { defineOperation } from "../../core/operation.ts";
import { refuse } from "../../core/refusal.ts";
import { removeFile } from "../../store/write/move-file.ts";
import { unreadIds } from "../files/inbox-files.ts";
import { requireMembers } from "../files/members.ts";
import { guestPath } from "../nouns/part-nouns.ts";
import { PartArgument } from "./part-argument.ts";

/** Removes a part from `relay.yml`; what it wrote and read stays. */
export const part_remove = defineOperation({
  name: "part_remove",
  summary: "Remove a part; --force also when it has unread mail",
  effect: "destroy",
  idempotent: true,
  identity: "none",
  positionals: ["part"],
  input: () => ({ part: PartArgument, force: flag("also with unread mail; the messages stay in their threads") }),
  output: () => ({ part: z.string(), unread: z.number() }),
  example: { part: "web" },
  async run(world, { part, force }) {
    const home = world.home();
    requireMembers(world, [part]);
    const { main } = home.config();
    if (part === HUMAN) throw refuse("part_protected", { part, reason: "it stands for people and always exists. Name another part" });
    if (part === main)
      throw refuse("part_protected", { part, reason: "it is main. Make another part main first, with `relay part set-main`" });
    const unread = unreadIds(home.store, part).length;
    if (unread > 0 && force !== true) throw refuse("part_has_mail", { part, unread });
    await changeConfig(home, (config) => (config.parts.has(part) ? { kind: "remove", part } : null));
    removeFile(home.store, guestPath(part));
    acted(world, { event: { type: "part:removed", part } });
    return { part, unread };
  },
});
