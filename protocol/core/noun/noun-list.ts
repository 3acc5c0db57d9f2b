/** The nouns of all packages, as the core asks for them: `packages.ts` makes the list known. */
import type { AnyNoun } from "./noun.ts";

let list = (): readonly AnyNoun[] => {
  throw new Error("usePackages was not called");
};
let byKind: ReadonlyMap<string, AnyNoun> | null = null;

/** Makes the list of every noun known to what must not import it. @param nouns evaluates them, when the first is asked for */
export function listNouns(nouns: () => readonly AnyNoun[]): void {
  list = nouns;
  byKind = null;
}

/** Every noun, in the order of the list. */
export const listedNouns = (): readonly AnyNoun[] => list();

/** The noun of a kind. */
export function nounOf(kind: string): AnyNoun {
  byKind ??= new Map(list().map((noun) => [noun.kind, noun]));
  return byKind.get(kind) as AnyNoun;
}
