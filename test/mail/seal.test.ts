import { expect, test } from "vitest";
import {
  hashTail,
  isSealed,
  type MessageLocation,
  messageId,
  parseMessageId,
  parseThreadId,
  sealedToken,
  sealProblem,
  withId,
} from "../../protocol/core/format/id.ts";
import { formatMessage, type Message, parseMessage } from "../../protocol/mail/nouns/message.ts";
import { sha256 } from "../../protocol/store/digest.ts";
import { fc } from "../rig/properties.ts";
import { seal } from "../rig/sealing.ts";

/** The vector of SPEC.md. */
const UNNAMED = `---
thread: "t-20260131-k3f9x2ab"
from: "web"
to: ["main", "shop/api"]
at: "2026-01-31T09:30:00.000Z"
subject: "Which field is the price?"
tags: ["cart"]
urgent: true
---
\`price\` or \`amount\`? I need it for the cart.
`;

const key = (token: string): MessageLocation => ({ ...(parseThreadId("t-20260131-k3f9x2ab") as MessageLocation), n: 1, token });

test("a token is the time and the first 80 bits of the hash, as another implementation has it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 0, max: 2 ** 42 }), (body, ms) => {
      const at = new Date(ms).toISOString();
      const written = seal({ from: "web", to: ["api"], body, at });
      const unnamed = written.text.replace(`id: "${written.id}"\n`, "");
      const token = sealedToken(unnamed, ms, sha256);
      expect(messageId(key(token))).toBe(written.id);
      expect(withId(unnamed, written.id)).toBe(written.text);
      expect(isSealed(token)).toBe(true);
      expect(sealProblem(written.text, key(token), sha256)).toBeNull();
    }),
  );
});

test("the first and the last 80 bits", () => {
  expect(hashTail("0".repeat(64))).toBe("0".repeat(16));
  expect(hashTail("f".repeat(64))).toBe("z".repeat(16));
  expect(hashTail(`00000000000000000001${"f".repeat(44)}`)).toBe("0000000000000001");
});

test("any other byte is another message", () => {
  const token = sealedToken(UNNAMED, Date.parse("2026-01-31T09:30:00.000Z"), sha256);
  const id = messageId(key(token));
  const text = withId(UNNAMED, id);
  const read = parseMessage(text, key(token), sha256);
  expect(formatMessage(read)).toBe(text);
  const fault = (source: string): string => {
    try {
      parseMessage(source, key(token), sha256);
      return "";
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(fault(text)).toBe("");
  for (let at = 0; at < text.length; at += 1) {
    expect(fault(text.slice(0, at) + text.slice(at + 1)), `without byte ${at}`).toContain("does not match its name");
    expect(fault(`${text.slice(0, at)}x${text.slice(at)}`), `with another at ${at}`).toContain("does not match its name");
  }
  expect(fault(text.replaceAll("\n", "\r\n"))).toBe("its text does not match its name (its line ends were changed to CRLF)");
  expect(fault(`\ufeff${text}`)).toBe("its text does not match its name");
  // The line of the id is left out of the hash, so it may hold nothing else.
  expect(fault(text.replace(`"${id}"`, `"${id}" # from: eve`))).toContain("does not match");
  expect(fault(text.replace(`"${id}"`, id))).toContain("does not match");
});

test("an old token says nothing of its text", () => {
  const old = key("1kg9p6je0abcde");
  const message: Message = {
    id: messageId(old),
    thread: "t-20260131-k3f9x2ab",
    n: 1,
    from: "web",
    to: ["api"],
    at: "2026-01-31T09:30:00.000Z",
    subject: "s",
    body: "b",
  };
  expect(parseMessage(formatMessage(message), old, sha256)).toEqual(message);
});

test.each([13, 15, 24, 26])("a token of %d characters is refused", (length) => {
  expect(parseMessageId(`m-20260131-k3f9x2ab-1-${"0".repeat(length)}`)).toBeNull();
});
