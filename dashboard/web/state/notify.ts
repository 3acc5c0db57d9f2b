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

let before: number | null = null;
/** Tells the reader of new mail. The words are Relay's: what agents write is on the page. @param unread messages by now */
export function noticeUnread(unread: number, project: string): void {
  const isMore = before !== null && unread > before;
  before = unread;
  if (!isMore || !notices.value || document.visibilityState === "visible") return;
  const words = unread === 1 ? "1 unread message" : `${unread} unread messages`;
  new Notification(`Relay: ${project}`, { body: words, tag: `relay ${location.pathname}` }).onclick = () => window.focus();
}
