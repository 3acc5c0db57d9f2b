/** A person edits a thread's file, then archives the thread: other clones follow, although they never had that edit. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { act, cloneOf, commits, shared, shop } from "../../rig/clones.ts";

test("a thread that is edited and archived in one push is archived in a clone that had it without the edit", async () => {
  const { hub, code } = await shop("web", "api");
  const { threadId, messageId } = await act(code, "web", "send", { to: ["api"], subject: "Prices", body: "Are they net?" });
  await act(code, "api", "ack", { messageIds: [messageId] });
  await act(code, "web", "close", { threadId });
  await act(code, undefined, "sync");
  const other = await cloneOf(hub);

  const [day] = fs.readdirSync(path.join(code, ".relay/threads"));
  fs.appendFileSync(path.join(code, ".relay/threads", day as string, threadId, "thread.md"), "A note of a person.\n");
  await act(code, undefined, "record");
  await act(code, "main", "archive", { threadIds: [threadId] });
  await act(code, undefined, "sync");
  const recorded = commits(code);

  expect(await act(other, undefined, "sync")).toMatchObject({ broughtBack: [] });
  expect(shared(other)).toEqual(shared(code));
  expect(commits(other)).toBe(recorded);
});
