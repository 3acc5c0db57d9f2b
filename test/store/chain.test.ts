/** Names that several processes use: a number has one owner, once, and a name is removed only where it has what was meant. SPEC.md, "Rules of the disk". */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { openStore, type Store } from "../../protocol/store/root.ts";
import { addNumber, type Chain, extendChain, lastNumber, numbersIn, plainChain, plainNumber } from "../../protocol/store/write/chain.ts";
import { removeIf } from "../../protocol/store/write/remove-if.ts";
import { put, scratch } from "../rig/scratch.ts";

const KEPT = 8;
const chain = plainChain("run/numbers", KEPT);
const add = (store: Store, text: string, on: Chain = chain): number => extendChain(store, on, (last) => ({ text, answer: last + 1 }));
const textAt = (store: Store, n: number): string => fs.readFileSync(path.join(store.root, chain.pathOf(n)), "utf8");

test("numbers count from one, and the last ones stay", () => {
  const store = openStore(scratch());
  expect(lastNumber(store, chain)).toBe(0);
  for (let n = 1; n <= 3 * KEPT; n += 1) expect(add(store, `${n}`)).toBe(n);
  const kept = numbersIn(store, chain).sort((a, b) => a - b);
  expect(kept).toEqual(Array.from({ length: KEPT }, (_, at) => 2 * KEPT + 1 + at));
});

test("of two who saw the same number one adds the next, and the other decides again", () => {
  const store = openStore(scratch());
  const seen: number[] = [];
  const mine = extendChain(store, chain, (last) => {
    seen.push(last);
    if (last === 0) add(store, "the quicker one");
    return { text: "mine", answer: last + 1 };
  });
  expect({ mine, seen, first: textAt(store, 1), second: textAt(store, 2) }).toEqual({
    mine: 2,
    seen: [0, 1],
    first: "the quicker one",
    second: "mine",
  });
});

test.each([1, KEPT - 1, KEPT, KEPT + 1, 5 * KEPT])("a writer that slept while %i numbers were added takes none that was used", (others) => {
  const store = openStore(scratch());
  add(store, "before");
  let slept = false;
  const mine = extendChain(store, chain, (last) => {
    if (!slept) for (let n = 0; n < others; n += 1) add(store, "another's");
    slept = true;
    return { text: "mine", answer: last + 1 };
  });
  expect(mine).toBe(others + 2);
  const numbers = numbersIn(store, chain);
  expect(numbers.filter((n) => textAt(store, n) === "mine")).toEqual([mine]);
  expect(Math.max(...numbers)).toBe(mine);
});

test("a number that was used and cleared is not there afterwards", () => {
  const store = openStore(scratch());
  for (let n = 1; n <= 2 * KEPT; n += 1) add(store, "x");
  expect(addNumber(store, chain, 1, "asleep since the beginning")).toBe(false);
  expect(numbersIn(store, chain)).not.toContain(1);
});

test("a writer that adds nothing leaves nothing, and names that are not numbers do not count", () => {
  const store = openStore(scratch());
  add(store, "one");
  fs.writeFileSync(path.join(store.root, "run/numbers/1.lease"), "");
  fs.writeFileSync(path.join(store.root, "run/numbers/007"), "");
  expect(extendChain(store, chain, (last) => ({ text: null, answer: last }))).toBe(1);
  expect([plainNumber("7"), plainNumber("07"), plainNumber("0"), plainNumber("1.lease"), plainNumber(`1${"0".repeat(15)}`)]).toEqual([
    7,
    null,
    null,
    null,
    null,
  ]);
});

test("a chain that clears nothing is counted over all of its folders", () => {
  const store = openStore(scratch());
  const both: Chain = { folders: ["a", "b"], numberOf: plainNumber, pathOf: (n) => `a/${n}` };
  put(path.join(store.root, "b/41"), "");
  expect([add(store, "x", both), add(store, "x", both)]).toEqual([42, 43]);
});

const AT = "claims/1.md";

function folder(): { store: Store; file: string } {
  const root = scratch();
  put(path.join(root, AT), "mine");
  return { store: openStore(root), file: path.join(root, AT) };
}

test("the file that is meant is removed, and no other", () => {
  const { store, file } = folder();
  expect(removeIf(store, AT, 100, (bytes) => bytes.toString() === "another's")).toBe(false);
  expect(removeIf(store, AT, 100, (bytes) => bytes.toString() === "mine")).toBe(true);
  expect(removeIf(store, AT, 100, () => true)).toBe(false);
  expect(fs.existsSync(file)).toBe(false);
  expect(fs.readdirSync(path.join(store.root, "run/tmp"))).toEqual([]);
});

test("a file that another process wrote under the name, after the look, is there again", () => {
  const { store, file } = folder();
  let looks = 0;
  const isRemoved = removeIf(store, AT, 100, (bytes) => {
    looks += 1;
    // This process is suspended here: another removes the file, and a third writes its own.
    if (looks === 1) fs.writeFileSync(file, "another's");
    return bytes.toString() === "mine";
  });
  expect(isRemoved).toBe(false);
  expect(fs.readFileSync(file, "utf8")).toBe("another's");
  expect(fs.readdirSync(path.join(store.root, "run/tmp"))).toEqual([]);
});
