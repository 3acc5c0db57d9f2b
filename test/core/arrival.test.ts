/** What a branch may bring onto the disk: every path that the layout makes, and none of the names that act where they lie. */
import { describe, expect, test } from "vitest";
import { besideOf, isKept, keptPath } from "../../protocol/core/noun/merge-tree.ts";
import { arrivalOf } from "../../protocol/core/tree/layout.ts";
import { lawfulPaths as lawful } from "../rig/places.ts";
import { character, fc, runs } from "../rig/properties.ts";

const HEX = "0123456789abcdef";
const hexadecimal = fc.string({ unit: fc.constantFrom(...HEX), minLength: 40, maxLength: 40 });

test("every path that Relay makes is known, and so are what gave way beside it and its signature", () => {
  fc.assert(
    fc.property(lawful, hexadecimal, (path, id) => {
      for (const mode of ["100644", "100755", "100664"]) expect(arrivalOf({ path, mode }), path).toBe("known");
      expect(arrivalOf({ path: keptPath(path, id), mode: "100644" })).toBe("known");
      if (path.endsWith(".md")) expect(arrivalOf({ path: `${path}.sig`, mode: "100644" })).toBe("known");
    }),
    { numRuns: runs(10_000) },
  );
});

test("no link, repository or other thing is known, wherever it lies", () => {
  fc.assert(
    fc.property(lawful, fc.constantFrom("120000", "160000", "040000", "40000", "100600", "100777", "", "1006440"), (path, mode) => {
      expect(arrivalOf({ path, mode })).toBe("attempt");
    }),
  );
});

test("whatever is known is short printable ASCII, has no dotted folder, and lies in no folder of a machine", () => {
  const odd = fc.oneof(
    fc.string({ unit: character, maxLength: 12 }),
    fc.constantFrom(".git", "..", ".relay", "CON", "a:b", "x\\y", "NUL.md"),
  );
  const mangled = fc.tuple(lawful, odd, fc.nat(200), fc.boolean()).map(([path, text, at, whole]) => {
    if (!whole) return path.slice(0, at % path.length) + text + path.slice(at % path.length);
    const names = path.split("/");
    names.splice(at % (names.length + 1), 0, text);
    return names.join("/");
  });
  fc.assert(
    fc.property(fc.oneof(lawful, mangled, fc.string({ unit: character })), (path) => {
      if (arrivalOf({ path, mode: "100644" }) !== "known") return;
      expect(path).toMatch(/^[!-~]{1,512}$/);
      expect(path).not.toMatch(/[\\:*?"<>|]|\/\/|\.(\/|$)/);
      const folders = path.split("/").slice(0, -1);
      expect(folders.filter((name) => name.startsWith("."))).toEqual([]);
      expect(["local", "run", "outbox"]).not.toContain(folders[0]?.toLowerCase());
      expect(path.split("/").every((name) => name.length <= 200)).toBe(true);
    }),
    { numRuns: runs(10_000) },
  );
});

describe("names that act where they lie are left out; all other names stay in the branch", () => {
  const of = (path: string): string => arrivalOf({ path, mode: "100644" });
  test.each([
    ...["../escaped", "a/./b", "a//b", "", "/etc/passwd", "a/.. /b", "...", "threads/..\\x"],
    ...[".git", ".GIT/config", ".git /hooks/x", "threads/.gıt/../x", ".git\u200c/config", ".g\u200cit/config", "git~1/config"],
    ...["x/GIT~1", ".git::$INDEX_ALLOCATION/x", "x/.sending.1"],
    ...[".github/workflows/x.yml", "threads/.gitmodules/x", "threads\\.git\\config"],
    ...["threads", "Threads/2026-01-31", "inbox/web/new", "sessions/s-1/claims/task-0000000000", "memory/agents", "org/agents"],
    ...["relay.yml/x", "memory/agents/web.md/x", "memory/project.md.kept-0123456789ab/x/y", "RELAY.md/a.md/b"],
    ...["local/clone", "LOCAL/clone", "run/x", "Outbox/x", "local./x", "run:x/y"],
    ...["threads/.relay/relay.yml", ".Relay", "relay-home/relay.yml", "a/b/relay-place", "inbox/web/new/.staged-1", ".copy.1"],
  ])("%j is an attempt", (path) => expect(of(path)).toBe("attempt"));

  test.each([
    ..."CLAUDE.md threads/CLAUDE.md AGENTS.md .claude/settings.json .mcp.json .envrc threads/relay.yml relay.yml.d/x".split(" "),
    ..."HEAD config objects/x refs/heads/x threads/HEAD.x README .gitlab-ci.yml .gitattributes threads/.gitignore".split(" "),
    ...[
      ...["INBOX/web/guest.md", "Relay.yml", "relay.md", "notes.md", "naïve ☃.md", "new\nline", "tab\there", "con.md", "b\udcffd"],
      "back\\slash",
    ],
    ...["org/x/y.md", "archive/2026-01/x.md", "memory/other.md", "inbox/con/guest.md", "inbox/web/new/note.md", "x".repeat(300)],
    ...["a/".repeat(900).concat("a"), "threads/x.kept-0123456789ab", "relay.yml.kept-0123", "notes.md.sig", "relay.yml.sig"],
    "relay.yml.kept-0123456789ab.kept-0123456789ab",
  ])("%j is a stranger", (path) => expect(of(path)).toBe("stranger"));
});

test("a kept file has one name, for listing, checkout and check", () => {
  const path = "memory/project.md";
  for (let digits = 0; digits <= 14; digits += 1) {
    const beside = `${path}.kept-${"0123456789abcdef".slice(0, digits)}`;
    const isOne = digits === 12;
    expect([isKept(beside), arrivalOf({ path: beside, mode: "100644" }) === "known", besideOf(beside) === path], beside).toEqual([
      isOne,
      isOne,
      isOne,
    ]);
  }
});
