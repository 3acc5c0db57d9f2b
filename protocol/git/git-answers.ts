/** Answers of git about objects, which never change: the steps of one sync ask the same several times, and starting git costs more than its work. */
import fs from "node:fs";
import path from "node:path";
import type { Repository } from "./git-run.ts";

/** Answers to one question that are kept, the last ones. */
const KEPT = 4;
/** A longer list is asked for again: a process that lives long holds little. */
export const LENGTH_MOST = 2_000;
/** The name of an object, alone or taken out of a range. What has another name may be another object a moment later. */
const OBJECT = /^\^?[0-9a-f]{40,64}$/;

/** What is kept of the answers to one question, by what was asked. */
export type Answers<T> = Map<string, T>;

/**
 * The answer that is kept, or what `ask` finds; that is kept where it depends on objects alone.
 * @param names what the answer depends on
 */
export async function askOnce<T>(answers: Answers<T>, repository: Repository, names: readonly string[], ask: () => Promise<T>): Promise<T> {
  const key = keyOf(repository, names);
  const known = answers.get(key);
  if (known !== undefined) return known;
  const answer = await ask();
  keepAnswer(answers, key, names, answer);
  return answer;
}

/** The same of a list that comes piece by piece. One that nobody reads to its end is not kept. */
export async function* listOnce<T>(
  answers: Answers<readonly T[]>,
  repository: Repository,
  names: readonly string[],
  list: () => AsyncGenerator<T[]>,
): AsyncGenerator<readonly T[]> {
  const key = keyOf(repository, names);
  const known = answers.get(key);
  if (known !== undefined) {
    yield known;
    return;
  }
  const all: T[] = [];
  for await (const piece of list()) {
    if (all.length <= LENGTH_MOST) for (const each of piece) all.push(each);
    yield piece;
  }
  keepAnswer(answers, key, names, all);
}

/** Where a repository has not all of its history, what is before a commit changes with the list of what it has. */
export function keyOf({ gitDir }: Repository, names: readonly string[]): string {
  const shallowMs = fs.statSync(path.join(gitDir, "shallow"), { throwIfNoEntry: false })?.mtimeMs;
  return [gitDir, shallowMs, ...names].join("\n");
}

/** Keeps an answer that depends on objects alone, if it is short; the oldest one goes. */
export function keepAnswer<T>(answers: Answers<T>, key: string, names: readonly string[], answer: T): void {
  const isLong = Array.isArray(answer) && answer.length > LENGTH_MOST;
  if (isLong || !names.every((name) => OBJECT.test(name))) return;
  answers.set(key, answer);
  if (answers.size > KEPT) answers.delete(answers.keys().next().value as string);
}
