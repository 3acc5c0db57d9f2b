import { expect, test } from "vitest";
import { FileError } from "../../protocol/core/format/file-error.ts";
import { formatFrontmatter, parseFrontmatter } from "../../protocol/core/format/frontmatter.ts";
import { asLine, lineProblem } from "../../protocol/core/format/hidden.ts";
import { ALPHABET, dayOf, encodeTime, messageId, threadId } from "../../protocol/core/format/id.ts";
import { isPlain, messageHeader } from "../../protocol/mail/nouns/header.ts";
import { formatMessage, type Message, parseMessage, preview } from "../../protocol/mail/nouns/message.ts";
import { formatThread, parseThread, THREAD_STATUSES, type Thread } from "../../protocol/mail/nouns/thread.ts";
import { sha256 } from "../../protocol/store/digest.ts";
import { character, fc, runs } from "../rig/properties.ts";

const random = (length: number) => fc.string({ unit: fc.constantFrom(...ALPHABET), minLength: length, maxLength: length });
const moment = fc.integer({ min: 0, max: Date.parse("2500-01-01") });
const text = fc.oneof(
  fc.string({ unit: character, maxLength: 300 }),
  fc.string({ maxLength: 300 }),
  fc.constantFrom(
    ...["---\nfrom: eve\n---\n", "---js\n{}\n---", "\n", "", " ", "\r\n", "---", "a\n---\nb", "\ufeffx", "'\"\\", "*x", "&a"],
    ...["!!js/function x", "012", "1e3", "null", "\u2028\u2029\u0085\u007f"],
  ),
);
const wellFormed = text.map((value) => value.toWellFormed());
/** What a call would take as one line. */
const lineOf = (most: number) => text.map((value) => asLine(value, most));
/** No file has a NUL in its text; in a header it is escaped. */
const bodyText = wellFormed.map((value) => value.replaceAll("\0", ""));
const part = fc.constantFrom("web", "main", "shop/api", "a-b_c");
const key = fc
  .record({ began: moment, thread: random(8), n: fc.integer({ min: 1, max: 99_999 }), at: moment, tail: random(5) })
  .map(({ began, thread, n, at, tail }) => ({ day: dayOf(began), random: thread, n, token: encodeTime(at) + tail }));

const message: fc.Arbitrary<{ key: Parameters<typeof messageId>[0]; message: Message }> = fc
  .record({
    key,
    from: part,
    to: fc.uniqueArray(part, { minLength: 1 }),
    subject: lineOf(256),
    body: bodyText,
    at: moment,
    tags: fc.option(fc.array(lineOf(64), { minLength: 1, maxLength: 16 }), { nil: undefined }),
    urgent: fc.constantFrom(true, undefined),
    needsHuman: fc.constantFrom(true, undefined),
  })
  .map(({ key: where, at, tags, urgent, needsHuman, ...rest }) => ({
    key: where,
    message: {
      id: messageId(where),
      thread: threadId(where),
      n: where.n,
      at: new Date(at).toISOString(),
      ...rest,
      ...(tags === undefined ? {} : { tags }),
      ...(urgent === undefined ? {} : { urgent }),
      ...(needsHuman === undefined ? {} : { needsHuman }),
    },
  }));

test("a line is one, and stays one; what is one already stays as it is", () => {
  fc.assert(
    fc.property(fc.string({ unit: character, maxLength: 300 }), fc.integer({ min: 1, max: 300 }), (value, most) => {
      const one = asLine(value, Math.max(most, 10));
      expect(lineProblem(one, Math.max(most, 10))).toBeNull();
      if (lineProblem(value, most) === null) expect(asLine(value, most)).toBe(value);
    }),
  );
});

const OVER: [what: string, change: Record<string, unknown>, body: string, said: RegExp][] = [
  ["a subject of 257 characters", { subject: "x".repeat(257) }, "b", /subject: expected at most 256/],
  ["a subject of two lines", { subject: "a\nb" }, "b", /subject: expected one line/],
  ["an empty subject", { subject: " " }, "b", /subject: expected words/],
  ["half of a character", { subject: "\ud800" }, "b", /subject: .*lone surrogate/],
  ["17 tags", { tags: Array(17).fill("x") }, "b", /tags: expected at most 16 tags, it has 17/],
  ["a tag of two lines", { tags: ["a\nb"] }, "b", /tags: expected one line/],
  ["a tag of 65 characters", { tags: ["x".repeat(65)] }, "b", /tags: expected at most 64/],
  ["a label of two lines", { label: "a\nb" }, "b", /label: expected one line/],
  ["a body of 65,537 characters", {}, "x".repeat(65_537), /body: expected at most 65536/],
  ["21 keys", { metadata: Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`k${at}`, ""])) }, "b", /metadata: .* 20 keys/],
  ["a value of 1,025 characters", { metadata: { k: "x".repeat(1_025) } }, "b", /metadata: .*1024 characters a value/],
];
test.each(OVER)("a file with %s is not a message: the limits bind every writer", (_what, change, body, said) => {
  const where = { day: "2026-01-31", random: "k3f9x2ab", n: 1, token: "1kg9p6je0abcde" };
  const header = { id: messageId(where), thread: threadId(where), from: "web", to: ["api"], at: "2026-01-31T09:30:00.000Z", subject: "s" };
  expect(parseMessage(formatFrontmatter(header, "b"), where, sha256)).toMatchObject({ subject: "s", body: "b" });
  expect(parseMessage(formatFrontmatter(header, ""), where, sha256)).toMatchObject({ body: "" });
  expect(() => parseMessage(formatFrontmatter({ ...header, ...change }, body), where, sha256)).toThrow(said);
});

test("a header that is taken as it is, the schema would give as it is", () => {
  const values = ["text", "true", 7, true, null, "left out", [], ["a"], ["a", "b"], ["a", 1], [1], {}, { k: "v" }, { k: 1 }];
  const must = { id: "i", thread: "t", from: "web", to: ["api"], at: "a", subject: "s" };
  const keys = [...Object.keys(must), "tags", "urgent", "needs_human", "session", "label", "broadcast", "metadata", "other"];
  const taken = new Set<string>();
  for (const [key, given] of keys.flatMap((key) => values.map((value) => [key, value] as const))) {
    const header: Record<string, unknown> = { ...must, [key]: given };
    if (given === "left out") delete header[key];
    if (!isPlain(header)) continue;
    taken.add(key);
    expect(messageHeader().parse(header)).toEqual(header);
  }
  expect(isPlain(must)).toBe(true);
  expect(keys.filter((key) => !taken.has(key))).toEqual([]);
});

test("a thread's subject and tags are bound as a message's", () => {
  const where = { day: "2026-01-31", random: "k3f9x2ab" };
  const thread: Thread = { id: threadId(where), subject: "s", createdBy: "web", createdAt: "", other: {}, body: "" };
  expect(() => parseThread(formatThread({ ...thread, subject: "a\nb" }), where)).toThrow(/subject: expected one line/);
  expect(() => parseThread(formatThread({ ...thread, tags: ["x".repeat(65)] }), where)).toThrow(/tags: expected at most 64/);
});

test("one line break at the end belongs to the file: CRLF where the file's lines end so", () => {
  const crlf = '---\r\nid: "x"\r\n---\r\none\r\ntwo\r\n';
  expect(parseFrontmatter(crlf).body).toBe("one\r\ntwo");
  expect(parseFrontmatter(crlf.slice(0, -2)).body).toBe("one\r\ntwo");
  expect(parseFrontmatter('---\nid: "x"\n---\none\r\n').body).toBe("one\r");
});

test("a message comes back as it was written", () => {
  fc.assert(
    fc.property(message, ({ key: where, message: written }) => {
      expect(parseMessage(formatMessage(written), where, sha256)).toEqual(written);
    }),
    { numRuns: runs(10_000) },
  );
});

test("a message that a Windows editor saved still reads", () => {
  const written = fc.sample(message, { numRuns: 1, seed: 1 })[0] as { key: Parameters<typeof messageId>[0]; message: Message };
  const source = formatMessage({ ...written.message, subject: "Hi", body: "one\ntwo", tags: undefined });
  const read = parseMessage(`\ufeff${source.replaceAll("\n", "\r\n")}`, written.key, sha256);
  expect(read).toMatchObject({ from: written.message.from, subject: "Hi" });
});

test("a thread comes back as it was written, unknown keys and notes too", () => {
  const thread = fc.record({
    where: key,
    subject: lineOf(256),
    createdBy: part,
    at: moment,
    status: fc.option(fc.constantFrom(...THREAD_STATUSES), { nil: undefined }),
    statusAfter: fc.option(fc.nat(), { nil: undefined }),
    closedUnread: fc.option(fc.array(wellFormed), { nil: undefined }),
    body: bodyText,
  });
  fc.assert(
    fc.property(thread, ({ where, at, status, statusAfter, closedUnread, ...rest }) => {
      const written: Thread = {
        id: threadId(where),
        createdAt: new Date(at).toISOString(),
        other: { severity: 3, team: "x" },
        ...rest,
        ...(status === undefined ? {} : { status }),
        ...(statusAfter === undefined ? {} : { statusAfter }),
        ...(closedUnread === undefined ? {} : { closedUnread }),
      };
      expect(parseThread(formatThread(written), where)).toEqual(written);
    }),
    { numRuns: runs(10_000) },
  );
});

test("the two ways to read a file agree: what is canonical is YAML, and is cut alike", () => {
  const value = fc.oneof(wellFormed, fc.boolean(), fc.nat(), fc.array(wellFormed));
  fc.assert(
    fc.property(fc.dictionary(fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/), value), wellFormed, (header, body) => {
      const canonical = formatFrontmatter(header, body.replaceAll("\0", ""));
      expect(parseFrontmatter(canonical)).toEqual({ header, body: body.replaceAll("\0", "") });
      // A comment sends the same header through the YAML parser.
      const commented = canonical.replace("---\n", "---\n# a comment\n");
      expect(parseFrontmatter(commented)).toEqual(parseFrontmatter(canonical));
      const cut = canonical.slice(0, -1);
      expect(parseFrontmatter(commented.slice(0, -1))).toEqual(parseFrontmatter(cut));
    }),
    { numRuns: runs(10_000) },
  );
});

test("plain scalars stay as they were typed", () => {
  expect(parseFrontmatter("---\na: 012\nb: 12345e6\nc: True\nd: 7\ne: true\nf: 2026-01-31\n---\n").header).toEqual({
    a: "012",
    b: "12345e6",
    c: "True",
    d: 7,
    e: true,
    f: "2026-01-31",
  });
});

test.each([
  ["code in the header", "---js\n{ a: process.exit(1) }\n---\n", 1],
  ["code, spelled otherwise", "--- javascript\nmodule.exports = 1\n---\n", 1],
  ["no header", "hello", 1],
  ["an empty file", "", 1],
  ["no closing line", "---\na: 1\n", 1],
  ["a closing line with more behind it", "---\na: 1\n---x\n---\n", 3],
  ["empty lines without end", `---\na: x\n${"\n".repeat(30_000)}---\n`, 203],
  ["ends of lines without end", `---\na: x${"\r".repeat(30_000)}x\n---\n`, 203],
  ["an alias", "---\na: &x [1]\nb: *x\n---\n", 3],
  ["__proto__", "---\n__proto__: { polluted: true }\n---\n", 2],
  ["__proto__ within", "---\na: { constructor: 1 }\n---\n", 2],
  ["the same key twice", "---\na: 1\na: 2\n---\n", 3],
  ["broken YAML", "---\na: [1\n---\n", 2],
  ["a list", "---\n- 1\n---\n", 2],
  ["a header without end", `---\n${"a".repeat(1_100_000)}\n---\n`, 1],
])("%s is refused, with its line", (_what, source, line) => {
  expect(() => parseFrontmatter(source)).toThrow(FileError);
  try {
    parseFrontmatter(source);
  } catch (error) {
    expect((error as FileError).line).toBe(line);
  }
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});

test("no text is read as a header that runs, pollutes, or hangs", () => {
  const piece = fc.constantFrom(
    ...["---", "---js", "\n", "a: ", "b: [", "]", "{", "}", "&x ", "*x", "!!js/function ", "__proto__: ", '"', "'"],
    ...["\\", "|", ">", "%", "@", "`", "\t", "\0", "\ufeff", "012", "~", "? ", "- ", "# ", "<<: "],
  );
  const pieces = fc.array(fc.oneof(piece, fc.string({ maxLength: 5 })), { maxLength: 40 });
  const source = fc.oneof(
    pieces.map((given) => `---\n${given.join("")}\n---\nbody`),
    fc.string({ unit: character, maxLength: 200 }),
  );
  fc.assert(
    fc.property(source, (given) => {
      try {
        const { header } = parseFrontmatter(given);
        expect(Object.getPrototypeOf(header)).toBe(Object.prototype);
        expect(Object.keys(header)).not.toContain("__proto__");
      } catch (error) {
        expect(error).toBeInstanceOf(FileError);
      }
    }),
    { numRuns: runs(10_000) },
  );
});

test.each([
  ["id and path disagree", { id: "m-20260131-k3f9x2ab-2-1kg9p6je0abcde" }, /id and path disagree/],
  ["the thread is another", { thread: "t-20260131-zzzzzzzz" }, /thread and path disagree/],
  ["no sender", { from: undefined }, /has no "from"/],
  ["a sender that leaves the home", { from: "../../etc" }, /not a part id/],
  ["a word for a time", { at: "yesterday" }, /not a time/],
])("a message is refused when %s", (_what, change, said) => {
  const where = { day: "2026-01-31", random: "k3f9x2ab", n: 1, token: "1kg9p6je0abcde" };
  const header = {
    id: messageId(where),
    thread: threadId(where),
    from: "web",
    to: ["main"],
    at: "2026-01-31T09:30:00.000Z",
    subject: "Hi",
    ...change,
  };
  expect(() => parseMessage(formatFrontmatter(header, "x"), where, sha256)).toThrow(said);
});

test("a preview is 160 characters of folded text, and never half a character", () => {
  expect(preview("  a\n\n b\t c ")).toBe("a b c");
  expect(preview("😀".repeat(400))).toBe("😀".repeat(80));
  expect(preview(`a${"😀".repeat(400)}`)).toBe(`a${"😀".repeat(79)}`);
  expect(preview("b".repeat(400))).toBe("b".repeat(160));
  fc.assert(
    fc.property(wellFormed, (body) => {
      expect(preview(body).isWellFormed()).toBe(true);
      expect(preview(body).length).toBeLessThanOrEqual(160);
    }),
  );
});
