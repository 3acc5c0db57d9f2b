/** Files that a sync brings onto files that are no text: nothing that is here, and was never recorded, is overwritten unseen. */
import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { NOTHING } from "../../protocol/sync/sync/sync-result.ts";
import { type Arrived, writeOne } from "../../protocol/sync/sync/write-file.ts";
import { act } from "../rig/clones.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { put } from "../rig/scratch.ts";

const bytes = (...more: number[]): Buffer => Buffer.from([0xff, 0xfe, ...more]);
const MEMORY = "memory/project.md";
let folder: string;
const at = (name: string): string => path.join(folder, ".relay", name);
async function bring(name: string, before: Buffer | null, after: Buffer | null): Promise<Arrived> {
  const arrived: Arrived = { ...NOTHING, mail: [], things: new Map(), gaveWay: [], unfit: [] };
  const world = worldAt(folder);
  world.home().config();
  await writeOne(world, { path: name, before, after }, arrived);
  return arrived;
}
const beside = (name: string): Buffer[] =>
  fs
    .readdirSync(path.dirname(at(name)))
    .filter((other) => other.startsWith(`${path.basename(name)}.kept-`))
    .map((other) => fs.readFileSync(path.join(path.dirname(at(name)), other)));

beforeEach(async () => {
  folder = await homeWith("web", "api");
});

test.each([
  ["bytes that are no text", bytes(2)],
  ["a text", Buffer.from("# Memory\n")],
])("%s: bytes that were written here since lie beside", async (_, after) => {
  put(at(MEMORY), bytes(1));
  await bring(MEMORY, null, after);
  expect(fs.readFileSync(at(MEMORY))).toEqual(after);
  expect(beside(MEMORY)).toEqual([bytes(1)]);
  // Once more, as after a sync that was killed.
  await bring(MEMORY, null, after);
  expect(beside(MEMORY)).toEqual([bytes(1)]);
});

test("bytes that are not text: a text that was written here since lies beside, and a recorded one is replaced", async () => {
  put(at(MEMORY), "# Mine\n");
  await bring(MEMORY, Buffer.from("# Recorded\n"), bytes(2));
  expect(beside(MEMORY)).toEqual([Buffer.from("# Mine\n")]);
  await bring(MEMORY, bytes(2), bytes(3));
  expect(fs.readFileSync(at(MEMORY))).toEqual(bytes(3));
  expect(beside(MEMORY)).toHaveLength(1);
});

test("a file that another clone removed goes here too, whatever its bytes", async () => {
  put(at("memory/agents/web.md"), bytes(1));
  await bring("memory/agents/web.md", bytes(2), null);
  expect(fs.existsSync(at("memory/agents/web.md"))).toBe(true);
  await bring("memory/agents/web.md", bytes(1), null);
  expect(fs.existsSync(at("memory/agents/web.md"))).toBe(false);
});

test("mail with forged bytes has those of its message again", async () => {
  const { messageId } = await act(folder, "web", "send", { to: ["api"], subject: "s", body: "b" });
  const mail = `inbox/api/new/${messageId}.md`;
  const sent = fs.readFileSync(at(mail));
  fs.rmSync(at(mail));
  put(at(mail), bytes(1));
  await bring(mail, bytes(1), sent);
  expect(fs.readFileSync(at(mail))).toEqual(sent);
});

test("a file that is written just when it is to go stays as it was written", async () => {
  const name = "memory/agents/web.md";
  put(at(name), bytes(1));
  const { closeSync, openSync } = fs;
  let isRead = false;
  const opened = vi.spyOn(fs, "openSync").mockImplementation((file, ...more) => {
    isRead ||= file === at(name);
    return openSync(file, ...more);
  });
  const closed = vi.spyOn(fs, "closeSync").mockImplementation((descriptor) => {
    closeSync(descriptor);
    if (!isRead) return;
    closed.mockRestore();
    // It was read, and this process is suspended before it goes.
    fs.writeFileSync(at(name), bytes(9, 9));
  });
  try {
    await bring(name, bytes(1), null);
  } finally {
    opened.mockRestore();
    closed.mockRestore();
  }
  expect(fs.readFileSync(at(name))).toEqual(bytes(9, 9));
});
