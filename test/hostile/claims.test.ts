/** Pushes that write over who holds a task, or add what says that somebody acted: a decision, an ack, an end, a removal. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { claimPath, decisionPath, formatClaim, parseClaim } from "../../protocol/board/nouns/claim.ts";
import { endedPath, formatReopened, formatSession, reopenedPath } from "../../protocol/board/nouns/session.ts";
import { taskPath } from "../../protocol/board/nouns/task.ts";
import { parseMessageId } from "../../protocol/core/format/id.ts";
import { keptPath } from "../../protocol/core/noun/merge-tree.ts";
import { readPath } from "../../protocol/mail/nouns/part.ts";
import { forgottenPath, formatForgotten } from "../../protocol/removal/nouns/forget-request.ts";
import { act, shop } from "../rig/clones.ts";
import { git, put } from "../rig/scratch.ts";
import { playEach } from "./rig/play.ts";
import { type Remote, remoteAt } from "./rig/remote.ts";
import { stageOfFile } from "./rig/stage.ts";
import { GUARDED, type Met, type Trick } from "./rig/trick.ts";

const stage = stageOfFile();

/** Writes a decision that a claim was lost, and a claim of another part over it. */
function forge(remote: Remote, session: string, task: string, fence: number): void {
  const text = remote.read(claimPath(session, task, fence));
  remote.write(decisionPath(session, parseClaim(text, task, fence), "lost"), text);
  remote.write(claimPath(session, task, fence), forged(text));
}

/** Who holds a task, by what an operation says. */
const held = async ({ act, stage: { home } }: Met, task: string): Promise<string> =>
  (await act(undefined, "show_task", { task_id: task, session_id: home.session })).task.assignee;

const forged = (text: string): string =>
  text
    .replace(/agent: ".*"/, 'agent: "api"')
    .replace(/kind: ".*"/, 'kind: "claim"')
    .replace(/nonce: ".*"/, 'nonce: "zzzzzzzz"');

const AT = "2026-03-01T09:30:00.000Z";
const ENDED = /ended session \S+ as human/;
const FORGET = /asked to forget \S+ as human/;

/** A message of the branch that is unread for a part. */
function unreadOf(remote: Remote, part: string): { id: string; path: string } {
  const path = remote.paths(new RegExp(`^inbox/${part}/new/m-[^/]+\\.md$`))[0] as string;
  return { id: path.slice(path.lastIndexOf("/") + 1, -3), path };
}

const TRICKS: Trick[] = [
  {
    name: "a live claim written over, with a decision that it was lost",
    push: (remote, { session, held: task }) => forge(remote, session, task, 1),
    told: GUARDED,
    async after(met) {
      expect(fs.readFileSync(met.at(claimPath(stage.home.session, stage.home.held, 1)), "utf8")).toContain('agent: "web"');
      expect(await held(met, stage.home.held)).toBe("web");
    },
    isPlayedToAll: true,
    kinds: ["idle", "merging", "new"],
  },
  {
    name: "the end of a task turned into a claim, with a decision that it was lost",
    push: (remote, { session, done: task }) => forge(remote, session, task, 2),
    told: GUARDED,
    isPlayedToAll: true,
    kinds: ["idle", "merging", "new"],
  },
  {
    name: "mail marked as read, and a session ended",
    push(remote, { session }) {
      const { id, path } = unreadOf(remote, "web");
      remote.write(readPath("web", id, parseMessageId(id)?.day ?? ""), remote.read(path));
      remote.remove(path);
      remote.write(endedPath(session), formatSession({ id: session, startedBy: "main", startedAt: AT, endedBy: "human", endedAt: AT }));
    },
    changes: ["unread"],
    isPlayedToAll: true,
    told: /marked 1 message of web as read.*ended session \S+ as human/,
    toldToNew: null,
    tells: { web: /marked 1 message of web as read.*ended session \S+ as human/s, api: ENDED, main: ENDED },
    undone: /^reopened session \S+\ndelivered 1 message to web again$/,
  },
  {
    name: "all mail is asked to be forgotten",
    push(remote) {
      const paths = remote.paths(/^threads\/.*\/\d+-[^/]+\.md$/);
      for (const path of paths) {
        const [, , thread = "", name = ""] = path.split("/");
        const id = `m-${thread.slice(2)}-${name.slice(0, -3)}`;
        remote.write(forgottenPath(id), formatForgotten({ id, by: "human", at: AT }));
        remote.remove(path);
      }
      remote.commit();
    },
    kinds: ["idle"],
    told: /asked to forget \S+ as human/,
    tells: { web: FORGET, api: FORGET, main: FORGET },
    undone: /^refused to forget m-/,
  },
];

playEach(stage, TRICKS);

test("a number of a task's file that no record has ends no claim, and leaves the next one", async () => {
  const { hub, code } = await shop("web", "api");
  const { session_id: session } = await act(code, "main", "start_session");
  const made = async (title: string): Promise<string> => (await act(code, "main", "create_task", { title, session_id: session })).task_id;
  const [held, free] = [await made("held"), await made("free")];
  await act(code, "web", "claim_task", { task_id: held, session_id: session });
  await act(code, undefined, "sync");
  const hostile = remoteAt(hub);
  for (const task of [held, free]) {
    const text = hostile.read(taskPath(session, task)).replace(/^fence: .*\n/m, "");
    hostile.write(taskPath(session, task), text.replace(/^status: /m, "fence: 99999999\nstatus: "));
  }
  hostile.commit();
  expect(await act(code, undefined, "sync")).toMatchObject({ broughtBack: [{ changed: 2 }] });
  expect(await act(code, "web", "update_task", { task_id: held, session_id: session, status: "done", fence: 1 })).toMatchObject({
    status: "done",
    fence: 2,
  });
  expect(await act(code, "api", "claim_task", { task_id: free, session_id: session })).toMatchObject({ claimed: true, fence: 1 });
});

test("a record that gives way to a surer one lies beside it, also where the push left it out, and both are named", async () => {
  const { hub, code } = await shop("web", "api");
  const { session_id: session } = await act(code, "main", "start_session");
  const { task_id: task } = await act(code, "main", "create_task", { title: "one", session_id: session });
  const at = claimPath(session, task, 1);
  const record = { task, fence: 1, kind: "claim", agent: "api", at: new Date().toISOString(), nonce: "offline" } as const;
  put(path.join(code, ".relay", at), formatClaim({ ...record, provisional: true }));
  await act(code, undefined, "sync");
  const hostile = remoteAt(hub);
  const beside = keptPath(at, hostile.idOf(at));
  hostile.write(at, formatClaim({ ...record, agent: "web", nonce: "sure" }));
  const by = hostile.commit();
  const { broughtBack } = await act(code, undefined, "sync");
  expect(broughtBack).toMatchObject([{ by: [by], deleted: 1, changed: 0, paths: [beside] }]);
  expect(fs.readFileSync(path.join(code, ".relay", beside), "utf8")).toContain('agent: "api"');
  expect(git(path.join(code, ".relay"), "log", "-1", "--format=%s").trim()).toContain(` 1 file that ${by.slice(0, 12)} deleted`);
});

test("no push makes an end of a session the last one", async () => {
  const { hub, code } = await shop("web");
  const { session_id: id } = await act(code, "main", "start_session");
  await act(code, undefined, "sync");
  const hostile = remoteAt(hub);
  for (let turn = 1; turn <= 999; turn += 1) {
    hostile.write(endedPath(id, turn), formatSession({ id, startedBy: "main", startedAt: AT, endedBy: "human", endedAt: AT }));
    if (turn < 999) hostile.write(reopenedPath(id, turn), formatReopened(id, "human", AT));
  }
  hostile.commit();
  await act(code, undefined, "sync");
  expect(await act(code, "web", "reopen_session", { session_id: id })).toMatchObject({ reopened: true });
  expect(await act(code, "web", "end_session", { session_id: id })).toMatchObject({ ended: true });
  expect(await act(code, "web", "reopen_session", { session_id: id })).toMatchObject({ reopened: true });
});
