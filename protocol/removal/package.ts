/** What is removed, as a package: closed threads in archives, and messages that are forgotten. spec/removal.md. */
import type { Package } from "../core/package.ts";
import type { RemovalsOfMail } from "../mail/asks.ts";
import { archivedThreads, hasArchive } from "./files/archive-names.ts";
import { finishArchiving } from "./files/archive-thread.ts";
import { finishForgetting, isForgottenHere, requestsIn } from "./files/forget-message.ts";
import { archivedPage, showArchived } from "./files/show-archived.ts";

const removals: RemovalsOfMail = {
  hasArchive: (store, location) => hasArchive(store, location),
  archivedThreads: (store) => archivedThreads(store),
  archivedPage: (world, page, isWanted, problems) => archivedPage(world, page, isWanted, problems),
  showArchived: (world, location, page) => showArchived(world, location, page),
  isForgottenHere: (world, id) => isForgottenHere(world, id),
  requestsIn: (store, thread) => requestsIn(store, thread),
};

/** What removals give to the core and to mail. */
export const removal: Package = {
  finishers: {
    archive: (world, thread) => finishArchiving(world, thread as string),
    forget: (world, message) => finishForgetting(world, message as string),
  },
  removals: () => removals,
};
