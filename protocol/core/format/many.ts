/** Numbers: with their noun, and of what there is room for. */

/** "1 message", "2 messages". @param plural the word for several, where it is not the noun with an "s" */
export const many = (number: number, noun: string, plural = `${noun}s`): string => `${number} ${number === 1 ? noun : plural}`;

/** Things that a line names; more are counted. */
const NAMED = 5;

/** Names some things on one line, and counts the rest. @param separator with its blank */
export const someOf = (things: readonly string[], separator = ", "): string =>
  things.length <= NAMED
    ? things.join(separator)
    : `${things.slice(0, NAMED).join(separator)}${separator}and ${things.length - NAMED} more`;

/** Number of the first items that there is room for. @param size characters of an item */
export function countWithin<T>(items: readonly T[], room: number, size: (item: T) => number): number {
  let left = room;
  const end = items.findIndex((item) => {
    left -= size(item);
    return left < 0;
  });
  return end === -1 ? items.length : end;
}
