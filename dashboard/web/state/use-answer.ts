/** An answer that stays true: asked again when a hint says that it may have changed. */
import { useEffect, useRef, useState } from "preact/hooks";
import { exported } from "../record/exported.ts";
import { commitFor } from "../record/moment.ts";
import { onHint } from "./live.ts";
import { type AnswerOf, type Failure, type InputFor, read } from "./server.ts";
import { shared } from "./shared.ts";

/** Between two questions for the same, so that a busy home does not keep the page busy. */
const BREATH_MS = 200;
/** What changes without a file (a lease that runs out, a part that is gone) is asked again so long after the last answer. */
const SLOW_MS = 20_000;
/** And what has folders of its own after so long: of very many folders not each is looked at. */
const SLOWEST_MS = 60_000;

/** The folders of the home in which an answer lies, of those that take long or change seldom; all the others may lie anywhere. */
const AREAS: Readonly<Record<string, readonly string[]>> = {
  usage: ["usage", "."],
  read_memory: ["memory"],
  list_artifacts: ["sessions"],
  get_artifact: ["sessions"],
  list_reviews: ["sessions"],
  list_sessions: ["sessions"],
  get_session_summary: ["sessions"],
};

/** Whether a hint may concern an answer. `all`: nobody knows what changed. */
const concerns = (name: string, areas: readonly string[]): boolean =>
  AREAS[name] === undefined || areas.some((area) => area === "all" || AREAS[name]?.includes(area));

/** The answer as it was last, and why the last question had none. */
export interface Answered<T> {
  data: T | undefined;
  failure: Failure | undefined;
  /** Asks again now. */
  again: () => void;
}

/**
 * Asks an operation, and asks again on hints.
 * @param input its arguments; null asks nothing
 */
export function useAnswer<N extends Parameters<typeof read>[0]>(name: N, input: InputFor<N> | null): Answered<AnswerOf<N>> {
  const [state, setState] = useState<{ key: string; data?: AnswerOf<N> | undefined; failure?: Failure | undefined }>({ key: "" });
  const key = JSON.stringify([name, input, commitFor(name)]);
  const load = useRef(() => {});
  useEffect(() => {
    if (input === null) return;
    const isFixed = exported !== null || commitFor(name) !== "";
    const over = new AbortController();
    const { signal } = over;
    let isBusy = false;
    let isAsked = false;
    /** The number of the hint that asks; 0 where none does. */
    let hinted = 0;
    const ask = async (): Promise<void> => {
      isAsked = true;
      if (isBusy || signal.aborted) return;
      isBusy = true;
      while (isAsked && !signal.aborted) {
        isAsked = false;
        const after = hinted;
        hinted = 0;
        const { data, failure } = await (after === 0 ? read(name, input, signal) : shared(key, after, () => read(name, input)));
        if (signal.aborted) return;
        setState((before) => {
          const known = before.key === key ? before.data : undefined;
          const isSame = after !== 0 && (failure ?? before.failure) === undefined && JSON.stringify(data) === JSON.stringify(known);
          // A hint that did not concern it draws nothing.
          return isSame ? before : { key, data: data ?? known, failure };
        });
        await new Promise((resolve) => setTimeout(resolve, BREATH_MS));
      }
      isBusy = false;
      askLater();
    };
    let slow: ReturnType<typeof setTimeout>;
    const askLater = (): void => {
      // What was recorded does not change.
      if (isFixed || signal.aborted) return;
      clearTimeout(slow);
      slow = setTimeout(
        () => (document.visibilityState === "visible" ? void ask() : askLater()),
        AREAS[name] === undefined ? SLOW_MS : SLOWEST_MS,
      );
    };
    load.current = () => {
      hinted = 0;
      void ask();
    };
    void ask();
    if (isFixed) return () => over.abort();
    const stop = onHint((areas, hint) => {
      if (!concerns(name, areas)) return;
      hinted = hint;
      void ask();
    });
    return () => {
      over.abort();
      stop();
      clearTimeout(slow);
    };
  }, [key]);
  const isThis = state.key === key;
  return { data: isThis ? state.data : undefined, failure: isThis ? state.failure : undefined, again: () => load.current() };
}
