import * as z from "zod/mini";
import { type PushedCommit, readPushed } from "../../home/sync/pushed-commit.ts";
import { lastFence } from "../../home/task/claims.ts";
import { NotUndone, type Undone } from "../../home/undo/undo-commit.ts";
import { faultOf, faultWords, undoDeletions } from "../../home/undo/undo-deletions.ts";
import { undoMail } from "../../home/undo/undo-mail.ts";
import { takeOff } from "../../home/undo/undo-strangers.ts";
import { undoBegun } from "../../home/undo/undo-tasks.ts";
import { addTo } from "../../objects/format/append.ts";
import { seen } from "../../objects/format/hidden.ts";
import { many } from "../../objects/format/many.ts";
import { flag } from "../../objects/format/schema.ts";
import type { Effect } from "../../objects/guard/push-effect.ts";
import type { Changed } from "../../objects/noun/effects.ts";
import { HUMAN } from "../../objects/part/part.ts";
import { claimFolder } from "../../objects/task/claim.ts";
import { taskPath } from "../../objects/task/task.ts";
import { actingFirst } from "../../objects/tree/layout.ts";
import { shortCommit } from "../../objects/tree/origin.ts";
import { defineOperation } from "../../operation.ts";
import { Refusal } from "../../refusal.ts";
import type { World } from "../../world.ts";
import { undoEffect } from "./undo-effect.ts";
import { undoPlan } from "./undo-plan.ts";

/** What is taken back first: what others need. */
const ORDER = [
  "renamed",
  "removed",
  "added",
  "main",
  "edited",
  "settings",
  "ended",
  "resumed",
  "closed",
  "opened",
  "claim",
  "task",
  "memory",
  "result",
];

/** Takes back what a commit did. */
export const undo = defineOperation({
  name: "undo",
  summary:
    "Undo a commit: its acks, closed threads, ended sessions, claims, tasks, texts, parts, deletions and unknown files; its messages stay",
  effect: "write",
  idempotent: true,
  identity: "optional",
  positionals: ["commit"],
  warnsOfSettings: "held",
  input: () => ({
    commit: z.string().check(z.minLength(4), z.maxLength(64), z.describe("a commit as `relay log`, `relay sync` or a notice shows it")),
    dryRun: flag("list what it did that would be undone; write nothing"),
    yes: flag("do not ask on a terminal"),
  }),
  output: () => ({
    commit: z.string(),
    undone: z.array(z.string()),
    left: z.array(z.string()),
    /** Of --dry-run. */
    did: z.optional(z.array(z.string())),
  }),
  example: { commit: "3f2a1c9f" },
  async run(world, input, { part }) {
    const by = part || HUMAN;
    const pushed = await readPushed(world, input.commit);
    if (input.dryRun === true)
      return {
        commit: pushed.commit,
        undone: [],
        left: stays(pushed),
        did: [...undoPlan(world, pushed), ...faultWords(await faultOf(world, pushed.commit))],
      };
    const undone: string[] = [];
    const left: string[] = [];
    const noted = async (path: string, step: () => Promise<Undone>): Promise<void> => {
      try {
        undone.push(...[await step()].filter((done) => done !== null));
      } catch (error) {
        if (!(error instanceof NotUndone) && !(error instanceof Refusal)) throw error;
        left.push(`${path}: ${error.message}`);
      }
    };
    const effects = [...pushed.effects].sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
    const isOvertaken = overtakenIn(world);
    const undoOne = async (effect: Effect): Promise<void> => {
      if (effect.kind === "acked" || effect.kind === "moved" || (effect.kind === "claim" && isOvertaken(effect))) return;
      await noted(effect.path, () => undoEffect(world, effect, pushed.files.get(effect.path) as Changed, { commit: pushed.commit, by }));
    };
    const begun = new Set(pushed.begun.map(({ path }) => path));
    // A task that the commit also began is emptied and stays done: that it was finished is no longer of interest then.
    const isOfBegun = (effect: Effect): boolean =>
      effect.kind === "claim" && effect.did !== "claim" && begun.has(taskPath(effect.session, effect.task));
    for (const effect of effects) if (!isOfBegun(effect)) await undoOne(effect);
    for (const file of pushed.begun) await noted(file.path, () => undoBegun(world, file, { commit: pushed.commit, by }));
    for (const effect of effects) if (isOfBegun(effect)) await undoOne(effect);
    for (const how of ["acked", "moved"] as const) {
      for (const [reader, ids] of mailOf(pushed, how)) {
        const { done, gone } = undoMail(world, { commit: pushed.commit, how }, reader, ids, by);
        if (done.length > 0) undone.push(`delivered ${many(done.length, "message")} to ${reader} again`);
        if (gone.length > 0) left.push(`${many(gone.length, "message")} of ${reader}: missing, or unread`);
      }
    }
    undone.push(...(await undoDeletions(world, pushed.commit)));
    const { strangers, kept } = await takeOff(world, pushed.commit, pushed.changes);
    if (strangers.length > 0)
      undone.push(`removed ${many(strangers.length, "file")} that Relay does not know from the branch: ${named(strangers)}`);
    if (kept.length > 0) undone.push(`removed ${many(kept.length, "file")} beside the ones that it tried to change: ${named(kept)}`);
    return { commit: pushed.commit, undone, left: [...left, ...stays(pushed)] };
  },
});

/** What of a commit is never taken back. */
const stays = ({ commit, messages }: PushedCommit): string[] =>
  messages === 0 ? [] : [`${many(messages, "message")} of commit ${shortCommit(commit)}: messages stay, and each names its commit`];

/** Tells whether a claim is not the last of its task. The records of each task are listed once, however many a push brought. */
function overtakenIn(world: World): (claim: Effect & { kind: "claim" }) => boolean {
  const last = new Map<string, number>();
  return ({ session, task, fence }) => {
    const folder = claimFolder(session, task);
    const known = last.get(folder) ?? lastFence(world, session, task);
    last.set(folder, known);
    return known !== fence;
  };
}

/** The first of some paths, those that act by themselves first. */
function named(paths: readonly string[]): string {
  const { acting, others } = actingFirst(paths);
  const all = [...acting, ...others].map((path) => seen(path));
  return `${all.slice(0, NAMED).join(", ")}${all.length > NAMED ? `, and ${all.length - NAMED} more` : ""}`;
}

const NAMED = 5;

/** The messages of each part that a commit acked, or moved to another. */
function mailOf({ effects }: PushedCommit, how: "acked" | "moved"): Map<string, string[]> {
  const mail = new Map<string, string[]>();
  for (const effect of effects) if (effect.kind === how) addTo(mail, effect.part, effect.message);
  return mail;
}
