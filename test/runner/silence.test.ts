/** When a program is stopped that says nothing. */
import { expect, test } from "vitest";
import { Silence } from "../../runner/run/silence.ts";

const no = (): boolean => false;
const yes = (): boolean => true;

test("a program is stopped that says nothing for longer than the limit, and not before", () => {
  const silence = new Silence(0);
  expect(silence.isTooLong(100, 100, no)).toBe(false);
  expect(silence.isTooLong(101, 100, no)).toBe(true);
  silence.heard(90);
  expect(silence.isTooLong(190, 100, no)).toBe(false);
  expect(silence.isTooLong(191, 100, no)).toBe(true);
});

test("a program that waits is never silent, and has its whole time again when its wait ends", () => {
  const silence = new Silence(0);
  expect(silence.isTooLong(500, 100, yes)).toBe(false);
  // The members end just before it is asked again, and the program has yet to read what they said.
  expect(silence.isTooLong(599, 100, no)).toBe(false);
  expect(silence.isTooLong(699, 100, no)).toBe(false);
  expect(silence.isTooLong(700, 100, no)).toBe(true);
});

test("the reason to wait is not asked for in the first half of the limit", () => {
  const asked: number[] = [];
  const silence = new Silence(0);
  for (const nowMs of [10, 50, 51]) silence.isTooLong(nowMs, 100, () => asked.push(nowMs) > 0);
  expect(asked).toEqual([51]);
});
