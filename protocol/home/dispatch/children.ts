/** The dispatches that a dispatch made, in order: one exclusive create for each, so that no more are at work at once than may be. */

import { readJson } from "../../store/read/read-json.ts";
import type { Store } from "../../store/root.ts";
import { type Chain, extendChain, numbersIn, plainChain } from "../../store/write/chain.ts";
import { localFolder } from "./local-files.ts";

/** A dispatch that another made. */
export interface Child {
  id: string;
  /** Of the text that it began with. */
  digest: string;
  recipient: string;
  /** The turn of the parent in which it was made. */
  turn: number;
}

const CHILD_BYTES = 4_096;
const chainOf = (parent: string): Chain => plainChain(`${localFolder(parent)}/children`);

/** The dispatches that a dispatch made, the first one first. */
export function childrenOf(store: Store, parent: string): Child[] {
  const chain = chainOf(parent);
  return numbersIn(store, chain)
    .sort((a, b) => a - b)
    .flatMap((n) => readJson<Child>(store, chain.pathOf(n), CHILD_BYTES) ?? []);
}

/**
 * Adds a dispatch to those of its parent.
 * @param decide which one it is, by those that there are; asked again where another was quicker. One that is among them is not added
 */
export const addChild = (store: Store, parent: string, decide: (others: readonly Child[]) => Child): Child =>
  extendChain(store, chainOf(parent), () => {
    const others = childrenOf(store, parent);
    const child = decide(others);
    const isNew = others.every(({ id }) => id !== child.id);
    return { text: isNew ? `${JSON.stringify(child)}\n` : null, answer: child };
  });
