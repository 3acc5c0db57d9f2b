/** The office, as a package: who may give work to whom, and the work. */
import type { Package } from "../core/package.ts";
import type { OfficeOfMail } from "../mail/asks.ts";
import { sendWork, startWork } from "./files/adopt-mail.ts";
import { requireOpen, requireWork } from "./files/create-dispatch.ts";
import { isPosition } from "./files/is-position.ts";
import { checkOffice, officeFile, unknownKeys } from "./nouns/check-office.ts";
import { isConversationThread } from "./nouns/conversation.ts";
import type { OrgFile } from "./nouns/org-files.ts";

const ofMail: OfficeOfMail = {
  isPosition: (world, name) => isPosition(world, name),
  requireWork: (world, from, to, positions) => requireWork(world, from, to, positions),
  requireOpen: (world, thread, from) => requireOpen(world, thread, from),
  sendWork: (world, thread, send) => sendWork(world, thread, send),
  startWork: (world, message) => startWork(world, message),
  // Loaded when a conversation is named: it knows sessions and tasks.
  async openConversation(world, given) {
    const { requireConversation, requireOpenConversation } = await import("./files/conversations.ts");
    const conversation = requireConversation(world, given);
    requireOpenConversation(world, conversation);
    return conversation;
  },
  async requireOpenConversation(world, thread) {
    if (!isConversationThread(thread)) return;
    const { conversationIn, requireOpenConversation } = await import("./files/conversations.ts");
    requireOpenConversation(world, conversationIn(world, thread));
  },
};

/** What the office gives to mail, `check` and `doctor`. */
export const office: Package = {
  office: () => ofMail,
  checkFiles() {
    const office: OrgFile[] = [];
    return {
      take(path, place, parsed) {
        const file = officeFile(path, place, parsed);
        if (file === null) return [];
        office.push(file);
        return unknownKeys(file);
      },
      finish: () => checkOffice(office),
    };
  },
  probes: {
    async *office(world) {
      yield* (await import("./files/examine-office.ts")).examineOffice(world);
    },
  },
};
