/** Numbers: with their noun, and of what there is room for. */

/** "1 message", "2 messages". @param plural the word for several, where it is not the noun with an "s" */
export const many = (number: number, noun: string, plural = `${noun}s`): string => `${number} ${number === 1 ? noun : plural}`;

/** Number of the first items that there is room for. @param size characters of an item */
export function countWithin<T>(items: readonly T[], room: number, size: (item: T) => number): number {
  let left = room;
  const end = items.findIndex((item) => {
    left -= size(item);
    return left < 0;
  });
  return end === -1 ? items.length : end;
}
