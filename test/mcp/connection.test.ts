/** Clients of one process, as a server that speaks anything but MCP has them. */
import { getEventListeners } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openConnection } from "../../mcp/connection.ts";
import { type AnyOperation, operations, perform } from "../../protocol/index.ts";
import { type Answer, act } from "../rig/clones.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { scratch } from "../rig/scratch.ts";

let folder: string;
beforeEach(async () => {
  folder = await homeWith("web", "api");
  vi.stubEnv("XDG_STATE_HOME", scratch());
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

/** A client that is connected and says which program it is. */
function clientOf(part: string) {
  const connection = openConnection({ home: path.join(folder, ".relay"), part });
  connection.greet({ name: "test", version: "1" }, []);
  const call = (operation: AnyOperation, args: Record<string, unknown> = {}, signal = new AbortController().signal): Promise<Answer> =>
    connection.call(operation, args, signal);
  return { call, close: () => connection.close() };
}

const isOnline = async (part: string): Promise<boolean> => {
  const { parts } = await act(folder, "main", "roster");
  return parts.find(({ part: name }: { part: string }) => name === part).online;
};

test("a part is online until the last of its clients in one process is gone", async () => {
  const [one, two] = [clientOf("web"), clientOf("web")];
  expect(await isOnline("web")).toBe(true);
  await two.close();
  expect(await isOnline("web")).toBe(true);
  await one.close();
  expect(await isOnline("web")).toBe(false);
});

test("the claims of a client that is gone are not renewed, and those of another client of the process are", async () => {
  const [mains, session] = await sessionWith(2);
  vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"] });
  const [stays, goes] = [clientOf("web"), clientOf("api")];
  const [kept, left] = mains as [string, string];
  expect(await stays.call(operations.claim_task, { task_id: kept })).toMatchObject({ claimed: true });
  expect(await goes.call(operations.claim_task, { task_id: left })).toMatchObject({ claimed: true });
  const renewedMs = (task: string): number =>
    fs.statSync(path.join(folder, ".relay/run/leases", session, `${task}.1`), { throwIfNoEntry: false })?.mtimeMs ?? 0;

  vi.advanceTimersByTime(60_000);
  const before = [renewedMs(kept), renewedMs(left)] as const;
  expect(Math.min(...before)).toBeGreaterThan(0);
  await goes.close();
  vi.advanceTimersByTime(60_000);
  expect(renewedMs(kept)).toBeGreaterThan(before[0]);
  expect(renewedMs(left)).toBe(before[1]);
  await stays.close();
});

test("a client that goes while it claims leaves a claim that is not renewed", async () => {
  const [[task], session] = await sessionWith(1);
  vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"] });
  const client = clientOf("web");
  const claiming = client.call(operations.claim_task, { task_id: task });
  const closing = client.close();
  expect(await claiming).toMatchObject({ claimed: true });
  await closing;
  vi.advanceTimersByTime(60_000);
  expect(fs.existsSync(path.join(folder, ".relay/run/leases", session, `${task}.1`))).toBe(false);
});

test("a call that is cancelled ends at once: before it begins, while it waits, and where the client is gone", async () => {
  const client = clientOf("web");
  const waiting = { timeoutSeconds: 300 };
  const interrupted = { success: false, code: "interrupted" };
  expect(await client.call(operations.wait, waiting, AbortSignal.abort())).toMatchObject(interrupted);
  const stop = new AbortController();
  const call = client.call(operations.wait, waiting, stop.signal);
  stop.abort();
  expect(await call).toMatchObject(interrupted);
  const last = client.call(operations.wait, waiting);
  await client.close();
  expect(await last).toMatchObject(interrupted);
  expect(await client.call(operations.wait, waiting)).toMatchObject(interrupted);
});

test("a signal that many calls share is let go of by each call that ended", async () => {
  const client = clientOf("web");
  const { signal } = new AbortController();
  for (let call = 0; call < 3; call += 1) expect(await client.call(operations.inbox, {}, signal)).toMatchObject({ success: true });
  expect(getEventListeners(signal, "abort")).toEqual([]);
  await client.close();
});

describe("mail that a client of a server saw", () => {
  const inbox = (kind: string): string => path.join(folder, ".relay/inbox/api", kind);
  const marks = (): string[] =>
    fs.readdirSync(path.join(folder, ".relay/run"), { recursive: true }).filter((name) => `${name}`.endsWith(".fetched")) as string[];
  const turnEnds = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const send = async (): Promise<string> => (await act(folder, "web", "send", { to: ["api"], subject: "s", body: "b" })).messageId;

  test("is marked when the turn ends that answers it, and counts as seen before", async () => {
    const id = await send();
    const client = clientOf("api");
    expect(await client.call(operations.inbox)).toMatchObject({ messages: [{ messageId: id }] });
    expect(marks()).toEqual([]);
    await turnEnds();
    expect(marks()).toEqual([`marks/api/${id}.fetched`]);
    // Without another look nothing is written again.
    fs.rmSync(path.join(folder, ".relay/run", marks()[0] as string));
    await client.call(operations.inbox);
    await turnEnds();
    expect(marks()).toEqual([]);
    await client.close();
  });

  test("has no mark where it was acked meanwhile, by the client or by another process", async () => {
    const [first, second] = [await send(), await send()];
    const client = clientOf("api");
    const calls = [client.call(operations.inbox), client.call(operations.inbox), client.call(operations.ack, { messageId: first })];
    expect((await Promise.all(calls)).map(({ success }) => success)).toEqual([true, true, true]);
    const [day] = fs.readdirSync(inbox("read"));
    fs.renameSync(path.join(inbox("new"), `${second}.md`), path.join(inbox("read"), day as string, `${second}.md`));
    await turnEnds();
    expect(marks()).toEqual([]);
    await client.close();
  });

  test("loses its marks when the turn ends that answers the ack", async () => {
    const id = await send();
    const client = clientOf("api");
    await client.call(operations.inbox);
    await turnEnds();
    expect(await client.call(operations.ack, { messageId: id })).toMatchObject({ acked: [id] });
    expect(marks()).toHaveLength(1);
    await turnEnds();
    expect(marks()).toEqual([]);
    await client.close();
  });
});

test("a broken agent file is named with the call that met it, and with no other", async () => {
  const client = clientOf("web");
  fs.writeFileSync(path.join(folder, ".relay/agents.pool.yml"), "agents: [\n");
  expect(await client.call(operations.list_pool_agents)).toMatchObject({ success: false, path: "agents.pool.yml" });
  expect((await client.call(operations.inbox)).warnings).toBeUndefined();
  await client.close();
});

/** So many tasks that anybody may claim, and their session. */
async function sessionWith(count: number): Promise<[string[], string]> {
  const { session_id: session } = await act(folder, "main", "start_session");
  const tasks: string[] = [];
  for (let task = 0; task < count; task += 1) tasks.push((await act(folder, "main", "create_task", { title: `task ${task}` })).task_id);
  return [tasks, session];
}

test("calls in a row that leave the event loop no turn leave nothing behind", async () => {
  const world = worldAt(folder, { part: "web" });
  const waiting = (): number => process.getActiveResourcesInfo().filter((what) => what === "Immediate").length;
  await perform(world, operations.inbox, {});
  const before = waiting();
  for (let n = 0; n < 20; n += 1) await perform(world, operations.inbox, {});
  expect(waiting()).toBeLessThanOrEqual(before + 1);
});
