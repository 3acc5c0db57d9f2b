/** What a branch may bring onto the disk: every path that the layout makes, and none of the names that act where they lie. */
import { describe, expect, test } from "vitest";
import { POOL_PATH } from "../../protocol/objects/agent/team.ts";
import { artifactsFolder } from "../../protocol/objects/artifact/artifact.ts";
import { resultPath, reviewPath } from "../../protocol/objects/artifact/review.ts";
import { CONFIG_PATH } from "../../protocol/objects/config/config-schema.ts";
import { eventPath } from "../../protocol/objects/event/event.ts";
import { ALPHABET, dayOf, encodeTime, messageId } from "../../protocol/objects/format/id.ts";
import { agentMemoryPath, MEMORY_PATH } from "../../protocol/objects/memory/memory.ts";
import { keptPath } from "../../protocol/objects/merge/merge.ts";
import { messagePath } from "../../protocol/objects/message/message.ts";
import { threadPath } from "../../protocol/objects/message/thread.ts";
import { guestPath } from "../../protocol/objects/part/guest.ts";
import { partProblem, readPath, unreadPath } from "../../protocol/objects/part/part.ts";
import {
  endedPath,
  isSessionId,
  sessionFolder,
  sessionPath,
  statePath,
  summaryPath,
  summaryVersionPath,
  teamPath,
} from "../../protocol/objects/session/session.ts";
import { claimPath, decisionPath } from "../../protocol/objects/task/claim.ts";
import { taskPath } from "../../protocol/objects/task/task.ts";
import { arrivalOf } from "../../protocol/objects/tree/arrival.ts";
import { fc } from "../rig/properties.ts";

const from = (letters: string, least: number, most = least): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...letters), minLength: least, maxLength: most });
const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const HEX = "0123456789abcdef";
const random = (length: number): fc.Arbitrary<string> => from(ALPHABET, length);
const segment = fc.oneof(
  fc.tuple(from(LETTERS, 1), from(`${LETTERS}_-`, 0, 63)).map(([first, rest]) => first + rest),
  fc.constantFrom("local", "run", "outbox", "relay-home", "relay-place", "org"),
);
const part = fc
  .array(segment, { minLength: 1, maxLength: 3 })
  .map((segments) => segments.join("/"))
  .filter((id) => partProblem(id) === null);
const session = fc.oneof(from(`${LETTERS}_-`, 1, 128), fc.constantFrom("relay-home", "local")).filter(isSessionId);
const task = random(10).map((id) => `task-${id}`);
const review = random(10).map((id) => `review-${id}`);
const key = fc
  .record({
    began: fc.integer({ min: 0, max: Date.parse("2500-01-01") }),
    random: random(8),
    n: fc.integer({ min: 1, max: 999_999_999 }),
    at: fc.integer({ min: 0, max: Date.parse("2500-01-01") }),
    tail: random(5),
  })
  .map(({ began, at, tail, ...rest }) => ({ ...rest, day: dayOf(began), token: encodeTime(at) + tail }));
const number = fc.integer({ min: 1, max: 999_999_999 });
const claimNumber = fc.integer({ min: 1, max: 99_999_999 });

/** Every path that Relay makes and clones share. */
const lawful = fc.oneof(
  fc.constantFrom(CONFIG_PATH, "RELAY.md", ".gitignore", POOL_PATH, MEMORY_PATH),
  key.map(messagePath),
  key.map(threadPath),
  fc.tuple(part, key).map(([to, id]) => unreadPath(to, messageId(id))),
  fc.tuple(part, key).map(([to, id]) => readPath(to, messageId(id), id.day)),
  part.map(guestPath),
  part.map(agentMemoryPath),
  session.chain((id) => fc.constantFrom(...[sessionPath, endedPath, summaryPath, statePath, teamPath].map((path) => path(id)))),
  fc.tuple(session, number).map(([id, version]) => summaryVersionPath(id, version)),
  fc.tuple(session, task).map(([id, of]) => taskPath(id, of)),
  fc.tuple(session, task, claimNumber).map(([id, of, fence]) => claimPath(id, of, fence)),
  fc
    .tuple(session, task, claimNumber, random(8), fc.constantFrom("confirmed" as const, "lost" as const))
    .map(([id, of, fence, nonce, as]) => decisionPath(id, { task: of, fence, nonce }, as)),
  fc.tuple(session, review).map(([id, of]) => reviewPath(id, of)),
  fc.tuple(session, review).map(([id, of]) => resultPath(id, of)),
  fc.tuple(session, from(HEX, 24)).map(([id, hash]) => `${sessionFolder(id)}/labels/${hash}.txt`),
  fc
    .tuple(session, from(HEX, 12), fc.integer({ min: 1, max: 9_999_999 }), fc.constantFrom("artifact.md", "md", "svg"))
    .map(([id, hash, version, ending]) => `${artifactsFolder(id)}/checkout-${hash}/${version}.${ending}`),
  fc.tuple(key, random(8)).map(([{ day }, clone]) => eventPath(day, clone)),
);

test("every path that Relay makes is known, and so are what gave way beside it and its signature", () => {
  fc.assert(
    fc.property(lawful, from(HEX, 40), (path, id) => {
      for (const mode of ["100644", "100755", "100664"]) expect(arrivalOf({ path, mode }), path).toBe("known");
      expect(arrivalOf({ path: keptPath(path, id), mode: "100644" })).toBe("known");
      if (path.endsWith(".md")) expect(arrivalOf({ path: `${path}.sig`, mode: "100644" })).toBe("known");
    }),
    { numRuns: 2_000 },
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
    fc.string({ unit: "binary", maxLength: 12 }),
    fc.constantFrom(".git", "..", ".relay", "CON", "a:b", "x\\y", "NUL.md"),
  );
  const mangled = fc.tuple(lawful, odd, fc.nat(200), fc.boolean()).map(([path, text, at, whole]) => {
    if (!whole) return path.slice(0, at % path.length) + text + path.slice(at % path.length);
    const names = path.split("/");
    names.splice(at % (names.length + 1), 0, text);
    return names.join("/");
  });
  fc.assert(
    fc.property(fc.oneof(lawful, mangled, fc.string({ unit: "binary" })), (path) => {
      if (arrivalOf({ path, mode: "100644" }) !== "known") return;
      expect(path).toMatch(/^[!-~]{1,512}$/);
      expect(path).not.toMatch(/[\\:*?"<>|]|\/\/|\.(\/|$)/);
      const folders = path.split("/").slice(0, -1);
      expect(folders.filter((name) => name.startsWith("."))).toEqual([]);
      expect(["local", "run", "outbox"]).not.toContain(folders[0]?.toLowerCase());
      expect(path.split("/").every((name) => name.length <= 200)).toBe(true);
    }),
    { numRuns: 5_000 },
  );
});

describe("names that act where they lie are left out; all other names stay in the branch", () => {
  const of = (path: string): string => arrivalOf({ path, mode: "100644" });
  test.each([
    ...["../escaped", "a/./b", "a//b", "", "/etc/passwd", "a/.. /b", "...", "threads/..\\x"],
    ...[
      ".git",
      ".GIT/config",
      ".git /hooks/x",
      "threads/.gıt/../x",
      ".git\u200c/config",
      "git~1/config",
      "x/GIT~1",
      ".git::$INDEX_ALLOCATION/x",
    ],
    ...[".github/workflows/x.yml", "threads/.gitmodules/x", "threads\\.git\\config"],
    ...["local/clone", "LOCAL/clone", "run/x", "Outbox/x", "local./x", "run:x/y"],
    ...[
      "threads/.relay/relay.yml",
      ".Relay",
      "relay-home/relay.yml",
      "a/b/relay-place",
      "inbox/web/new/.staged-1",
      ".copy.1",
      "x/.sending.1",
    ],
  ])("%j is an attempt", (path) => expect(of(path)).toBe("attempt"));

  test.each([
    ...["CLAUDE.md", "threads/CLAUDE.md", "AGENTS.md", ".claude/settings.json", ".mcp.json", ".envrc", "threads/relay.yml", "relay.yml/x"],
    ...["HEAD", "config", "objects/x", "refs/heads/x", "threads/HEAD", "README", ".gitlab-ci.yml", ".gitattributes", "threads/.gitignore"],
    ...[
      "INBOX/web/guest.md",
      "Relay.yml",
      "relay.md",
      "notes.md",
      "naïve ☃.md",
      "new\nline",
      "tab\there",
      "con.md",
      "b\udcffd",
      "back\\slash",
    ],
    ...[
      "org/x/y.md",
      "archive/2026-01/x.md",
      "memory/other.md",
      "inbox/con/guest.md",
      "inbox/web/new/note.md",
      "x".repeat(300),
      "a/".repeat(900).concat("a"),
    ],
    ...[
      "threads/x.kept-0123456789ab",
      "relay.yml.kept-0123",
      "relay.yml.kept-0123456789ab.kept-0123456789ab",
      "notes.md.sig",
      "relay.yml.sig",
    ],
  ])("%j is a stranger", (path) => expect(of(path)).toBe("stranger"));
});
