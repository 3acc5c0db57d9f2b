import { createHash, randomBytes as dice } from "node:crypto";
import { expect, test } from "vitest";
import { randomBytes, sha256 } from "../../protocol/store/digest.ts";
import { shortSha256 } from "../../protocol/store/sha256.ts";

const expected = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex");

test("a digest by hand is that of Node, for every length around the ends of blocks", () => {
  for (let length = 0; length < 300; length += 1) {
    const bytes = dice(length);
    expect(shortSha256(bytes)).toBe(expected(bytes));
  }
});

test("a digest is the same whoever makes it: the first texts, and those after so many", () => {
  for (const text of ["", "a", "\u00e4\u{1f600}\ud800", "x".repeat(3_000), "y".repeat(9_000), "z".repeat(100_000), "again"])
    expect(sha256(text)).toBe(expected(text));
});

test("dice are as many as asked, and never the same twice", () => {
  const thrown = Array.from({ length: 1_000 }, () => Buffer.from(randomBytes(16)).toString("hex"));
  expect(new Set(thrown).size).toBe(1_000);
  expect(thrown.every((each) => each.length === 32)).toBe(true);
});
