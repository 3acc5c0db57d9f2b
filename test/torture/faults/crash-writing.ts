/**
 * Commands of which the proof of crash states alone has a scene, because other tests hurt them in other ways; and the operations that it has
 * none of, each with whose scene shows the same.
 */
import fs from "node:fs";
import path from "node:path";
import { operations } from "../../../protocol/index.ts";
import { ensureWorktree } from "../../../protocol/office/files/dispatch-worktree.ts";
import { type Answer, ask, home, outOf, posted, type Writing } from "../../history/verdict.ts";
import { cloneOf } from "../../rig/clones.ts";
import { worldAt } from "../../rig/home.ts";
import { messageOf } from "../../rig/many-threads.ts";
import { git, put } from "../../rig/scratch.ts";

import { DISPOSABLE } from "./disposable-writing.ts";
import { OFFICE } from "./office-writing.ts";

/** A bare repository beside the code, which both clones sync with: another machine, that does not lose its power. */
export const REMOTE = "remote.git";
const remoteOf = (folder: string): string => path.join(path.dirname(folder), REMOTE);
const MANY = 70;
const filesAt = (folder: string, revision: string): string => git(folder, "ls-tree", "-r", "--name-only", revision);

export const CRASH_ONLY: Readonly<Record<string, Writing>> = {
  ...OFFICE,
  ...DISPOSABLE,
  // More than are stored as a file of git's each.
  "record -- of many files": {
    args: () => ["record"],
    retry: () => [operations.record, {}],
    git: true,
    before: async (folder) => {
      await ask(folder, operations.record);
      const messages = Array.from({ length: MANY }, (_, number) => messageOf(number, 1, number % 20));
      for (const { path: at, text } of messages) put(path.join(home(folder), at), text);
      return messages.map(({ path: at }) => at).join(" ");
    },
    verdict: async (folder, { about = "" }) => {
      const recorded = filesAt(home(folder), "HEAD");
      return outOf(about.split(" ").map((at) => recorded.includes(at)));
    },
  },
  sync: {
    args: () => ["sync"],
    retry: () => [operations.sync, {}],
    git: true,
    inSteps: true,
    resumes: true,
    before: async (folder) => {
      git(path.dirname(folder), "init", "--quiet", "--bare", "--initial-branch=main", REMOTE);
      git(folder, "remote", "add", "origin", remoteOf(folder));
      git(folder, "push", "--quiet", "origin", "HEAD");
      await ask(folder, operations.sync);
      const other = await cloneOf(remoteOf(folder));
      await ask(other, operations.send, { to: ["web", "api"], subject: "A subject", body: "the new one" }, "main");
      await ask(other, operations.sync);
      return (await ask(folder, operations.send, { to: ["web"], subject: "From here", body: "one from here" }, "main")).messageId;
    },
    verdict: async (folder, { about = "" }) => {
      const isRecorded = filesAt(home(folder), "HEAD").includes(about);
      const isSent = filesAt(remoteOf(folder), "relay").includes(about);
      return outOf([isRecorded, isSent, posted(folder, "the new one") === "whole"]);
    },
  },
  "trust office": {
    args: () => ["trust", "office"],
    retry: () => [operations.trust_office, {}],
    at: "anywhere",
    before: async (folder) => {
      await ask(folder, operations.office_init);
      return "";
    },
    verdict: async (folder) => outOf([(await ask(folder, operations.trust_office, { show: true })).trusted]),
  },
  "office runner": {
    args: () => ["office", "runner", "command", "--", "true"],
    retry: () => [operations.office_runner, { program: "command", argv: ["true"] }],
    verdict: async (folder) => {
      const { runners } = (await ask(folder, operations.office_runner)) as Answer;
      return outOf([JSON.stringify(runners.command) === '["true"]']);
    },
  },
  "office prune": {
    args: () => ["office", "prune"],
    retry: () => [operations.office_prune, {}],
    git: true,
    inSteps: true,
    before: async (folder) => (await ensureWorktree(worldAt(folder), "t-20260131-k3f9x2ab", [])).folder,
    verdict: async (folder, { about = "" }) => {
      const { left } = (await ask(folder, operations.office_prune, { list: true })) as Answer;
      return outOf([!fs.existsSync(about), git(folder, "branch", "--list", "relay/*") === "", left.length === 0]);
    },
  },
};

/** Operations without a scene of their own: whose scene is theirs too, and why. */
export const COVERED: Readonly<Record<string, { as: string; why: string }>> = {
  clone: { as: "init", why: "git's own clone, then a home is made by the same calls; what comes is checked out as `sync` does" },
  "plan apply": { as: "task create", why: "tasks as `task create` makes them, then what `send` writes" },
  "task release": { as: "task update", why: "a record, then the task's file" },
  "message send": { as: "send", why: "a message" },
  "memory write": { as: "memory append", why: "a file that changes" },
  "state save": { as: "session save", why: "a file that changes" },
  "review withdraw": { as: "review submit", why: "a result, then its message" },
  "task submit": { as: "artifact post", why: "an artifact, then what `review request` and `task update` write" },
  "office ask": { as: "reply", why: "the question is a message in a thread, with an idempotency key" },
};
