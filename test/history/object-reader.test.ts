/** Objects of git, read while the caller waits: of every size, in every order, also where one is too large or missing, and from an older git. */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { ObjectReader } from "../../protocol/git/objects/object-reader.ts";
import { cleanEnv, repository, scratch } from "../rig/scratch.ts";

const MOST = 65_536;
let reader: ObjectReader;
afterEach(() => {
  reader.end();
  vi.unstubAllEnvs();
});

/** Has git refuse `--batch-command`, as one older than 2.36 does. @returns what says that it was asked */
function withOlderGit(): () => boolean {
  const aside = scratch();
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const script = `#!/bin/sh\ncase "$*" in *--batch-command*) touch '${aside}/refused'; echo "error: unknown option" >&2; exit 129;; esac\nexec '${real}' "$@"\n`;
  fs.writeFileSync(path.join(aside, "git"), script, { mode: 0o755 });
  vi.stubEnv("PATH", `${aside}:${process.env["PATH"]}`);
  return () => fs.existsSync(path.join(aside, "refused"));
}

test.each(["this git", "an older git"])(
  "of %s each object is whole, or too large to be held and of known size; one that is missing is a refusal, and no end",
  (which) => {
    const wasRefused = which === "this git" ? null : withOlderGit();
    const folder = repository();
    reader = new ObjectReader({ gitDir: path.join(folder, ".git"), workTree: folder });
    const contents = [0, 1, 10, 5_000, 70_000, 300_000, MOST, MOST + 1].map((size) => randomBytes(size));
    const ids = contents.map((input) =>
      execFileSync("git", ["hash-object", "-w", "--stdin"], { cwd: folder, input, env: cleanEnv(), encoding: "utf8" }).trim(),
    );
    const many = Array.from({ length: 150 }, (_, n) => ids[n % ids.length]);
    for (const order of [ids, ids.toReversed(), [ids[5]], [ids[4], ids[0]], many] as string[][]) {
      const wanted = order.map((id) => contents[ids.indexOf(id)] as Buffer);
      const found = reader.read(order, MOST);
      expect(found.map(({ size }) => size)).toEqual(wanted.map(({ length }) => length));
      expect(found.map(({ bytes }) => bytes?.toString("hex") ?? null)).toEqual(
        wanted.map((content) => (content.length > MOST ? null : content.toString("hex"))),
      );
    }
    expect(() => reader.read(["0".repeat(40)], MOST)).toThrow("lacks 000000000000");
    expect(() => reader.read([...many, "0".repeat(40), ...many] as string[], MOST)).toThrow("lacks 000000000000");
    expect(reader.read([ids[1] as string], MOST)[0]?.size).toBe(1);
    expect(wasRefused?.() ?? true).toBe(true);
  },
);
