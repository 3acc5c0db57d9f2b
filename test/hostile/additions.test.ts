import { expect, test } from "vitest";
import { endedPath, formatReopened, formatSession, reopenedPath } from "../../protocol/board/nouns/session.ts";
import { parseMessageId } from "../../protocol/core/format/id.ts";
import { readPath } from "../../protocol/mail/nouns/part.ts";
import { forgottenPath, formatForgotten } from "../../protocol/removal/nouns/forget-request.ts";
import { act, shop } from "../rig/clones.ts";
import { playEach } from "./rig/play.ts";
import { type Remote, remoteAt } from "./rig/remote.ts";
import { stageOfFile } from "./rig/stage.ts";
import type { Trick } from "./rig/trick.ts";

const stage = stageOfFile();

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

playEach(stage, TRICKS);
