/** How many findings of one kind are listed: a push can bring a hundred thousand, and nobody reads so many. spec/check.md, "Check". */

/** So many findings of one code are told one by one. */
export const TOLD_OF_CODE = 1_000;

/** What is counted together, and where it is. */
interface Coded {
  code: string;
  path?: string | undefined;
}

/** Findings that are told, and those beyond the bound of their code. Both are in the order given. */
export interface Parted<T> {
  told: T[];
  /** Code → what is left out of it, by path; codes within the bound have no entry. */
  rest: Map<string, T[]>;
}

/** Parts findings into the first of each code, by path, and the rest. */
export function firstFindings<T extends Coded>(findings: readonly T[]): Parted<T> {
  const codes = new Map<string, T[]>();
  for (const each of findings) {
    const known = codes.get(each.code);
    if (known === undefined) codes.set(each.code, [each]);
    else known.push(each);
  }
  const rest = new Map<string, T[]>();
  const left = new Set<T>();
  for (const [code, all] of codes) {
    if (all.length <= TOLD_OF_CODE) continue;
    const beyond = [...all].sort(byPath).slice(TOLD_OF_CODE);
    rest.set(code, beyond);
    for (const each of beyond) left.add(each);
  }
  return { told: rest.size === 0 ? [...findings] : findings.filter((each) => !left.has(each)), rest };
}

/** Without a path it comes last; findings of one path keep their order. */
function byPath(a: Coded, b: Coded): number {
  if (a.path === b.path) return 0;
  if (a.path === undefined || b.path === undefined) return a.path === undefined ? 1 : -1;
  return a.path < b.path ? -1 : 1;
}

/**
 * The findings as they are told: after the last of a code that has more comes one that counts the others.
 * @param more makes it of the first that is left out, and of how many are
 */
export function toldFindings<T extends Coded>(findings: readonly T[], more: (first: T, count: number) => T): T[] {
  const { told, rest } = firstFindings(findings);
  if (rest.size === 0) return told;
  const last = new Map(told.map((each) => [each.code, each]));
  return told.flatMap((each) => {
    const beyond = last.get(each.code) === each ? rest.get(each.code) : undefined;
    return beyond === undefined ? [each] : [each, more(beyond[0] as T, beyond.length)];
  });
}
