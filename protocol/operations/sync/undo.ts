import * as z from "zod/mini";
import { isMember } from "../../home/part/members.ts";
import { heldBeforeIn } from "../../home/sync/push-effects.ts";
import { type PushedCommit, readPushed } from "../../home/sync/pushed-commit.ts";
import { lastFence } from "../../home/task/claim-read.ts";
import { resolveThread } from "../../home/thread/find-thread.ts";
import { messageKeys, readThread } from "../../home/thread/threads.ts";
import { NotUndone, type Undone, undoClaim, undoEdited, undoMemory, undoTask, undoTurn } from "../../home/undo/undo-commit.ts";
import { undoMail } from "../../home/undo/undo-mail.ts";
import { undoSettings } from "../../home/undo/undo-settings.ts";
import { takeOff } from "../../home/undo/undo-strangers.ts";
import { undoBegun } from "../../home/undo/undo-tasks.ts";
import { parseConfig } from "../../objects/config/config.ts";
import { seen } from "../../objects/format/hidden.ts";
import type { Changed, Effect } from "../../objects/guard/push-effect.ts";
import { isEnded } from "../../objects/message/thread.ts";
import { HUMAN } from "../../objects/part/part.ts";
import { claimFolder } from "../../objects/task/claim.ts";
import { actingFirst } from "../../objects/tree/acts-on-agents.ts";
import { shortCommit } from "../../objects/tree/origin.ts";
import { defineOperation } from "../../operation.ts";
import { Refusal } from "../../refusal.ts";
import type { World } from "../../world.ts";
import { close } from "../message/close.ts";
import { part_add } from "../part/part-add.ts";
import { part_remove } from "../part/part-remove.ts";
import { part_rename } from "../part/part-rename.ts";
import { part_set_main } from "../part/part-set-main.ts";

/** What is taken back first: what others need. */
const ORDER = [
  "renamed",
  "removed",
  "added",
  "main",
  "edited",
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
  tool: null,
  command: "undo",
  summary: "Undo a commit: its acks, closed threads, ended sessions, claims, tasks, texts, parts and odd files; its messages stay",
  when: "Undo a commit.",
  effect: "write",
  idempotent: true,
  identity: "optional",
  home: true,
  positionals: ["commit"],
  input: () =>
    z.object({
      commit: z.string().check(z.minLength(4), z.maxLength(64), z.describe("a commit as `relay log`, `relay sync` or a notice shows it")),
    }),
  output: () => z.object({ commit: z.string(), undone: z.array(z.string()), left: z.array(z.string()) }),
  example: { commit: "3f2a1c9f" },
  async run(world, input, { part }) {
    const by = part || HUMAN;
    const pushed = await readPushed(world, input.commit);
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
    for (const effect of effects) {
      if (effect.kind === "acked" || effect.kind === "moved" || (effect.kind === "claim" && isOvertaken(effect))) continue;
      await noted(effect.path, () => undoOne(world, effect, pushed.files.get(effect.path) as Changed, by));
    }
    for (const file of pushed.begun) await noted(file.path, () => undoBegun(world, file, { commit: pushed.commit, by }));
    for (const how of ["acked", "moved"] as const) {
      for (const [reader, ids] of mailOf(pushed, how)) {
        const { done, gone } = undoMail(world, { commit: pushed.commit, how }, reader, ids, by);
        if (done.length > 0) undone.push(`told ${reader} again of ${count(done.length, "message")}`);
        if (gone.length > 0) left.push(`${count(gone.length, "message")} of ${reader}: not there, or unread`);
      }
    }
    const { strangers, kept } = await takeOff(world, pushed.commit, pushed.changes);
    if (strangers.length > 0) undone.push(`took ${count(strangers.length, "file")} off the branch that no home has: ${named(strangers)}`);
    if (kept.length > 0) undone.push(`took ${count(kept.length, "file")} away that lay beside what it tried to change: ${named(kept)}`);
    if (pushed.messages > 0)
      left.push(
        `${count(pushed.messages, "message")} that it brought: messages stay, and say that ${shortCommit(pushed.commit)} brought them`,
      );
    return { commit: pushed.commit, undone, left };
  },
});

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

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;

/** The messages of each part that a commit acked, or moved to another. */
function mailOf({ effects }: PushedCommit, how: "acked" | "moved"): Map<string, string[]> {
  const mail = new Map<string, string[]>();
  for (const effect of effects) {
    if (effect.kind !== how) continue;
    const ids = mail.get(effect.part);
    if (ids === undefined) mail.set(effect.part, [effect.message]);
    else ids.push(effect.message);
  }
  return mail;
}

/** Takes one thing back. @throws NotUndone, Refusal */
async function undoOne(world: World, effect: Exclude<Effect, { kind: "acked" | "moved" }>, file: Changed, by: string): Promise<Undone> {
  if (file.isUnread === true) throw new NotUndone("too long to be read; `git show` in .relay has the earlier text");
  switch (effect.kind) {
    case "closed":
    case "opened":
      return undoStatus(world, effect, by);
    case "ended":
    case "resumed":
      return undoTurn(world, effect, by);
    case "claim":
      return undoClaim(world, effect, heldBeforeIn(world)(effect.session, effect.task, effect.fence), by);
    case "task":
      return undoTask(world, effect, file, by);
    case "memory":
      return undoMemory(world, file);
    case "unreadable":
      throw new NotUndone("it is written once, and stays; what cannot be read says nothing");
    case "edited":
      return effect.settings === undefined ? undoEdited(world, file) : undoSettings(world, effect.path, effect.settings);
    case "forgotten":
      throw new NotUndone(`\`relay forget ${effect.message} --refuse\` brings it back, where its bytes are kept`);
    case "result":
      throw new NotUndone("a result is given once; ask for another review");
    default:
      return undoPart(world, effect, file, by);
  }
}

async function undoStatus(world: World, effect: Effect & { kind: "closed" | "opened" }, by: string): Promise<Undone> {
  const { store } = world.home();
  const key = resolveThread(world.home(), effect.thread);
  const now = readThread(store, key, messageKeys(store, key), [])?.status ?? "open";
  if (isEnded(now) !== (effect.kind === "closed")) return null;
  await close.run(world, { threadId: effect.thread, status: effect.was }, { part: by });
  return `gave thread ${effect.thread} its earlier status back: ${effect.was}`;
}

async function undoPart(
  world: World,
  effect: Extract<Effect, { kind: "renamed" | "removed" | "added" | "main" }>,
  file: Changed,
  by: string,
): Promise<Undone> {
  const caller = { part: by };
  const { parts, main } = world.home().config();
  switch (effect.kind) {
    case "renamed":
      if (!parts.has(effect.to) || parts.has(effect.part)) return null;
      await part_rename.run(world, { from: effect.to, to: effect.part }, caller);
      return `renamed part ${effect.to} back to ${effect.part}`;
    case "removed": {
      if (isMember(world, effect.part)) return null;
      const about = parseConfig(file.before ?? "").parts.get(effect.part)?.about;
      await part_add.run(world, { part: effect.part, about }, caller);
      return `added part ${effect.part} again`;
    }
    case "added":
      if (!parts.has(effect.part)) return null;
      await part_remove.run(world, { part: effect.part }, caller);
      return `removed part ${effect.part}`;
    case "main":
      if (main !== effect.to || !parts.has(effect.part)) return null;
      await part_set_main.run(world, { part: effect.part }, caller);
      return `made ${effect.part} the main part again`;
  }
}
