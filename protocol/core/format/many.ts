/** Numbers with their noun. */

/** "1 message", "2 messages". @param plural the word for several, where it is not the noun with an "s" */
export const many = (number: number, noun: string, plural = `${noun}s`): string => `${number} ${number === 1 ? noun : plural}`;
