/** Adds to lists that may be long, because their entries arrived from elsewhere. */

/** Adds to the end of a list. `push(...more)` would give each as an argument of one call, which takes no more than some 120,000. */
export function append<T>(list: T[], more: Iterable<T>): void {
  for (const each of more) list.push(each);
}
