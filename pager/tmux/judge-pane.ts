/** Whether a pane may be typed into, from one look at it. spec/waking.md, "Waking in tmux". */
import type { Ring } from "../rung.ts";
import { type Look, lastKeySeconds } from "./pane.ts";
import type { Profile } from "./profiles.ts";
import { asksSomething, readInput, saysBusy } from "./screen-input.ts";

/** What the pane is ready for. */
export type Doorbell = { kind: "doorbell"; own: boolean; text: string; rows: string[] };
type Verdict =
  | { kind: "wait"; reason: string }
  /** A doorbell stands in the input: this wake's own, or one that an earlier wake left. */
  | Doorbell
  | { kind: "free" };

const wait = (reason: string): Verdict => ({ kind: "wait", reason });

/** A terminal breaks a long line where it likes. */
export const squeezed = (text: string): string => text.replace(/\s+/gu, "");

/**
 * What the doorbell of any wake of this kind looks like, without blanks: the same line with other numbers and another wake id. Of
 * exactly the same length, because somebody's text may follow the id.
 */
function anyDoorbell(line: string, wakeId: string): RegExp {
  const [before = "", ...after] = line.split(wakeId);
  if (after.length === 0) return /^\b$/;
  const plain = (text: string): string =>
    squeezed(text)
      .replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
      .replace(/\d+/g, "\\d+")
      .replace(/messages?/, "messages?");
  const id = wakeId.replace(/[a-z0-9]/gi, "[a-z0-9]").replace(/^\[a-z0-9\]-/, "w-");
  return new RegExp(`^${plain(before)}${id}${plain(after.join(wakeId))}$`, "u");
}

/** What a look at a pane says to whoever is about to type. @param quietMs who pressed a key so recently may press another */
export function judge(look: Look, profile: Profile, { line, wakeId }: Pick<Ring, "line" | "wakeId">, quietMs: number): Verdict {
  if (look.scrolling) return wait("copy_mode");
  if (look.keysElsewhere) return wait("synchronized");
  const input = readInput(
    look.screen,
    profile,
    (text) => squeezed(text) === squeezed(line) || anyDoorbell(line, wakeId).test(squeezed(text)),
  );
  if (asksSomething(look.screen, profile, input)) return wait("dialog");
  if (input.kind === "text") return wait("half_typed");
  if (input.kind === "none") return wait(saysBusy(look.screen, profile) ? "streaming" : "no_prompt");
  // tmux counts in whole seconds, so a second is added.
  if (Date.now() - lastKeySeconds(look.persons) * 1_000 < quietMs + 1_000) return wait("person_typing");
  if (input.kind === "line") return { kind: "doorbell", own: squeezed(input.line) === squeezed(line), text: input.line, rows: input.rows };
  return { kind: "free" };
}
