/** Adds to lists that may be long, because their entries arrived from elsewhere. */

/** Adds to the list that a map has by a key; the first one begins the list. */
export function addTo<Key, T>(lists: Map<Key, T[]>, key: Key, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

/** Adds to the end of a list. `push(...more)` would give each as an argument of one call, which takes no more than some 120,000. */
export function append<T>(list: T[], more: Iterable<T>): void {
  for (const each of more) list.push(each);
}
