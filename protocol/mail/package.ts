/** Mail, as a package: parts, guests, inboxes, messages, threads, presence. */
import type { Package } from "../core/package.ts";
import { finishArchiving } from "./files/archive-thread.ts";
import { isBoundHere } from "./files/bound-parts.ts";
import { followCall, identify } from "./files/calls.ts";
import { finishDrafts, finishMail } from "./files/finish-mail.ts";
import { finishForgetting } from "./files/forget-message.ts";
import { shownPresence } from "./files/shown-presence.ts";

/** What mail gives to the core. */
export const mail: Package = {
  finishFirst: (world) => finishMail(world),
  finishers: {
    archive: (world, thread) => finishArchiving(world, thread as string),
    forget: (world, message) => finishForgetting(world, message as string),
  },
  finishLast: (world) => finishDrafts(world),
  identify: (world, operation, agentId) => identify(world, operation, agentId),
  follow: (call) => followCall(call),
  isBoundHere: (world, part) => isBoundHere(world, part),
  presence: () => shownPresence(),
};
