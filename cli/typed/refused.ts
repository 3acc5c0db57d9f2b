/** Refusals in the words of the command line: flags instead of arguments, commands instead of tools, and what to type. */
import { type AnyOperation, Refusal, type RefusalCode } from "../../protocol/index.ts";
import { nearest, shellWord } from "../../protocol/internal.ts";
import { localTime } from "../print/words.ts";
import { flagsOf, placeOf } from "./flags.ts";

// biome-ignore lint/suspicious/noExplicitAny: each entry knows the data of its own code (the catalogue of refusals).
type Words = (data: any, operation: AnyOperation) => string;

/** A part to name in an example: one that an agent would be. */
const someone = (parts: string[]): string => parts.find((part) => part !== "main" && part !== "human") ?? parts[0] ?? "web";

/** Codes whose sentence speaks to who calls a tool. */
const WORDS: Partial<Record<RefusalCode, Words>> = {
  invalid_argument: argumentWords,
  who_are_you: ({ parts }, { command }) =>
    `${command} needs to know which part you are: --part ${someone(parts)}, or RELAY_PART=${someone(parts)}, or once in this ` +
    `worktree: relay part here ${someone(parts)}. Parts: ${parts.join(", ")}`,
  unknown_thread: ({ given }) =>
    `no thread ${JSON.stringify(given)}. Expected an id, or a unique piece of one (3 characters or more), or of one of its messages; relay threads lists them`,
  unknown_message: ({ given }, { name }) =>
    name === "forget"
      ? `no message ${JSON.stringify(given[0])}; nothing was forgotten. relay show THREAD names each message of a thread, relay search finds one by its words`
      : `no message ${given.map((each: string) => JSON.stringify(each)).join(", ")} in your inbox; relay inbox lists them. A whole thread is acked by relay ack --thread ID`,
  to_self: ({ part }) =>
    `you are ${part} here, and a message to yourself is refused; nothing was sent. Leave ${part} out, or say who you are: --part PART`,
  remote_unreachable: ({ remote, reason }, { command, home }) =>
    `${remote} cannot be reached: ${reason}. ${home ? "What is here is recorded, and work goes on; when it can be reached" : "Nothing was made; when it can be reached"}, again: relay ${command}${home ? "" : ` ${remote}`}`,
  unknown_task: ({ given, session_id }, { command }) =>
    session_id === undefined
      ? `no task ${JSON.stringify(given)}; relay task list shows them`
      : `task ${JSON.stringify(given)} is in session ${session_id}, which is not the one that is meant here; name it: relay ${command} ${given} --session ${session_id}`,
  unknown_session: ({ given }) =>
    given === ""
      ? "no session is open; relay session list shows those that ended"
      : `no session ${JSON.stringify(given)}; relay session list shows them`,
  nothing_to_update: (_data, { command }) => `say what changes: a status, or --assignee PART. Example: relay ${command} ID done`,
  loop: ({ part, rule, most, seconds, other }) =>
    `${
      {
        identical: `${part} has sent exactly this ${most} times within ${seconds} seconds`,
        per_minute: `${part} has sent ${most} messages within ${seconds} seconds`,
        exchange: `${part} and ${other} have sent each other ${most} messages within ${seconds / 60} minutes, and nobody else anything`,
      }[rule as "identical"]
    }: it looks like a loop, so nothing was sent. Wait for an answer (relay wait), or ask a person: relay send human SUBJECT TEXT --needs-human. The limits are loop: in relay.yml`,
  unknown_parent_task: ({ given }) => `--parent-task-id: no task ${JSON.stringify(given)}; relay task list shows them`,
  unknown_dependencies: ({ missing }) =>
    `--depends-on: no task ${missing.map((each: string) => JSON.stringify(each)).join(", ")}; relay task list shows them`,
  unknown_artifact: ({ given, known }) => {
    const near = nearest(given, known);
    return `no artifact ${JSON.stringify(given)}.${near.length === 0 ? "" : ` Nearest: ${near.join(", ")};`} relay artifact list shows them`;
  },
  unknown_review: ({ given }) => `no review ${JSON.stringify(given)}; relay review list shows them`,
  thread_closed: ({ threadId, status }) =>
    `thread ${threadId} is ${status}; nothing was written. Open it again (relay reopen ${threadId}), or begin another with relay send`,
  session_ended: ({ session_id, ended_at, ended_by }) =>
    `session ${session_id} ended at ${ended_at}, by ${ended_by}, so nothing is begun in it; nothing was written. To go on with it: relay session reopen ${session_id}`,
  claims_full: ({ task_id, fence }) =>
    `${task_id} has a claim of the number ${fence}, the highest there is, so it takes no more; nothing was written. Make another task of it: relay task create`,
};

/** The same refusal, in the words of the command that was typed. */
export function asTyped(refusal: Refusal, operation: AnyOperation): Refusal {
  const words = WORDS[refusal.code];
  if (words === undefined) return refusal;
  // Where a task is instead, these words say themselves.
  const { advice, ...data } = refusal.data;
  const kept = refusal.code === "unknown_task" || advice === undefined ? data : { ...data, advice };
  return new Refusal(refusal.code, kept, words(refusal.data, operation), refusal.exit);
}

/** How an argument is typed: as a place or as a flag. */
function typed(operation: AnyOperation, argument: string): string {
  const [first = argument] = argument.split(".");
  const at = operation.positionals.indexOf(first);
  if (at !== -1) return placeOf(operation, first, at === operation.positionals.length - 1).text.replace(/^\[(.*)\]$/, "<$1>");
  return flagsOf(operation).find((flag) => flag.argument === first)?.flag ?? argument;
}

function argumentWords(
  { argument, expected, given }: { argument: string; expected: string; given: unknown },
  operation: AnyOperation,
): string {
  if (operation.name === "ack" && typeof given === "object" && !Array.isArray(given))
    return "expected ids of messages, or one thread (--thread ID), and not both. relay inbox lists them";
  const name = typed(operation, argument);
  const wanted = expected.replace(/^a value of type string/, "a text").replace(/^a value of type (\w+)/, "a $1");
  const example = `Example: ${exampleOf(operation)}`;
  if (given === undefined || given === null || (Array.isArray(given) && given.length === 0))
    return `${name} is missing: expected ${wanted.replace(" (it is required)", "")}. ${example}`;
  const choices = choicesIn(expected);
  const near = typeof given === "string" ? nearest(given, choices) : [];
  return `${name}: expected ${wanted}, given ${JSON.stringify(given)}.${near.length === 0 ? "" : ` Did you mean ${near[0]}?`} ${example}`;
}

/** The values that a sentence names. */
const choicesIn = (expected: string): string[] => (expected.startsWith("one of ") ? expected.slice("one of ".length).split(", ") : []);

/** A sentence with its instants in the zone of who reads it, as all that is printed; one that is to be typed is one word. */
export const inLocalTime = (text: string): string =>
  text.replace(/(--[\w-]+ )?\b(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z)\b/g, (_all, flag: string | undefined, iso: string) =>
    flag === undefined ? localTime(iso) : `${flag}"${localTime(iso)}"`,
  );

/** An example of an operation as it would be typed. */
export function exampleOf(operation: AnyOperation): string {
  const example = operation.example as Record<string, unknown>;
  const places = operation.positionals.flatMap((argument) => {
    const value = example[argument];
    if (value === undefined) return [];
    // The words of a command may look like flags.
    if (argument === "argv" && Array.isArray(value)) return ["--", ...value.map(quote)];
    return argument === operation.positionals.at(-1) && Array.isArray(value) ? value.map(quote) : [quote(value)];
  });
  const flags = flagsOf(operation).flatMap((flag) => {
    const value = example[flag.argument];
    if (value === undefined || (flag.kind === "switch" && value !== (flag.value ?? true))) return [];
    return flag.kind === "switch" ? [flag.flag] : [`${flag.flag} ${quote(value)}`];
  });
  return ["relay", operation.command, ...places, ...flags].join(" ");
}

function quote(value: unknown): string {
  const text = Array.isArray(value) ? value.join(",") : typeof value === "object" ? JSON.stringify(value) : String(value);
  // Within double quotes a shell would read these itself.
  if (/[$`"\\!]/.test(text) && typeof value === "string") return shellWord(text);
  return /^[\w./:@,-]+$/.test(text) ? text : `"${text.replaceAll('"', '\\"')}"`;
}
