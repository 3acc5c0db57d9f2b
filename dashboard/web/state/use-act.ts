/** Doing something, once at a time: whether it goes on, and why it was refused. */
import { signal } from "@preact/signals";
import { useRef, useState } from "preact/hooks";
import type { Reply } from "./server.ts";

/** What was done last: in words, with the address of what came of it, and what takes it back; null once it was shown for a while. */
export const toast = signal<{ words: string; href: string; undo: (() => void) | undefined } | null>(null);
const TOAST_MS = 8_000;

/** Says for a while what was done. @param takeBack undoes it, where that is possible */
export function say(words: string, href: string, takeBack?: () => Promise<Reply<unknown>>): void {
  const undo = async (): Promise<void> => {
    const { failure } = (await takeBack?.()) ?? {};
    say(failure === undefined ? "It is as it was." : `It stays. ${failure.error}`, href);
  };
  const said = { words, href, undo: takeBack === undefined ? undefined : () => void undo() };
  toast.value = said;
  setTimeout(() => {
    if (toast.value === said) toast.value = null;
  }, TOAST_MS);
}

/** What stands around an act. */
export interface Act {
  isBusy: boolean;
  /** Why the last try was refused, in words. */
  why: string | undefined;
  /** Does it, unless the one before goes on. @returns whether it was done */
  run: (act: () => Promise<Reply<unknown>>) => Promise<boolean>;
}

export function useAct(): Act {
  const [state, setState] = useState<{ isBusy: boolean; why?: string | undefined }>({ isBusy: false });
  // What is shown is known after the next paint; a second click may come before.
  const isBusy = useRef(false);
  return {
    ...state,
    why: state.why,
    async run(act) {
      if (isBusy.current) return false;
      isBusy.current = true;
      setState({ isBusy: true });
      const { failure } = await act();
      isBusy.current = false;
      setState({ isBusy: false, why: failure?.error });
      return failure === undefined;
    },
  };
}
