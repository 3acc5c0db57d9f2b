/** What a send must do to the disk at the least, by bare calls: the baseline that `send` is compared with. */
import fs from "node:fs";
import path from "node:path";
import { messageText, threadText } from "./messages.mjs";

const DAY = "threads/2026-01-31";

/** Lays the folders that a home has before the first message. */
export function layBare(root) {
  for (const folder of ["aside", "pending", DAY, "inbox/new"]) fs.mkdirSync(path.join(root, folder), { recursive: true });
}

/**
 * Delivers the first message of a thread to one part with the same files, flushes and links as a send, in the same order:
 * the intent, the thread's folder, the commit, `thread.md`, the inbox, the feed.
 */
export function bareSend(root, message) {
  const thread = path.join(root, DAY, message.thread);
  const pending = path.join(root, "pending", message.id);
  const aside = path.join(root, "aside", message.id);
  writeFlushed(aside, messageText(message));
  fs.renameSync(aside, pending);
  flushFolder(path.join(root, "pending"));
  fs.mkdirSync(thread);
  flushFolder(path.join(root, DAY));
  fs.linkSync(pending, path.join(thread, message.file));
  writeFlushed(aside, threadText(message));
  fs.linkSync(aside, path.join(thread, "thread.md"));
  fs.unlinkSync(aside);
  flushFolder(thread);
  fs.linkSync(pending, path.join(root, "inbox/new", message.id));
  flushFolder(path.join(root, "inbox/new"));
  fs.unlinkSync(pending);
  fs.appendFileSync(path.join(root, "feed"), `${JSON.stringify({ type: "message:sent", messageId: message.id })}\n`);
}

function writeFlushed(file, text) {
  const descriptor = fs.openSync(file, "wx");
  fs.writeFileSync(descriptor, text);
  fs.fsyncSync(descriptor);
  fs.closeSync(descriptor);
}

function flushFolder(folder) {
  const descriptor = fs.openSync(folder, "r");
  fs.fsyncSync(descriptor);
  fs.closeSync(descriptor);
}
