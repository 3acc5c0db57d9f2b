/** Notices of the desktop, when the reader asked for them: only while the page is out of sight. */
import { signal } from "@preact/signals";
import { keep, kept } from "./kept.ts";

const canNotify = typeof Notification !== "undefined";
/** Whether they are wanted, and the browser lets the page. */
export const notices = signal(canNotify && kept("notices") === "on" && Notification.permission === "granted");

/** Turns them on or off; on asks the browser first. @returns why they stay off */
export async function setNotices(on: boolean): Promise<string | undefined> {
  if (!on) {
    notices.value = false;
    keep("notices", "");
    return undefined;
  }
  if (!canNotify) return "This browser shows no notifications.";
  const answer = await Notification.requestPermission();
  notices.value = answer === "granted";
  keep("notices", notices.value ? "on" : "");
  return notices.value ? undefined : "This browser does not let the page show notifications.";
}

let newest: string | null = null;
let before = 0;
/**
 * Tells the reader of new mail. The words are Relay's: what agents write is on the page.
 * @param at of the newest unread message, ISO 8601; empty without one
 * @param unread messages by now
 */
export function noticeMail(at: string, unread: number, project: string): void {
  // Also where an older one is the newest again because another one was acked.
  const isNew = newest !== null && (at > newest || unread > before);
  newest = at > (newest ?? "") ? at : (newest ?? "");
  before = unread;
  if (!isNew || !notices.value || document.visibilityState === "visible") return;
  const words = unread === 1 ? "1 unread message" : `${unread} unread messages`;
  new Notification(`Relay: ${project}`, { body: words, tag: `relay ${location.pathname}` }).onclick = () => window.focus();
}
