/** What a send must do to the disk at the least, by bare calls: the baseline that `send` is compared with. */
import fs from "node:fs";
import path from "node:path";
import { messageText } from "./messages.mjs";

const DAY = "threads/2026-01-31";
const LISTS = ["written", "arrivals", "feed", "sends"];

/** Lays the folders that a home has before the first message. */
export function layBare(root) {
  for (const folder of ["aside", "pending", DAY, "inbox/new", "inbox/read"]) fs.mkdirSync(path.join(root, folder), { recursive: true });
}

/**
 * Delivers the first message of a thread to one part with the same files, flushes and links as a send, in the same order: the
 * intent, the thread's folder, the commit, the inbox, then the folders' flushes; and a line in each list that a send adds to.
 */
export function bareSend(root, message) {
  const thread = path.join(root, DAY, message.thread);
  const pending = path.join(root, "pending", message.id);
  const aside = path.join(root, "aside", message.id);
  writeFlushed(aside, pending, messageText(message));
  flushFolder(path.join(root, "pending"));
  fs.mkdirSync(thread);
  fs.linkSync(pending, path.join(thread, message.file));
  fs.linkSync(pending, path.join(root, "inbox/new", message.id));
  for (const folder of [thread, path.join(root, DAY), path.join(root, "inbox/new")]) flushFolder(folder);
  fs.unlinkSync(pending);
  for (const list of LISTS)
    fs.appendFileSync(path.join(root, list), `${JSON.stringify({ type: "message:sent", messageId: message.id })}\n`);
}

/** Reads what lies in the inbox, as `inbox` does. @returns the texts */
export const bareInbox = (root) =>
  fs.readdirSync(path.join(root, "inbox/new")).map((name) => fs.readFileSync(path.join(root, "inbox/new", name), "utf8"));

/** Acks all of it with the links and the flush of an `ack`: link, flush, and only then unlink. */
export function bareAck(root) {
  const at = (folder, name = "") => path.join(root, "inbox", folder, name);
  const unread = fs.readdirSync(at("new"));
  for (const name of unread) fs.linkSync(at("new", name), at("read", name));
  flushFolder(at("read"));
  for (const name of unread) fs.unlinkSync(at("new", name));
}

/** Writes a file aside, moves it, and flushes it under its name, as a send does its intent. */
function writeFlushed(aside, file, text) {
  const descriptor = fs.openSync(aside, "wx");
  fs.writeFileSync(descriptor, text);
  fs.renameSync(aside, file);
  fs.fsyncSync(descriptor);
  fs.closeSync(descriptor);
}

function flushFolder(folder) {
  const descriptor = fs.openSync(folder, "r");
  fs.fsyncSync(descriptor);
  fs.closeSync(descriptor);
}
