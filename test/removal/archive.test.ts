/** An archive gives back exactly what went into it, whatever the texts hold, and nothing that is not the thread's. */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { parseThreadId, type ThreadLocation } from "../../protocol/core/format/id.ts";
import {
  archivePath,
  formatArchive,
  joinedArchives,
  locateArchive,
  parseArchive,
  threadOfArchived,
} from "../../protocol/removal/nouns/archive.ts";
import { fc } from "../rig/properties.ts";

const KEY = parseThreadId("t-20260131-k3f9x2ab") as ThreadLocation;
const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
const FOLDER = "threads/2026-01-31/t-20260131-k3f9x2ab";
const MESSAGES = ["1-1kg9p6je0abcde", "2-1kg9p6je1abcde", "10-1kg9p6je2abcde"];
const PATHS = [
  `${FOLDER}/thread.md`,
  `${FOLDER}/thread.md.kept-0123456789ab`,
  ...MESSAGES.map((name) => `${FOLDER}/${name}.md`),
  `${FOLDER}/${MESSAGES[0]}.md.sig`,
  ...MESSAGES.flatMap((name) => ["web", "shop/api"].map((part) => `inbox/${part}/read/2026-01-31/m-20260131-k3f9x2ab-${name}.md`)),
];
const SPOILERS = ["\n## threads/x\n", "---\n", "- also: x\n", "\n\n- lines: 1\n", "\r\n", "", "\n", "\ufeffmark", "\u2028"];
const texts = fc
  .array(fc.oneof(fc.constantFrom(...SPOILERS), fc.string({ unit: "grapheme" })), { maxLength: 6 })
  .map((parts) => parts.join(""));

describe("archive", () => {
  it("gives back every text, in one order of bytes", () => {
    const files = fc.uniqueArray(fc.tuple(fc.constantFrom(...PATHS), texts), { minLength: 1, selector: ([path]) => path });
    fc.assert(
      fc.property(files, (list) => {
        const source = formatArchive(KEY, new Map(list), digest);
        expect(new Map([...parseArchive(source, KEY, digest)].sort())).toEqual(new Map([...list].sort()));
        expect(formatArchive(KEY, new Map([...list].reverse()), digest)).toBe(source);
      }),
    );
  });

  it("is refused where one character is another", () => {
    const source = formatArchive(KEY, new Map(PATHS.map((path, at) => [path, `text ${at % 4}\n`])), digest);
    fc.assert(
      fc.property(fc.nat(source.length - 1), fc.constantFrom("x", "\n", " ", "0"), (at, other) => {
        fc.pre(source[at] !== other);
        expect(() => parseArchive(source.slice(0, at) + other + source.slice(at + 1), KEY, digest)).toThrow();
        expect(() => parseArchive(source.slice(0, at), KEY, digest)).toThrow();
      }),
    );
  });

  it("holds nothing but what is the thread's", () => {
    for (const path of PATHS) expect(threadOfArchived(path), path).toMatchObject(KEY);
    const others = [
      "relay.yml",
      "../x",
      `${FOLDER}/../x.md`,
      `${FOLDER}/notes.md`,
      "threads/2026-01-30/t-20260131-k3f9x2ab/thread.md",
      "threads/2026-01-31/t-20260131-k3f9x2ac/thread.md",
      "inbox/web/new/m-20260131-k3f9x2ab-1-1kg9p6je0abcde.md",
      "inbox/../read/2026-01-31/m-20260131-k3f9x2ab-1-1kg9p6je0abcde.md",
      "inbox/web/read/2026-01-30/m-20260131-k3f9x2ab-1-1kg9p6je0abcde.md",
      "/etc/passwd",
    ];
    for (const path of others) expect(() => parseArchive(formatArchive(KEY, new Map([[path, "x"]]), digest), KEY, digest), path).toThrow();
  });

  it("has a path with an inverse", () => {
    for (const number of [1, 2, 999]) expect(locateArchive(archivePath(KEY, number))).toEqual({ key: KEY, number });
    for (const path of ["archive/2026-02/t-20260131-k3f9x2ab.md", "archive/2026-01/t-20260131-k3f9x2ab.1.md", "archive/2026-01/x.md"])
      expect(locateArchive(path), path).toBeNull();
  });

  it("lets no later archive hide or change what an earlier one has", () => {
    const [thread, message] = [PATHS[0] as string, PATHS[2] as string];
    const joined = joinedArchives(KEY, [
      new Map([
        [thread, "a"],
        [message, "first"],
      ]),
      new Map([
        [thread, "b"],
        [message, "other"],
      ]),
    ]);
    expect([...joined]).toEqual([
      [thread, "b"],
      [message, "first"],
    ]);
  });
});
