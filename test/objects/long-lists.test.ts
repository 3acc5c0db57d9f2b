/** Lists that a push makes longer than one call takes arguments: nothing ends by them. */
import { expect, test } from "vitest";
import { append } from "../../protocol/objects/format/append.ts";
import { planGuard } from "../../protocol/objects/guard/guard.ts";

/** More than a call takes. */
const MANY = 130_000;
const SESSION = "s1";

/** A chain of claims of one task, so many long. */
function chain(by: string, count = MANY): Map<string, string> {
  const tree = new Map<string, string>();
  for (let fence = 1; fence <= count; fence += 1) tree.set(`sessions/${SESSION}/claims/task-1kg9p6je0a/${fence}.md`, `${by} ${fence}`);
  return tree;
}

test("a chain of claims that is gone comes back", () => {
  const { back } = planGuard(chain("web"), new Map()).run((id) => id);
  expect(back).toHaveLength(MANY);
});

test("a list takes more than an argument each", () => {
  const list = [0];
  append(
    list,
    Array.from({ length: MANY }, (_, at) => at),
  );
  expect(list).toHaveLength(MANY + 1);
});
