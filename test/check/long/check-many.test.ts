/** Findings that a push makes by the hundred thousand: the first of each code are told, the others counted. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { standing } from "../../../protocol/check/files/lasting-findings.ts";
import type { Finding } from "../../../protocol/core/format/finding.ts";
import { messageId } from "../../../protocol/core/format/id.ts";
import { openStore } from "../../../protocol/store/root.ts";
import { type Answer, act } from "../../rig/clones.ts";
import { homeWith } from "../../rig/home.ts";
import { repository } from "../../rig/scratch.ts";

const DAY = "2026-02-03";
const BAD = 1_500;
const TOLD = 1_000;
const GOOD = 20;

const ackOf = (n: number): string =>
  `inbox/web/read/${DAY}/${messageId({ day: DAY, random: n.toString(16).padStart(8, "0"), n: 1, token: "1kg9p6je000001" })}.md`;

let code: string;
beforeAll(async () => {
  code = path.join(fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "relay-many-"))), "code");
  fs.renameSync(repository(), code);
  await act(code, undefined, "init", { parts: ["web", "api"] });
  for (let n = 0; n < GOOD; n += 1) await act(code, "api", "send", { to: ["web"], subject: `s${n}`, body: "b" });
  await act(code, undefined, "record");
  fs.mkdirSync(path.dirname(path.join(code, ".relay", ackOf(0))), { recursive: true });
  for (let n = 0; n < BAD; n += 1) fs.writeFileSync(path.join(code, ".relay", ackOf(n)), "x");
});
afterAll(() => fs.rmSync(path.dirname(code), { recursive: true, force: true }));

const ofCode = (findings: Answer[], wanted: string): Answer[] => findings.filter((each) => each.code === wanted);

test("check tells the first of a code by path, then how many more there are, and counts all; doctor tells the same", async () => {
  const { ok, findings, counts } = await act(code, undefined, "check");
  expect(ok).toBe(false);
  expect(counts).toEqual({ dangling_mail: BAD, malformed: BAD });
  for (const each of ["dangling_mail", "malformed"]) {
    const told = ofCode(findings, each);
    expect(told).toHaveLength(TOLD + 1);
    expect(told.slice(0, TOLD).map(({ path: at }: Answer) => at)).toEqual(Array.from({ length: TOLD }, (_, n) => ackOf(n)));
    expect(told.at(-1)).toMatchObject({ path: ackOf(TOLD), more: BAD - TOLD, found: `and ${BAD - TOLD} more, of which this is the first` });
  }
  const told = ofCode((await act(code, undefined, "doctor")).findings, "malformed");
  expect(told).toHaveLength(TOLD + 1);
  expect(told.at(-1)).toMatchObject({ more: BAD - TOLD, path: ackOf(TOLD), fixable: false });
});

/** So many of one code, each with its own path. */
const many = (from: number, count: number): Finding[] =>
  Array.from({ length: count }, (_, n) => ({ severity: "error", code: "malformed", path: ackOf(from + n), problem: "p" }));

test("where what is told of a code does not stand, the rest is looked at too", async () => {
  const store = openStore(await homeWith("web"));
  const looks = [many(0, BAD), many(1, BAD - 1), many(1, BAD - 1)];
  const next = (): ReturnType<typeof many> => looks.shift() ?? many(1, BAD - 1);
  expect(
    (
      await standing(
        store,
        async () => next(),
        () => true,
      )
    ).map(({ path: at }) => at),
  ).toEqual(many(1, BAD - 1).map(({ path: at }) => at));
  // All of it was a moment of writers.
  const gone = [many(0, BAD)];
  expect(
    await standing(
      store,
      async () => gone.shift() ?? [],
      () => true,
    ),
  ).toEqual([]);
});
