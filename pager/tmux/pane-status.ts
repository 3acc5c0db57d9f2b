/** The status line of a pane, about its part. spec/waking.md, "Parts in tmux". */
import { findPane, type Pane, type PaneTarget } from "./pane.ts";
import { tmux } from "./tmux-command.ts";

/** Writes on a part's pane how many messages are unread, for status lines to read. Nothing when there is no pane. */
export async function showUnread(target: PaneTarget, unread: number): Promise<void> {
  const pane = await findPane(target);
  if ("reason" in pane) return;
  await tmux(pane.server, ["set-option", "-p", "-t", pane.id, "@relay_unread", String(unread)]);
  if (unread === 0) await showWaiting(pane, "");
}

/** Writes on it why the doorbell could not be typed just now; empty when nothing is in the way. */
export async function showWaiting({ server, id }: Pane, reason: string): Promise<void> {
  await tmux(server, ["set-option", "-p", "-t", id, "@relay_waiting", reason]);
}
