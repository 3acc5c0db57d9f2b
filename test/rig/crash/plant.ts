/** Faults planted into a record: calls left out, or in another order, as a writer with that fault would make them. */
import type { Call } from "./trace.ts";

type Calls = readonly Call[];
type Named = Call & { call: "link" | "rename" };

/** The call by which a file gets a name. @throws where there is none: then the fault says nothing */
export function namingOf(calls: Calls, name: RegExp): Named {
  const found = calls.find((call): call is Named => "from" in call && name.test(call.path));
  if (found === undefined) throw new Error(`nothing gets a name like ${name}`);
  return found;
}

/** Every path that the file had before it got a name, and that name. */
function pathsOf(calls: Calls, name: RegExp): Set<string> {
  const paths = new Set<string>();
  for (let last: Named | undefined = namingOf(calls, name); last !== undefined; ) {
    const { from, path } = last as Named;
    paths.add(path).add(from);
    last = calls.find((call): call is Named => "from" in call && call.path === from && call !== last);
  }
  return paths;
}

function without(calls: Calls, isLeftOut: (call: Call) => boolean): Call[] {
  const left = calls.filter((call) => !isLeftOut(call));
  if (left.length === calls.length) throw new Error("nothing was left out");
  return left;
}

/** The file that gets a name is not flushed before. */
export function bytesUnflushed(calls: Calls, name: RegExp): Call[] {
  const paths = pathsOf(calls, name);
  return without(calls, ({ call, path }) => call === "flush" && paths.has(path));
}

/** A folder is never flushed. */
export const folderUnflushed = (calls: Calls, folder: RegExp): Call[] =>
  without(calls, ({ call, path }) => call === "flush" && folder.test(path));

/** The file gets its name before its bytes. */
export function nameBeforeBytes(calls: Calls, name: RegExp): Call[] {
  const paths = pathsOf(calls, name);
  const naming = namingOf(calls, name);
  const isOfBytes = (call: Call): boolean => (call.call === "write" || call.call === "flush") && paths.has(call.path);
  const bytes = calls.slice(0, calls.indexOf(naming)).filter(isOfBytes);
  const rest = without(calls, (call) => bytes.includes(call));
  return insertedAfter(rest, naming, bytes);
}

/** The file is written over the earlier one of its name, and not beside it. */
export function inPlace(calls: Calls, name: RegExp): Call[] {
  const paths = pathsOf(calls, name);
  const naming = namingOf(calls, name);
  const isOf = (call: Call): boolean => paths.has(call.path) && ["open", "write", "flush"].includes(call.call);
  const early = calls.slice(0, calls.indexOf(naming));
  const over = early
    .filter(isOf)
    .map((call): Call => ({ ...call, path: naming.path, ...("truncates" in call ? { truncates: true } : {}) }));
  const rest = without(calls, (call) => call !== naming && early.includes(call) && paths.has(call.path));
  return rest.flatMap((call) => (call === naming ? over : [call]));
}

/** The answer is given before the last flush of a kind. */
export function answeredBefore(calls: Calls, flushed: RegExp): Call[] {
  const last = calls.findLast(({ call, path }) => call === "flush" && flushed.test(path));
  const answer = calls.find(({ call }) => call === "answer");
  if (last === undefined || answer === undefined) throw new Error("no flush, or no answer");
  return calls.flatMap((call) => (call === answer ? [] : call === last ? [answer, call] : [call]));
}

/** The answer is given right after the first flush of a kind: no fault, where what comes after it needs no flush before the answer. */
export function answeredAfter(calls: Calls, flushed: RegExp): Call[] {
  const first = calls.find(({ call, path }) => call === "flush" && flushed.test(path));
  const answer = calls.find(({ call }) => call === "answer");
  if (first === undefined || answer === undefined) throw new Error("no flush, or no answer");
  return calls.flatMap((call) => (call === answer ? [] : call === first ? [call, answer] : [call]));
}

/** A name is removed, and its folder flushed, right after another was given; what was linked from it is linked from there. */
export function removedAfter(calls: Calls, removed: RegExp, given: RegExp): Call[] {
  const removal = removalOf(calls, removed);
  const naming = namingOf(calls, given);
  const rest = without(calls, (call) => call === removal).map(
    (call): Call => ("from" in call && call !== naming && call.from === removal.path ? { ...call, from: naming.path } : call),
  );
  return insertedAfter(rest, naming, [removal, ...flushOf(removal.path)]);
}

/** A name is removed, and its folder flushed, before a file gets another, which is then taken from a third name it has. */
export function removedBefore(calls: Calls, removed: RegExp, given: RegExp, source: string): Call[] {
  const removal = removalOf(calls, removed);
  const naming = namingOf(calls, given);
  return without(calls, (call) => call === removal).flatMap((call) =>
    call === naming ? [removal, ...flushOf(removal.path), { ...naming, from: source }] : [call],
  );
}

function removalOf(calls: Calls, removed: RegExp): Call {
  const found = calls.find(({ call, path }) => call === "unlink" && removed.test(path));
  if (found === undefined) throw new Error(`nothing like ${removed} is removed`);
  return found;
}

let flushes = 0;

/** A flush of the folder that a path lies in. */
function flushOf(path: string): Call[] {
  flushes -= 1;
  const folder = path.slice(0, path.lastIndexOf("/"));
  return [
    { call: "open", file: flushes, path: folder, creates: false, truncates: false, appends: false, mode: 0 },
    { call: "flush", file: flushes, path: folder },
  ];
}

function insertedAfter(calls: Calls, after: Call, more: Calls): Call[] {
  return calls.flatMap((call) => (call === after ? [call, ...more] : [call]));
}
