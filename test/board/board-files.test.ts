/** What every record of the board promises: it comes back as it was written, its path has an inverse, and half of it is no other record. */

import { expect, test } from "vitest";
import {
  ARTIFACT_TYPES,
  type Artifact,
  artifactFolderName,
  artifactId,
  extensionFor,
  formatArtifact,
  parseArtifact,
  parseArtifactId,
  recordName,
  versionOf,
} from "../../protocol/board/nouns/artifact.ts";
import { type ClaimRecord, claimPath, fenceOf, formatClaim, parseClaim } from "../../protocol/board/nouns/claim.ts";
import {
  formatResult,
  formatReview,
  isReviewId,
  parseResult,
  parseReview,
  REVIEW_RESULTS,
  type Review,
  type ReviewResult,
  resultPath,
  reviewId,
  reviewPath,
} from "../../protocol/board/nouns/review.ts";
import {
  formatSession,
  isSessionId,
  parseSession,
  parseSessionId,
  type Session,
  sessionId,
  sessionPath,
} from "../../protocol/board/nouns/session.ts";
import { claimed, formatTask, parseTask, type Task, unmetOf } from "../../protocol/board/nouns/task.ts";
import { FileError } from "../../protocol/core/format/file-error.ts";
import { ALPHABET } from "../../protocol/core/format/id.ts";
import { character, fc, runs } from "../rig/properties.ts";

const RUNS = runs(50_000);
const check = <T>(given: fc.Arbitrary<T>, law: (value: T) => void): void => {
  fc.assert(
    fc.property(given, (value) => {
      law(value);
    }),
    { numRuns: RUNS },
  );
};

const moment = fc.integer({ min: 0, max: Date.parse("2500-01-01") }).map((at) => new Date(at).toISOString());
const random = (length: number) => fc.string({ unit: fc.constantFrom(...ALPHABET), minLength: length, maxLength: length });
const part = fc.constantFrom("web", "main", "shop/api", "a-b_c");
const words = fc.oneof(
  fc.string({ unit: character, maxLength: 60 }).map((text) => text.toWellFormed().replaceAll("\0", "")),
  fc.constantFrom("---", "---js\n", "\r\n", "012", "null", "true", "2026-01-31", "a: b", "# x", "\ufeff", "\u2028", "'\"\\"),
);
const oneLine = words.map((text) => text.replace(/[\r\n]/g, " "));
const session = fc.stringMatching(/^[A-Za-z0-9_-]{1,128}$/).filter(isSessionId);
const task = random(10).map((text) => `task-${text}`);
const whole = (min: number) => fc.integer({ min, max: 999_999 });
const some = <T extends object>(shape: { [K in keyof T]: fc.Arbitrary<T[K]> }, required: (keyof T)[]) =>
  fc.record(shape, { requiredKeys: required }).map((given) => ({ ...given })) as fc.Arbitrary<T>;

const claim = some<ClaimRecord>(
  {
    task,
    fence: whole(1),
    kind: fc.constantFrom("claim", "release", "done"),
    agent: part,
    at: moment,
    nonce: random(8),
    to: part,
    by: part,
    status: fc.constant("in_review"),
    leaseS: whole(0),
    process: fc.constantFrom("1-2-3-4", "999-0-abc-5"),
    clone: random(8),
  },
  ["task", "fence", "kind", "agent", "at", "nonce"],
);
const review = fc.record({
  id: random(10).map(reviewId),
  artifact: fc.constantFrom("artifact-2c26b46b68ff-1"),
  name: oneLine,
  version: whole(1),
  reviewer: part,
  requester: part,
  at: moment,
}) as fc.Arbitrary<Review>;
const result = fc.record({
  status: fc.constantFrom(...REVIEW_RESULTS),
  by: part,
  at: moment,
  comments: words,
}) as fc.Arbitrary<ReviewResult>;
const hash = fc.stringMatching(/^[0-9a-f]{12}$/);
const artifact = some<Artifact>(
  {
    id: fc.tuple(hash, whole(1)).map(([text, version]) => artifactId(text, version)),
    name: oneLine,
    version: whole(1),
    type: fc.constantFrom(...ARTIFACT_TYPES),
    createdBy: part,
    createdAt: moment,
    task,
    extension: fc.stringMatching(/^[a-z0-9]{1,8}$/),
    staged: random(8).map((text) => `.staged-${text}`),
  },
  ["id", "name", "version", "type", "createdBy", "createdAt", "extension", "staged"],
);

test("every record comes back as it was written", () => {
  check(claim, (written) => expect(parseClaim(formatClaim(written), written.task, written.fence)).toEqual(written));
  check(review, (written) => expect(parseReview(formatReview(written))).toEqual(written));
  check(result, (written) => expect(parseResult(formatResult(written))).toEqual(written));
  check(artifact, (written) => expect(parseArtifact(formatArtifact(written))).toEqual(written));
  check(fc.tuple(session, part, moment, part, moment), ([id, startedBy, startedAt, endedBy, endedAt]) => {
    const begun: Session = { id, startedBy, startedAt };
    const ended: Session = { ...begun, endedBy, endedAt };
    expect(parseSession(id, formatSession(begun), null)).toEqual(begun);
    expect(parseSession(id, formatSession(begun), formatSession(ended))).toEqual(ended);
  });
});

test("ids and paths have inverses, and no other text is one", () => {
  check(fc.tuple(session, task, whole(1)), ([where, id, fence]) => {
    expect(fenceOf(claimPath(where, id, fence).split("/").at(-1) as string)).toBe(fence);
    expect(versionOf(recordName(fence))).toBe(fence);
  });
  check(fc.tuple(hash, whole(1)), ([text, version]) => {
    expect(parseArtifactId(artifactId(text, version))).toEqual({ hash: text, version });
  });
  const day = moment.map((at) => at.slice(0, 10));
  check(fc.tuple(day, fc.integer({ min: 1, max: 999 }), fc.stringMatching(/^[0-9A-Z]{4}$/)), ([date, number, text]) => {
    expect(parseSessionId(sessionId(date, number, text))).toEqual({ day: date, number, random: text });
    expect(isSessionId(sessionId(date, number, text))).toBe(true);
  });
  check(fc.tuple(session, random(10)), ([where, text]) => {
    expect(isReviewId(reviewId(text))).toBe(true);
    expect(reviewPath(where, reviewId(text))).not.toBe(resultPath(where, reviewId(text)));
    expect(sessionPath(where)).toBe(`sessions/${where}/session.md`);
  });
  const none = ["0.md", "01.md", "1.md\n", "-1.md", "1.artifact.md ", "9999999999.md", "1e3.md", "../1.md"];
  for (const name of none) expect([fenceOf(name), versionOf(name), parseArtifactId(name)], name).toEqual([null, null, null]);
  const odd = fc.oneof(words, fc.constantFrom(...none));
  check(odd, (text) => {
    const fence = fenceOf(text);
    if (fence !== null) expect(`${fence}.md`).toBe(text);
    const version = versionOf(text);
    if (version !== null) expect(recordName(version)).toBe(text);
    const id = parseArtifactId(text);
    if (id !== null) expect(artifactId(id.hash, id.version)).toBe(text);
  });
});

test("an artifact's folder and ending are harmless names, whatever it is called and holds", () => {
  check(fc.tuple(oneLine, hash, words), ([name, text, content]) => {
    expect(artifactFolderName(name, text)).toMatch(/^[a-z0-9][a-z0-9-]{0,39}-[0-9a-f]{12}$/);
    expect(extensionFor(name, content)).toMatch(/^[a-z0-9]{1,8}$/);
  });
  expect(extensionFor("page.HTML", "")).toBe("html");
  expect(extensionFor("x", "--- a/x\n+++ b/x\n")).toBe("diff");
  expect(extensionFor("x", "{not json")).toBe("md");
});

/** Cuts a record at every character: what is left is refused in words, or is what was written. */
function cutEverywhere<T>(text: string, parse: (source: string) => T, written: T): void {
  for (let length = 0; length < text.length; length += 1) {
    let read: T;
    try {
      read = parse(text.slice(0, length));
    } catch (error) {
      expect(error instanceof FileError, `${length}: ${error}`).toBe(true);
      continue;
    }
    expect(read, `cut at ${length}`).toEqual(written);
  }
}

test("a record that was cut off is refused, or whole", () => {
  for (const written of fc.sample(claim, 5)) {
    cutEverywhere(formatClaim(written), (source) => parseClaim(source, written.task, written.fence), written);
  }
  for (const written of fc.sample(review, 5)) cutEverywhere(formatReview(written), parseReview, written);
  for (const written of fc.sample(artifact, 5)) cutEverywhere(formatArtifact(written), parseArtifact, written);
});

test("any file is read, or refused in words", () => {
  const header = fc.dictionary(fc.constantFrom("id", "task", "fence", "kind", "agent", "at", "status", "title", "version"), words);
  const source = fc.oneof(
    words,
    header.map(
      (fields) =>
        `---\n${Object.entries(fields)
          .map(([key, value]) => `${key}: ${value}\n`)
          .join("")}---\n`,
    ),
  );
  check(source, (text) => {
    for (const parse of [
      () => parseClaim(text, "task-0123456789", 1),
      () => parseReview(text),
      () => parseResult(text),
      () => parseArtifact(text),
      () => parseTask(text, "task-0123456789"),
      () => parseSession("s", text, text),
    ]) {
      try {
        parse();
      } catch (error) {
        expect(error instanceof FileError, String(error)).toBe(true);
      }
    }
  });
});

const base: Task = {
  id: "task-0123456789",
  title: "t",
  status: "todo",
  priority: "medium",
  createdBy: "main",
  createdAt: "2026-01-31T09:30:00.000Z",
  updatedAt: "2026-01-31T09:30:00.000Z",
  dependsOn: [],
  fence: 0,
  other: {},
  description: "",
  history: [],
};
const anyTask = fc
  .record({ status: fc.constantFrom("todo", "in_progress", "in_review", "done"), fence: fc.nat(20), assignee: fc.option(part) })
  .map(({ assignee, ...rest }) => ({ ...base, ...rest, ...(assignee === null ? {} : { assignee }) }) as Task);

test("a task is made to say what its last record says, once, and no older record undoes it", () => {
  check(fc.tuple(anyTask, claim), ([now, record]) => {
    const settled = claimed(now, record);
    if (settled === null) {
      expect(record.fence).toBeLessThanOrEqual(now.fence);
      return;
    }
    expect(settled.fence).toBe(record.fence);
    expect(settled.fence).toBeGreaterThan(now.fence);
    if (record.kind === "claim") expect([settled.assignee, settled.status]).toEqual([record.agent, record.status ?? "in_progress"]);
    if (record.kind === "release") expect([settled.status, settled.assignee]).toEqual(["todo", record.to]);
    if (record.kind === "done") expect([settled.status, settled.assignee]).toEqual(["done", now.assignee]);
    expect(claimed(settled, record)).toBeNull();
    expect(claimed(settled, { ...record, fence: record.fence - 1 })).toBeNull();
    expect(parseTask(formatTask(settled), settled.id).fence).toBe(record.fence);
  });
  expect(claimed(base, null)).toBeNull();
});

test("dependencies that are not done are unmet, unknown tasks too", () => {
  const status = fc.constantFrom("todo", "in_progress", "in_review", "done", null);
  check(fc.array(fc.tuple(task, status), { maxLength: 8 }), (known) => {
    const statuses = new Map(known);
    const unmet = unmetOf({ dependsOn: [...statuses.keys()] }, (id) => statuses.get(id) as "done" | null);
    expect(unmet).toEqual([...statuses].filter(([, value]) => value !== "done").map(([id]) => id));
  });
});
