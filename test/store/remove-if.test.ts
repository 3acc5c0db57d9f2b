/** A name that several processes use is removed only where it still has the file that was meant. SPEC.md, "Rules of the disk". */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { openStore } from "../../protocol/store/root.ts";
import { removeIf } from "../../protocol/store/write/remove-if.ts";
import { scratch } from "../rig/scratch.ts";

const AT = "claims/1.md";

function folder(): { store: ReturnType<typeof openStore>; file: string } {
  const root = scratch();
  fs.mkdirSync(path.join(root, "claims"));
  fs.writeFileSync(path.join(root, AT), "mine");
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
