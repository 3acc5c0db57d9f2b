import * as z from "zod/mini";
import { lastFence } from "../../board/files/claims.ts";
import { claimFolder } from "../../board/nouns/claim.ts";
import { taskPath } from "../../board/nouns/task.ts";
import { addTo } from "../../core/format/append.ts";
import { many } from "../../core/format/many.ts";
import { flag } from "../../core/format/schema.ts";
import { HUMAN } from "../../core/names.ts";
import { defineOperation } from "../../core/operation.ts";
import { Refusal } from "../../core/refusal.ts";
import { guardClass } from "../../core/tree/record.ts";
import type { World } from "../../core/world.ts";
import { shortCommit } from "../../trust/nouns/origin.ts";
import { type Effect, effectWords } from "../nouns/push-effect.ts";
import { heldBeforeIn } from "../sync/push-effects.ts";
import { type PushedCommit, readPushed } from "../sync/pushed-commit.ts";
import { NotUndone, type Undone } from "../undo/undo-commit.ts";
import { faultOf, undoFiles } from "../undo/undo-files.ts";
import { undoMail } from "../undo/undo-mail.ts";
import { undoText } from "../undo/undo-text.ts";
import { undoEffect } from "./undo-effect.ts";

/** What is taken back first: what others need. */
const ORDER = "renamed removed added main edited settings ended resumed closed opened claim task memory".split(" ");

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
    if (input.dryRun === true) return { commit: pushed.commit, undone: [], left: stays(pushed), did: await did(world, pushed) };
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
      await noted(effect.path, () => undoEffect(world, effect, pushed, by));
    };
    // A task that the commit also began is emptied and stays done: that it was finished is no longer of interest then.
    const ofBegun = effects.filter((effect) => isOfBegun(pushed, effect) && effect.kind === "claim" && effect.did !== "claim");
    for (const effect of effects) if (!ofBegun.includes(effect)) await undoOne(effect);
    for (const file of pushed.begun) await noted(file.path, () => undoText(world, file, { commit: pushed.commit, by }));
    for (const effect of ofBegun) await undoOne(effect);
    for (const how of ["acked", "moved"] as const) {
      for (const [reader, ids] of mailOf(pushed, how)) {
        const { done, gone } = undoMail(world, { commit: pushed.commit, how }, reader, ids, by);
        if (done.length > 0) undone.push(`delivered ${many(done.length, "message")} to ${reader} again`);
        if (gone.length > 0) left.push(`${many(gone.length, "message")} of ${reader}: missing, or unread`);
      }
    }
    undone.push(...(await undoFiles(world, pushed)));
    return { commit: pushed.commit, undone, left: [...left, ...stays(pushed)] };
  },
});

/** Whether an effect is of a task that the commit began. */
const isOfBegun = ({ begun }: PushedCommit, effect: Effect): boolean =>
  effect.kind === "claim" && begun.some(({ path }) => path === taskPath(effect.session, effect.task));

/** What a commit did that can be undone, a line each: whether it still stands, only undoing it finds out. */
async function did(world: World, pushed: PushedCommit): Promise<string[]> {
  const { effects, begun, changes, commit } = pushed;
  const undoable = effects.filter((effect) => effect.kind !== "office" && effect.kind !== "result" && !isOfBegun(pushed, effect));
  const heldBefore = heldBeforeIn(world, pushed.cameAlong);
  const strangers = changes.filter(({ path, after }) => after !== null && guardClass(path) === "stranger").length;
  const { deleted, changed } = (await faultOf(world, commit)) ?? { deleted: [], changed: [] };
  const counts = [
    [strangers, "brought", "unknown file"],
    [deleted.length, "deleted", "file"],
    [changed.length, "rewrote", "file"],
  ] as const;
  // A claim of a task that nobody held was done to nobody, so that only this list names it.
  const words = effectWords(undoable, (...claim) => heldBefore(...claim) ?? "nobody");
  const tasks = begun.map(({ path }) => path.slice(path.lastIndexOf("/") + 1, -".md".length));
  if (tasks.length > 0) words.push(`began ${many(tasks.length, "task")}: ${tasks.join(", ")}`);
  return [...words, ...counts.flatMap(([count, verb, what]) => (count === 0 ? [] : [`${verb} ${many(count, what)}`]))];
}

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

/** The messages of each part that a commit acked, or moved to another. */
function mailOf({ effects }: PushedCommit, how: "acked" | "moved"): Map<string, string[]> {
  const mail = new Map<string, string[]>();
  for (const effect of effects) if (effect.kind === how) addTo(mail, effect.part, effect.message);
  return mail;
}
