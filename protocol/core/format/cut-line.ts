/** Lines of files that only grow, of which a loss of power may keep a part. spec/messages.md, "Events". */

/** Whether a line is what a loss of power leaves of one that was being appended: its beginning, or zeros in its place. */
export const isCutLine = (line: string): boolean => /^\0+$/.test(line) || (line.startsWith("{") && !line.trimEnd().endsWith("}"));
