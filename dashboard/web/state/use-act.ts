/** Doing something, once at a time: whether it goes on, and why it was refused. */
import { useState } from "preact/hooks";
import type { Reply } from "./server.ts";

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
  return {
    isBusy: state.isBusy,
    why: state.why,
    async run(act) {
      if (state.isBusy) return false;
      setState({ isBusy: true });
      const { failure } = await act();
      setState({ isBusy: false, why: failure?.error });
      return failure === undefined;
    },
  };
}
