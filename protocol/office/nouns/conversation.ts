/**
 * Conversations by what they are about: a kind, and whom or what it is with. Of a name everybody makes the same thread, so nobody has to
 * begin it. spec/office.md, "Conversations".
 */
import { type Digest, hashTail, parseThreadId, THREAD_RANDOM, threadId } from "../../core/format/id.ts";
import { partProblem } from "../../core/names.ts";
import { readContext } from "./dispatch.ts";
import { slugOf } from "./name.ts";

/** What a conversation can be. */
export const CONVERSATION_KINDS = ["om", "pm", "session", "team", "job", "task", "proxy", "liaison", "config", "lead", "agent"] as const;
/** What a conversation is. */
export type ConversationKind = (typeof CONVERSATION_KINDS)[number];

/** A conversation, by its name. */
export interface Conversation {
  /** `om`, or kind, colon and qualifier: the same for everybody who means the same. */
  name: string;
  kind: ConversationKind;
  /** Whom or what it is with; empty for `om`. */
  qualifier: string;
}

/** The day in the id of a conversation's thread. It is none on which anything began, so that it meets no other thread. */
const DAY = "1970-01-01";
const ID = /^[A-Za-z0-9_-]{1,128}$/;
const words = (text: string): string | null => (/^[^\p{C}:]{1,128}$/u.test(text) && slugOf(text) !== "" ? slugOf(text) : null);
const path = (text: string): string | null => {
  const slugs = text.split("/").map(words);
  return slugs.includes(null) ? null : slugs.join("/");
};
const id = (text: string): string | null => (ID.test(text) ? text : null);
const place = (text: string): string | null => (partProblem(path(text) ?? "") === null ? path(text) : null);
const dispatch = (text: string): string | null => (parseThreadId(text) === null ? null : text);
const pair = (text: string): string | null => {
  const both = text.split(":").map(words);
  return both.length === 2 && !both.includes(null) ? both.join(":") : null;
};

/** How the qualifier of each kind is written, and in which one of its spellings it counts; null where it is none. */
const QUALIFIERS: Readonly<Record<ConversationKind, readonly [expected: string, read: (text: string) => string | null]>> = {
  om: ["nothing", (text) => (text === "" ? "" : null)],
  pm: ["a project", words],
  session: ["the id of a session", id],
  team: ["a workgroup", path],
  job: ["the id of a dispatch", dispatch],
  task: ["the id of a task", id],
  proxy: ["a person", words],
  liaison: ["who asks, a colon and who is asked", pair],
  config: ["what is set up", path],
  lead: ["the position of a lead", place],
  agent: ["two positions and a UUID, as a context_id has them", (text) => (readContext(`agent:${text}`) === null ? null : text)],
};

/** Reads the name of a conversation. @returns what is expected in its place, where it is none */
export function readConversation(text: string): Conversation | string {
  const [, said = "", qualifier = ""] = /^([a-z]+)(?::(.*))?$/s.exec(text) ?? [];
  const kind = CONVERSATION_KINDS.find((each) => each === said);
  if (kind === undefined) return `one of ${CONVERSATION_KINDS.join(", ")}, and what it is about after a colon`;
  const [expected, read] = QUALIFIERS[kind];
  const known = read(qualifier);
  if (known === null) return kind === "om" ? "om alone" : `${kind}: and ${expected}`;
  return { kind, qualifier: known, name: kind === "om" ? kind : `${kind}:${known}` };
}

/** The thread of a conversation that is with nobody's dispatch: a pure function of its name. */
export const conversationThread = ({ name }: Conversation, digest: Digest): string =>
  threadId({ day: DAY, random: hashTail(digest(`conversation ${name}`)).slice(0, THREAD_RANDOM) });

/** Whether a thread can be that of a conversation. */
export const isConversationThread = (thread: string): boolean => parseThreadId(thread)?.day === DAY;
