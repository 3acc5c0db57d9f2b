/** Every state that a disk may be left in by a loss of power, between the calls of a record and after them; each once. */
import { apply, type Disk, MODELS, type Model, type Naming } from "./disk.ts";
import { type Choice, digestOf, type Laid, layOf, type Wet } from "./laid.ts";
import type { Call } from "./trace.ts";

/** A state, and how it came about. */
export interface State {
  laid: Laid;
  /** How many answers had been given. */
  answers: number;
  /** The most lenient promise of a disk under which it can come about. */
  model: Model;
  /** After which call, and what is missing. */
  words: string;
}

/**
 * Of a record with more calls than this, which started git, names and bytes go missing only where a flush or an answer comes next: until
 * then what is not sure only grows, and a state of an earlier call is nearly always one of a later one, with what came since missing too.
 * After each other call the state with everything is taken.
 */
const LONG = 150;

/** Up to so many names that are not sure each two of them are dropped, and kept, together. */
const PAIRED = 10;

/**
 * The states of a record, in the order of the calls. A state that can come about before an answer and after it is given as one after
 * it, because more is promised then.
 * @param disk as it was before the first call; it is as after the last one in the end
 */
export function statesOf(disk: Disk, calls: readonly Call[]): State[] {
  const found = new Map<string, State>();
  const look = (after: string, isWhole = false): void => {
    for (const model of MODELS) {
      for (const choice of isWhole ? [WHOLE] : choicesOf(disk, model)) {
        const laid = layOf(disk, model, choice);
        const key = digestOf(laid);
        const known = found.get(key);
        if (known !== undefined && known.answers >= disk.answers) continue;
        found.delete(key);
        found.set(key, { laid, answers: disk.answers, model, words: `${after}, ${choice.words} (${model})` });
      }
    }
  };
  look("before all");
  for (const [at, call] of calls.entries()) {
    apply(disk, call);
    // Who opens, or makes sure, makes no new state; but an answer makes old ones worse.
    if (call.call === "seek" || call.call === "read" || (call.call === "open" && !call.creates && !call.truncates)) continue;
    const next = calls[at + 1]?.call ?? "answer";
    look(`${at + 1}. ${wordsOf(call)}`, calls.length > LONG && next !== "flush" && next !== "answer");
  }
  return [...found.values()];
}

const wordsOf = (call: Call): string => ("from" in call ? `${call.call} ${call.from} -> ${call.path}` : `${call.call} ${call.path}`);

const all = (): Wet => "all";
const none = (): Wet => "none";

const WHOLE: Choice = { has: () => true, wet: all, words: "with everything" };

function* choicesOf(disk: Disk, model: Model): Generator<Choice> {
  yield WHOLE;
  const loose = disk.namings.filter(({ sure }) => !sure[model]);
  const wet = [...disk.wet];
  if (loose.length === 0 && wet.length === 0) return;
  yield* model === "posix" ? anyOf(loose, wet) : inOrder(loose, wet);
}

/** Names come in their order. */
function* inOrder(loose: readonly Naming[], wet: readonly number[]): Generator<Choice> {
  for (let kept = loose.length; kept >= 0; kept -= 1) {
    // A rename is one step.
    if (kept > 0 && loose[kept]?.needs === loose[kept - 1] && loose[kept]?.needs !== undefined && loose[kept]?.needs !== null) continue;
    const first = new Set(loose.slice(0, kept));
    const has = (naming: Naming): boolean => first.has(naming);
    const words = kept === loose.length ? "all names" : `the first ${kept} of ${loose.length} names`;
    yield { has, wet: all, words };
    if (wet.length === 0) continue;
    yield { has, wet: none, words: `${words}, no bytes` };
    for (const inode of wet) {
      for (const some of ["none", "half"] as const)
        yield { has, wet: (at) => (at === inode ? some : "all"), words: `${words}, of one file ${some} of the bytes` };
    }
  }
}

/** Each name and each file's bytes come, or not, by themselves. */
function* anyOf(loose: readonly Naming[], wet: readonly number[]): Generator<Choice> {
  const without =
    (...dropped: (Naming | undefined)[]) =>
    (naming: Naming): boolean => {
      for (let at: Naming | null = naming; at !== null; at = at.needs) if (dropped.includes(at)) return false;
      return true;
    };
  const only =
    (...kept: (Naming | undefined)[]) =>
    (naming: Naming): boolean => {
      for (let at: Naming | null | undefined = naming; at !== null && at !== undefined; at = at.needs) if (!kept.includes(at)) return false;
      return true;
    };
  yield { has: () => false, wet: none, words: "only what was flushed" };
  yield { has: () => false, wet: all, words: "no names" };
  yield { has: () => true, wet: none, words: "no bytes" };
  yield { has: () => true, wet: () => "zeros", words: "bytes of zero" };
  yield { has: ({ disposable }) => !disposable, wet: all, words: "without run/" };
  yield { has: ({ disposable }) => disposable, wet: all, words: "only run/" };
  for (const inode of wet) {
    for (const some of ["none", "half", "zeros"] as const) {
      yield { has: () => true, wet: (at) => (at === inode ? some : "all"), words: `of one file ${some} of the bytes` };
      yield { has: () => true, wet: (at) => (at === inode ? "all" : some), words: `of the others ${some} of the bytes` };
    }
  }
  for (const naming of loose) {
    yield { has: without(naming), wet: all, words: `without ${nameOf(naming)}` };
    yield { has: only(naming), wet: all, words: `of the names only ${nameOf(naming)}` };
    yield { has: only(naming), wet: none, words: `only ${nameOf(naming)}` };
  }
  for (let kept = 1; kept < loose.length; kept += 1) {
    const first = only(...loose.slice(0, kept));
    yield { has: first, wet: all, words: `the first ${kept} of ${loose.length} names` };
    yield { has: first, wet: none, words: `the first ${kept} of ${loose.length} names, no bytes` };
  }
  const lasting = loose.filter(({ disposable }) => !disposable);
  if (lasting.length > PAIRED) return;
  for (const [at, one] of lasting.entries()) {
    for (const other of lasting.slice(at + 1)) {
      const words = `${nameOf(one)} and ${nameOf(other)}`;
      yield { has: without(one, other), wet: all, words: `without ${words}` };
      yield { has: only(one, other), wet: all, words: `of the names only ${words}` };
    }
  }
}

const nameOf = ({ path, inode }: Naming): string => `${inode === null ? "the removal of " : ""}${path}`;
