/** Words of a command line for a person to type. */

/** A word as a shell takes it literally: a path may hold spaces, quotes, `$()`, anything. */
export const shellWord = (word: string): string => (/^[\w./:@+-][\w./:@=+-]*$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/** Words that follow the flags of a command; one that begins with a dash is not a flag. */
export const placeWords = (words: readonly string[]): string =>
  `${words.some((word) => word.startsWith("-")) ? "-- " : ""}${words.map(shellWord).join(" ")}`;

/** A path as git takes it after `--`: not as a pattern, and without magic. */
export const pathWord = (path: string): string => shellWord(/^:|[*?[\\]/.test(path) ? `:(literal)${path}` : path);
