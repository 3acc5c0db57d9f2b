/** What the page asks of its server: operations, by their names. A failure is an answer, too. */

import type { InputOf, OutputOf, operations } from "../../../protocol/index.ts";
import { answerIn, exported } from "../record/exported.ts";
import { commitFor } from "../record/moment.ts";

type Name = keyof typeof operations;
/** What an operation answers. */
export type AnswerOf<N extends Name> = OutputOf<(typeof operations)[N]>;
/** What an operation is given. */
export type InputFor<N extends Name> = InputOf<(typeof operations)[N]>;

/** Why something was not done, in a sentence for the person. `status` is 0 where no server answered. */
export interface Failure {
  status: number;
  error: string;
}
/** An answer, or why there is none. */
export type Reply<T> = { data: T; failure?: never } | { data?: never; failure: Failure };

/** What the server says of this page. */
export interface About {
  name: string;
  part: string;
  readOnly: boolean;
  version: string;
  proof?: string;
}

/** A home that the server shows. */
export interface HomeLink {
  name: string;
  /** Where it lies on the disk. */
  folder: string;
  /** Where its page is, from the root of this server. */
  url: string;
  /** Whether it is the one of this page. */
  isHere: boolean;
}

/** What a page says where nobody can be asked. */
const ALONE: Failure = { status: 403, error: "This page is a file: nothing can be written." };

async function ask<T>(path: string, options: RequestInit = {}): Promise<Reply<T>> {
  try {
    const response = await fetch(path, { ...options, cache: "no-store", credentials: "same-origin" });
    const body = (await response.json()) as { success?: boolean; error?: string };
    if (response.ok && body.success !== false) return { data: body as T };
    return { failure: { status: response.status, error: body.error ?? `The server answered ${response.status}.` } };
  } catch {
    return { failure: { status: 0, error: "The server does not answer." } };
  }
}

/** Asks an operation that reads. @param signal aborts when nobody waits for the answer any more, so that the server does not either */
export const read = <N extends Name>(name: N, input: InputFor<N>, signal: AbortSignal | null = null): Promise<Reply<AnswerOf<N>>> =>
  exported !== null
    ? Promise.resolve(answerIn(exported, name, input as Record<string, unknown>) as Reply<AnswerOf<N>>)
    : ask(`api/${name}?input=${encodeURIComponent(JSON.stringify(input))}${commitFor(name) === "" ? "" : `&at=${commitFor(name)}`}`, {
        signal,
      });

/** Asks an operation that changes something. */
export const write = <N extends Name>(name: N, input: InputFor<N>): Promise<Reply<AnswerOf<N>>> =>
  exported !== null
    ? Promise.resolve({ failure: ALONE })
    : ask(`api/${name}`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-relay": "1" },
        body: JSON.stringify(input),
      });

/** Asks what this page is. */
export const askPage = (): Promise<Reply<About>> => ask("page");

/** Asks which homes the server shows. */
export const askHomes = (): Promise<Reply<{ homes: HomeLink[] }>> => ask("homes");

/** Asks an operation that reads, of the home as it was at a commit. */
export const readAt = <N extends Name>(name: N, input: InputFor<N>, commit: string): Promise<Reply<AnswerOf<N>>> =>
  ask(`api/${name}?input=${encodeURIComponent(JSON.stringify(input))}&at=${encodeURIComponent(commit)}`);
