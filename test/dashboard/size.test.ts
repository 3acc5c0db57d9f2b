import fs from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { builtFile } from "../rig/built.ts";

test("all that a browser loads is 90 kB at the most, packed", () => {
  const files = ["index.html", "app.js", "style.css", "icon.svg"].map((name) => fs.readFileSync(path.join(builtFile("dashboard"), name)));
  expect(files.reduce((sum, file) => sum + gzipSync(file, { level: 9 }).length, 0)).toBeLessThanOrEqual(90_000);
});
