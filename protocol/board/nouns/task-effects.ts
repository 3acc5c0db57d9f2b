/** What a push did to tasks that were here, and to who held them. spec/trust.md, "What a push did". */
import { type Effects, named } from "../../core/noun/noun-effects.ts";
import { type ClaimKind, parseClaim } from "./claim.ts";
import { parseTask } from "./task.ts";

type TaskDid = { kind: "task"; session: string; task: string };

/** Of a task: that its text is another. */
export const taskEffects: Effects<{ session: string; task: string }, TaskDid> = {
  reads: "changed",
  of({ before, after }, { session, task }) {
    if (before === null) return [];
    const [was, is] = [parseTask(before, task), parseTask(after, task)];
    const isSame = was.title === is.title && was.description === is.description && was.priority === is.priority;
    return isSame ? [] : [{ kind: "task", session, task }];
  },
  words: ({ task }) => `changed the text of ${task}`,
};

type ClaimDid = { kind: "claim"; session: string; task: string; fence: number; did: ClaimKind; agent: string };

/** Of a record of claims: that it took a task from who held it. */
export const claimEffects: Effects<{ session: string; task: string; fence: number }, ClaimDid> = {
  reads: "all",
  of({ before, after }, { session, task, fence }) {
    if (before !== null) return [];
    const { kind, agent } = parseClaim(after, task, fence);
    return [{ kind: "claim", session, task, fence, did: kind, agent: named(agent) }];
  },
  words({ session, task, fence, did, agent }, heldBefore) {
    const before = heldBefore(session, task, fence);
    const held = before === null ? null : named(before);
    if (did !== "claim")
      return held === null ? null : `${did === "done" ? "finished" : "released"} ${task}, which ${held} held, as ${agent}`;
    return held === null || held === agent ? null : `took ${task} over from ${held} as ${agent} (fence ${fence})`;
  },
  isDoneTo: ({ session, task, fence }, part, _takesPart, heldBefore) => heldBefore(session, task, fence) === part,
};
