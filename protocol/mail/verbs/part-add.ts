import * as z from "zod/mini";
import { acted } from "../../core/act.ts";
import { LIMITS, line, maybe } from "../../core/format/schema.ts";
import { changeConfig } from "../../core/home/change-config.ts";
import { defineOperation } from "../../core/operation.ts";
import { refuse } from "../../core/refusal.ts";
import { removeFile } from "../../store/write/move-file.ts";
import { bindHere } from "../files/bound-parts.ts";
import { makeInbox } from "../files/inbox-files.ts";
import { guestPath } from "../nouns/part-nouns.ts";
import { PartArgument } from "./part-argument.ts";
import { requireFreePart } from "./require-free-part.ts";

/** Adds a part and makes its inbox. */
export const part_add = defineOperation({
  name: "part_add",
  summary: "Add a part: an address that messages can be sent to",
  effect: "write",
  idempotent: true,
  identity: "none",
  positionals: ["part"],
  input: () => ({ part: PartArgument, about: maybe(line(LIMITS.about, "its purpose, one line")) }),
  output: () => ({ part: z.string() }),
  example: { part: "web", about: "the storefront" },
  async run(world, { part, about }) {
    requireFreePart(world, part, null);
    const { store, config } = world.home();
    makeInbox(store, part, config().inTree);
    await changeConfig(world.home(), (config) => {
      if (config.parts.has(part)) throw refuse("part_exists", { given: part, existing: part });
      return { kind: "add", part, about };
    });
    removeFile(store, guestPath(part));
    bindHere(world, [part]);
    acted(world, { event: { type: "part:added", part } });
    return { part };
  },
});
