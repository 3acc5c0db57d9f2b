import { expect, test } from "vitest";
import { asTyped } from "../../cli/typed/refused.ts";
import { refuse } from "../../protocol/core/refusal.ts";
import { operationList, operations, type Refusal, type RefusalCode } from "../../protocol/index.ts";
import { REFUSALS } from "../../protocol/refusals.ts";
import { REFUSAL_EXAMPLES } from "../rig/refusal-examples.ts";

/** Words that a sentence may have at most. A command, a value and a list in it count as one word. */
const WORDS = 25;

/** Every refusal of the examples, with the data that it was made from. */
const made = Object.entries(REFUSAL_EXAMPLES).flatMap(([code, all]) =>
  all.map((data, at) => ({ name: `${code} ${at + 1}`, code: code as RefusalCode, data: data as Record<string, unknown> })),
);
const refusalOf = ({ code, data }: { code: RefusalCode; data: Record<string, unknown> }): Refusal => refuse(code, data as never);

/** Our sentences in the words of tools: the message, or the advice beside the exact words of a tool of the plugin. */
const toldByTool = (refusal: Refusal): string => {
  const { advice } = refusal.data;
  return typeof advice === "string" ? advice : refusal.message;
};
/** Our sentences as a command prints them. */
const toldByCommand = (refusal: Refusal, operation = operations.send as (typeof operationList)[number]): string =>
  asTyped(refusal, operation).message;

/** The sentences of a text, each with its commands, values and lists made one word. */
function sentences(text: string): string[] {
  const short = text
    .replace(/`[^`]*`/g, "CODE")
    .replace(/"(?:[^"\\]|\\.)*"/g, "VALUE")
    .replace(/\([^)]*\)/g, "")
    .replace(/[^\s.]+(?:, [^\s.]+)+/g, (list) => `${list.split(" ")[0]?.replace(",", "") ?? ""} LIST`);
  return short.split(/(?<=[.?])\s+(?=[A-Z`"])/);
}

/** What tells a reader what to do: a sentence that begins with a verb, or names a call, or gives an example. */
const ACTION =
  /(?:^|[.:;,?] |, or |, and |\bor )(?:Use|Give|Pass|Name|Run|Choose|Ask|Remove|Make|Add|Leave|Set|Unset|Expected|expected|Example|Begin|Reopen|Close|Ack|Finish|Fix|Stop|Look|Put|Free|In a sandbox|Write|Upgrade|Correct|Restore|Try|Replace|Move|Switch|Deliver|Start|Install|Log in|Wait|To (?:read|restore|reopen|ack|push|put|go on|change|take|see|reach)|Post|Unsubscribe|Name that session|Each of them|Please report|Perhaps you mean|add|see|edit)\b|`[^`]+`/;

/** What is wrong with a sentence's form. */
function faultsOf(text: string): string[] {
  return [
    /[\r\n]/.test(text) ? "it has more than one line" : "",
    /[^.:;,?][.?]$/.test(text) ? "" : "it does not end as a sentence does",
    / {2}|^ | $| [.,;:](?!\w)/.test(text) ? "it has a blank too many" : "",
    ACTION.test(text) ? "" : "it does not say what to do",
    ...sentences(text).map((sentence) => {
      const words = sentence.split(" ").length;
      return words <= WORDS ? "" : `it has a sentence of ${words} words: ${sentence}`;
    }),
  ].filter((fault) => fault !== "");
}

test("a refusal has short sentences, on one line, with a period at the end, and says what to do", () => {
  const wrong = made.flatMap((example) => {
    const refusal = refusalOf(example);
    return [toldByTool(refusal), toldByCommand(refusal)].flatMap((text) =>
      faultsOf(text).map((fault) => `${example.name}: ${fault}: ${text}`),
    );
  });
  expect(wrong).toEqual([]);
});

/** Data that a sentence says otherwise: the kind of a case, or what follows from other data. */
const UNSAID: Partial<Record<RefusalCode, readonly string[]>> = {
  invalid_argument: ["argument", "example", "expected"],
  who_are_you: ["operation"],
  no_state_folder: ["folder"],
  unknown_artifact: ["known"],
  hook_failed: ["output", "exitCode"],
  nothing_to_update: ["known"],
  loop: ["rule", "seconds"],
  remote_changed: ["by"],
  remote_too_large: ["bytes"],
  roster_unavailable: ["more"],
  ambiguous_id: ["count"],
  tasks_in_progress: ["tasks"],
  git_failed: ["command", "reason"],
};

test("a refusal names what it was given", () => {
  const wrong = made.flatMap((example) => {
    const refusal = refusalOf(example);
    const values = Object.entries(example.data)
      .filter(([field]) => UNSAID[example.code]?.includes(field) !== true)
      .flatMap(([, value]) => (Array.isArray(value) ? value : [value]))
      .filter((value) => (typeof value === "string" && value !== "") || typeof value === "number")
      // A commit is named by its first characters.
      .map((value) => (/^[0-9a-f]{16}$/.test(String(value)) ? String(value).slice(0, 12) : String(value).replace(/[.?]+$/, "")));
    return [toldByTool(refusal), toldByCommand(refusal)].flatMap((text) =>
      values.filter((value) => !text.replaceAll('\\"', '"').includes(value)).map((value) => `${example.name}: no ${value} in: ${text}`),
    );
  });
  expect(wrong).toEqual([]);
});

const argumentNames = new Set(operationList.flatMap(({ input }) => Object.keys(input.shape)));
const toolNames = operationList.flatMap(({ tool }) => (tool === null ? [] : [tool.name]));
/** Names that are no words of a sentence: a tool's, and an argument's where it has two words. */
const TOOL_WORDS = [...argumentNames, ...toolNames].filter((name) => /[a-z](?:_|[A-Z])/.test(name));
/** Commands that are tools as well. */
const SHARED = operationList.filter(({ tool }) => tool !== null).map(({ command }) => command);

test("a refusal speaks the language of the surface where it is read", () => {
  const wrong = made.flatMap((example) => {
    const refusal = refusalOf(example);
    const tool = toldByTool(refusal);
    const commands = [operations.send, operations.create_task, operations.update_task].map((each) => toldByCommand(refusal, each));
    const given = JSON.stringify(example.data);
    return [
      ...commands.flatMap((text) =>
        TOOL_WORDS.filter((name) => !given.includes(name) && new RegExp(`(?<![\\w-])${name}(?![\\w.])`).test(text)).map(
          (name) => `${name} on the command line: ${text}`,
        ),
      ),
      // A whole command that a person types may have flags.
      ...(/(?<!\w)--?[a-z]/.test(tool.replace(/`[^`]*`/g, "")) ? [`a flag for tools: ${tool}`] : []),
      ...[...tool.matchAll(/`relay ([^`]*)`/g)].flatMap(([, command = ""]) =>
        SHARED.filter((shared) => `${command} `.startsWith(`${shared} `) && !given.includes(command)).map(
          (shared) => `\`${shared}\` has a tool: ${tool}`,
        ),
      ),
    ].map((fault) => `${example.name}: ${fault}`);
  });
  expect(wrong).toEqual([]);
});

test("the examples have every code", () => {
  expect(Object.keys(REFUSAL_EXAMPLES).sort()).toEqual(Object.keys(REFUSALS).sort());
});
