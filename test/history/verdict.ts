/** What a test needs to hurt a writing command, and to see what became of it. */
import fs from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { type AnyOperation, perform } from "../../protocol/index.ts";
import { worldAt } from "../rig/home.ts";
import { survey } from "./survey.ts";

// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever was answered.
export type Answer = any;
/** What became of what the command was to do. `begun`: some of the steps that SPEC.md, "Failures" names for it. */
export type Verdict = "absent" | "begun" | "whole";

/** A command that writes. */
export interface Writing {
  args: (at: Fixture) => string[];
  retry: (at: Fixture) => [operation: AnyOperation, input: Record<string, unknown>];
  verdict: (folder: string, at: Fixture) => Promise<Verdict>;
  /** Whether a failure, or a death, may leave some of its steps done. */
  inSteps?: true;
  /** What it needs besides, laid last; gives the id of what it is about. */
  before?: (folder: string) => Promise<string>;
  /** Where the calls count: those that touch the home, unless it writes beside it too. */
  at?: "anywhere";
  /** Whether it needs a code repository. What git is started for is not hurt. */
  git?: true;
  /** Whether something is wrong with the home that it puts right. */
  ill?: true;
  /** Whether doing it twice does it twice: it is done again only where it was not done. */
  once?: true;
  /** Whether the next of it, and not a look, finishes what one that was cut short began (spec/git.md, "Syncing"). */
  resumes?: true;
  /** What another process goes on with by itself: what holds, holds once that was done. */
  goesOn?: (folder: string) => void;
  /** Whether a message tells of it, which whoever finishes it sends under an id of its own where none was sent. */
  tells?: true;
}

/** A home with a thread from main to web and api, which both have unread. */
export interface Fixture {
  folder: string;
  threadId: string;
  messageId: string;
  /** What the command is about, where its `before` laid it. */
  about?: string;
  /** What there is of a session, for the commands of the board. */
  board?: Board;
}

/** A session of main's with a task to claim, one that main holds, and an artifact under review by api. */
export interface Board {
  session: string;
  free: string;
  held: string;
  review: string;
}

/** A path in the home. */
export const home = (folder: string, ...names: string[]): string => path.join(folder, ".relay", ...names);
/** Whether there is a home. */
export const isHome = (folder: string): boolean => fs.existsSync(home(folder, "relay.yml"));
/** Performs an operation in a world of its own. */
export const ask = (folder: string, operation: AnyOperation, input: Record<string, unknown> = {}, part?: string): Promise<Answer> =>
  perform(worldAt(folder, { part }), operation, input);
/** The text of a file; empty when it is not there. */
export const text = (file: string): string => (fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "");
/** What became of something that has several steps. */
export const outOf = (done: readonly boolean[]): Verdict => (done.every(Boolean) ? "whole" : done.some(Boolean) ? "begun" : "absent");

/** Once in its thread and once in each inbox, or nowhere. */
export function posted(folder: string, body: string): Verdict {
  const { messages, unread } = survey(home(folder));
  const found = messages.filter((message) => message.body === body);
  expect(found.length, "messages of one key").toBeLessThanOrEqual(1);
  const ids = [...unread.values()].flat().filter((id) => !messages.some((message) => message.id === id));
  expect(ids, "unread, but in no thread").toEqual([]);
  if (found[0] === undefined) return "absent";
  const { id, to } = found[0];
  expect(to.toSorted(), "recipients").toEqual(["api", "web"]);
  // Without room its inboxes may have to wait for it; it is in its thread, and a look with room completes it.
  return outOf([true, ...to.map((part) => unread.get(part)?.includes(id) === true)]);
}
