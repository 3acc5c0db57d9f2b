/** Words of a command line that somebody is to type. */

/** A word as a shell takes it literally: a path may hold spaces, quotes, `$()`, anything. */
export const shellWord = (word: string): string => (/^[\w./:@=+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
