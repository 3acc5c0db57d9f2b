/**
 * Commands of which the proof of crash states alone has a scene, because other tests hurt them in other ways; and the operations that it has
 * none of, each with what shows the same.
 */
import path from "node:path";
import { operations } from "../../../protocol/index.ts";
import { type Answer, ask, home, outOf, posted, type Writing } from "../../history/verdict.ts";
import { cloneOf } from "../../rig/clones.ts";
import { git } from "../../rig/rig.ts";

/** A bare repository beside the code, which both clones sync with: another machine, that does not lose its power. */
export const REMOTE = "remote.git";
const remoteOf = (folder: string): string => path.join(path.dirname(folder), REMOTE);
const filesAt = (folder: string, revision: string): string => git(folder, "ls-tree", "-r", "--name-only", revision);

export const CRASH_ONLY: Readonly<Record<string, Writing>> = {
  sync: {
    args: () => ["sync"],
    retry: () => [operations.sync, {}],
    git: true,
    inSteps: true,
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
};

/** Operations without a scene of their own: whose scene is theirs too, or why none is needed (null). */
export const COVERED: Readonly<Record<string, { as: string | null; why: string }>> = {
  clone: { as: "init", why: "git's own clone, then a home is made by the same calls; what comes is checked out as `sync` does" },
  "office start": { as: null, why: "office/power.test.ts asks its states, once the runner has gone on with what was begun" },
  "office send": { as: null, why: "as `office start`: one function gives work for both" },
  "office stop": { as: null, why: "a close is one file under a name of its own; what follows from it the runner does again" },
  "office close": { as: null, why: "as `office stop`" },
  "office ask": { as: "reply", why: "the question is a message in the thread of its work" },
  "office prune": { as: null, why: "git takes a worktree away; one that is back is taken away by the next call" },
  think: { as: null, why: "a line of the feed lies in run/, which may be gone" },
  "notify test": { as: null, why: "how it went the last time is disposable" },
  "wake lease": { as: null, why: "steps of a wake lie in run/: where they are gone, what is unread is owed again" },
  "wake commit": { as: null, why: "as `wake lease`" },
  "wake renew": { as: null, why: "as `wake lease`" },
  "wake report": { as: null, why: "as `wake lease`" },
};
