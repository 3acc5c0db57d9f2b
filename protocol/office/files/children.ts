/** The dispatches that a dispatch made, in order: one exclusive create for each, so that no more are at work at once than may be. */

import { readJson } from "../../store/read/read-json.ts";
import type { Store } from "../../store/root.ts";
import { type Chain, extendChain, numbersIn, plainChain } from "../../store/write/chain.ts";
import { localFolder, ringing } from "./local-files.ts";
import { inOffice, officeToWrite } from "./office-folder.ts";

/** A dispatch that another made. */
export interface Child {
  id: string;
  /** Of the text that it began with. */
  digest: string;
  recipient: string;
  /** The turn of the parent in which it was made, and which start of its program in that turn made it. */
  turn: number;
  attempt: number;
}

const CHILD_BYTES = 4_096;
const chainOf = (parent: string): Chain => plainChain(`${localFolder(parent)}/children`);

/** What this process read of the dispatches that others made: a number is written once, so it is read once. */
const known = new Map<string, Map<number, Child>>();
/** Of so many dispatches it is kept. */
const KNOWN = 64;

/** The dispatches that a dispatch made, the first one first. */
export function childrenOf(store: Store, parent: string): Child[] {
  return inOffice(store, [], (office) => childrenIn(office, parent));
}

function childrenIn(store: Store, parent: string): Child[] {
  const chain = chainOf(parent);
  const numbers = numbersIn(store, chain).sort((a, b) => a - b);
  const key = `${store.root} ${parent}`;
  const read = known.get(key) ?? new Map<number, Child>();
  known.delete(key);
  if (numbers.length > 0) known.set(key, read);
  for (const oldest of known.keys()) if (known.size > KNOWN) known.delete(oldest);
  return numbers.flatMap((n) => {
    const child = read.get(n) ?? readJson<Child>(store, chain.pathOf(n), CHILD_BYTES);
    if (child !== null) read.set(n, child);
    return child ?? [];
  });
}

/**
 * Those of some dispatches that may be at work: somebody rang each, or left a note on it before it was made. What rests is not read, so
 * this costs what is at work in the home, and nothing for what is over.
 */
export function awakeOf(store: Store, children: readonly Child[]): Child[] {
  if (children.length === 0) return [];
  const awake = new Set(ringing(store));
  return children.filter(({ id }) => awake.has(id));
}

/**
 * Adds a dispatch to those of its parent.
 * @param decide which one it is, by those that there are; asked again where another was quicker. One that is among them is not added
 */
export const addChild = (store: Store, parent: string, decide: (others: readonly Child[]) => Child): Child =>
  extendChain(officeToWrite(store), chainOf(parent), () => {
    const others = childrenOf(store, parent);
    const child = decide(others);
    const isNew = others.every(({ id }) => id !== child.id);
    return { text: isNew ? `${JSON.stringify(child)}\n` : null, answer: child };
  });
