/** What every noun of the list promises: its path has an inverse, and its text comes back as it was written. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { MOST_BYTES } from "../../protocol/core/format/schema.ts";
import { UNREADABLE } from "../../protocol/core/noun/merge-tree.ts";
import type { AnyNoun } from "../../protocol/core/noun/noun.ts";
import { verbatim } from "../../protocol/core/noun/noun.ts";
import { isBroken } from "../../protocol/core/tree/broken.ts";
import { nounAt, placeOf } from "../../protocol/core/tree/layout.ts";
import { type NounKind, nouns } from "../../protocol/nouns.ts";
import { sha256 } from "../../protocol/store/digest.ts";
import { guardText } from "../../protocol/sync/nouns/guard.ts";
import { planMerge } from "../../protocol/sync/nouns/merge.ts";
import { originLine, originsIn } from "../../protocol/trust/files/note-origins.ts";
import { goodHomeOfFile, makeTheRest } from "../rig/good-home.ts";
import { placesOf } from "../rig/places.ts";
import { character, fc, runs } from "../rig/properties.ts";

const all: readonly AnyNoun[] = nouns;
const each = nouns.map((noun) => [noun.kind, noun as AnyNoun] as const);

/** What other files call the file at a path. */
const calledAt = (at: string): string => {
  const found = nounAt(at);
  return found?.noun.name?.(found.place) ?? at;
};

/** The kinds of files that refer to others. */
const REFERRING =
  "acked artifact claim decision dispatch dispatch_closed forgotten guest label message refused result review summary task team turn turn_end turn_text unread".split(
    " ",
  );

test("no two nouns are of one kind, and each that people edit is kept", () => {
  expect(new Set(nouns.map(({ kind }) => kind)).size).toBe(nouns.length);
  expect(all.filter(({ isEdited, edits, guard }) => (isEdited || edits !== undefined) && guard !== "kept")).toEqual([]);
});

test.each(each)("%s: a path says what it was made of, and no other noun has it", (kind, noun) => {
  fc.assert(
    fc.property(placesOf(kind), ({ place, path: at }) => {
      const { kind: _kind, ...where } = place;
      expect(noun.locate(at)).toEqual(where);
      expect(placeOf(at)).toEqual(place);
      expect(all.filter((other) => other.locate(at) !== null)).toEqual([noun]);
    }),
    { numRuns: runs(2_000) },
  );
});

test.each(each)("%s: of a path that was changed only one of the same place is left", (kind, noun) => {
  const odd = fc.oneof(fc.string({ unit: character, maxLength: 4 }), fc.constantFrom("/", "//", ".", "..", ".md", "\n", "A", "0"));
  fc.assert(
    fc.property(placesOf(kind), odd, fc.nat(200), fc.nat(3), ({ path: at }, text, from, cut) => {
      const start = from % (at.length + 1);
      const changed = at.slice(0, start) + text + at.slice(start + cut);
      const where = noun.locate(changed);
      if (where !== null) expect(noun.path(where)).toBe(changed);
    }),
    { numRuns: runs(5_000) },
  );
});

test.each(each)("%s: the section that says how a file looks is there", (_kind, { section }) => {
  const [page = "", title] = section.split(", ");
  expect(
    fs
      .readFileSync(page, "utf8")
      .split("\n")
      .map((line) => line.replace(/^#+ /, "")),
  ).toContain(title);
});

test.each(each)("%s: of a file that people edit, or whose name another may take, the last writer counts, else the first", (kind, noun) => {
  const isByLast = noun.isEdited === true || ["claim", "result", "ended", "reopened"].includes(kind);
  fc.assert(
    fc.property(placesOf(kind), ({ path: at }) => {
      const commit = "0123456789abcdef0123456789abcdef01234567";
      const origins = originsIn([originLine(at, null), originLine(at, commit)].join("\n"));
      expect(origins.get(at)).toEqual(isByLast ? { from: "sync", commit } : { from: "here" });
      const later = originsIn([originLine(at, commit), originLine(at, null)].join("\n")).get(at);
      expect(later?.from).toBe(isByLast ? "here" : "sync");
    }),
    { numRuns: runs(2_000) },
  );
});

describe("of the files of a home", () => {
  const files = new Map<NounKind, { at: string; text: string }[]>();
  goodHomeOfFile(async (made) => {
    await makeTheRest(made);
    for (const at of made.files()) {
      const kind = nounAt(at)?.place.kind;
      if (kind !== undefined) files.set(kind, [...(files.get(kind) ?? []), { at, text: fs.readFileSync(made.at(at), "utf8") }]);
    }
  });

  test.each(each.filter(([, { format }]) => format !== undefined))(
    "%s: a file that was read is written again, byte for byte",
    (kind, noun) => {
      for (const { at, text } of files.get(kind) ?? []) {
        const where = noun.locate(at);
        expect(noun.format?.(noun.parse(text, where, sha256), where, sha256), at).toBe(text);
      }
    },
  );

  test("there is a file of every noun, within its limit", () => {
    for (const [kind, { limit }] of each) {
      const sizes = (files.get(kind) ?? []).map(({ text }) => Buffer.byteLength(text));
      expect(sizes.length, kind).toBeGreaterThan(0);
      expect(Math.max(...sizes), kind).toBeLessThanOrEqual(limit);
    }
  });

  test("the files that a file refers to are there, under the names that it says", () => {
    const named = new Set([...files].flatMap(([kind, found]) => found.map(({ at }) => `${kind} ${calledAt(at)}`)));
    // A thread of which nothing more is said than its first message says has no file of its own.
    for (const { at } of files.get("message") ?? []) named.add(`thread ${path.posix.basename(path.posix.dirname(at))}`);
    const referring = all.filter(({ refersTo }) => refersTo !== undefined);
    for (const { kind, parse, locate, refersTo } of referring)
      for (const { at, text } of files.get(kind as NounKind) ?? []) {
        const where = locate(at);
        const references = refersTo?.(where, parse(text, where, sha256)) ?? [];
        for (const each of references) {
          // What somebody asked to forget is gone.
          if (kind !== "forgotten") expect(named, at).toContain(`${each.kind} ${each.name}`);
          if (each.key !== undefined) expect(text, at).toMatch(new RegExp(`^${each.key}:`, "m"));
        }
        // Of a file that nobody can read only what its path says is known.
        expect(references, at).toEqual(expect.arrayContaining([...(refersTo?.(where, null) ?? [])]));
      }
    expect(referring.map(({ kind }) => kind).sort()).toEqual(REFERRING);
  });

  /** Texts that nobody can read in the place of another: null is bytes that are no UTF-8. */
  const unreadableFor = (noun: AnyNoun, at: string, good: string): (string | null)[] => [
    null,
    ...[`\0${good}`, `${good}\n# a\0b\n`, `---\nid: [\n---\n${good}`, "---\nid: [\n", `---\nx: 1\n---\n${good}`].filter((text) => {
      try {
        noun.parse(text, noun.locate(at), sha256);
        return false;
      } catch {
        return true;
      }
    }),
  ];

  test.each(each.filter(([, { guard }]) => guard === "kept"))(
    "%s: an unreadable text never takes the place of a readable one",
    (kind, noun) => {
      for (const { at, text: good } of files.get(kind) ?? []) {
        const unreadable = unreadableFor(noun, at, good);
        for (const bad of unreadable) {
          expect([guardText(at, good, bad), guardText(at, bad, good)], JSON.stringify(bad)).toEqual(["before", "now"]);
        }
        for (const bad of new Set([null, unreadable.at(-1) ?? null])) {
          const contents = new Map<string, string | Uint8Array>([
            ["good", good],
            ["bad", bad ?? UNREADABLE],
          ]);
          for (const [one, other] of [
            ["good", "bad"],
            ["bad", "good"],
          ] as const)
            for (const published of ["ours", "theirs", undefined] as const)
              for (const names of [contents, new Map([...contents].map(([id, text]) => [id === "bad" ? "a" : "b", text]))]) {
                const idOf = (id: string): string => (names === contents ? id : id === "bad" ? "a" : "b");
                const [ours, theirs] = [new Map([[at, idOf(one)]]), new Map([[at, idOf(other)]])];
                const outcome = planMerge(new Map(), ours, theirs, published, sha256)
                  .run((id) => names.get(id) as string)
                  .get(at);
                expect(outcome, `${JSON.stringify(bad)} as ${other === "bad" ? "theirs" : "ours"}, published ${published}`).toEqual({
                  take: idOf("good"),
                });
              }
        }
      }
    },
  );

  test.each(each.filter(([, { guard }]) => guard === "once"))(
    "%s: a broken text never takes the place of an intact one, in a merge and in a range",
    (kind, noun) => {
      const found = files.get(kind) ?? [];
      expect(found.length).toBeGreaterThan(0);
      for (const { at, text: good } of found) {
        expect(isBroken(at, good, sha256), at).toBe(false);
        const bad = [
          `${good}${"y".repeat(Math.min(noun.limit, MOST_BYTES))}`,
          ...(kind === "acked" ? [null] : unreadableFor(noun, at, good)),
        ];
        // Of a name without a seal nobody can tell.
        const isUnsealed = kind === "message" && !isBroken(at, `${good} `, sha256);
        for (const text of isUnsealed ? bad.slice(0, 1) : bad) {
          const name = `${at}: ${JSON.stringify(text)?.slice(0, 40)}`;
          expect(isBroken(at, text, sha256), name).toBe(true);
          const of = (id: string): ReadonlyMap<string, string> => new Map([[at, id]]);
          // Chains and numbered versions have rules of their own.
          if (noun.merge?.by === "chain" || noun.merge?.by === "versions") continue;
          for (const [ours, theirs, published] of [
            ["good", "bad", "theirs"],
            ["bad", "good", "ours"],
          ] as const) {
            const read = (id: string): string | Uint8Array => (id === "good" ? good : (text ?? UNREADABLE));
            expect(planMerge(new Map(), of(ours), of(theirs), published, sha256).run(read).get(at), name).toEqual({ take: "good" });
          }
        }
      }
    },
  );

  test.each(each.filter(([, { parse }]) => parse !== verbatim))("%s: no text with a NUL in it is read", (kind, noun) => {
    for (const { at, text } of files.get(kind) ?? []) {
      const read = (): unknown => noun.parse(`${text}# a\0b\n`, noun.locate(at), sha256);
      // Of a file of lines the others are read.
      if (kind === "events" || kind === "usage") expect(read()).toMatchObject({ broken: [{ line: text.split("\n").length }] });
      else expect(read, at).toThrow();
    }
  });
});
