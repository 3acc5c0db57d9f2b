/** Puts paths of the home together: a call asks for very many, and joins most of them without looking at each letter. */
import path from "node:path";

/** What joining would change in a path: a segment that is empty, or dots; and each slash where paths have others. */
const NOT_PLAIN = path.sep === "/" ? /(?:^|\/)\.{0,2}(?:\/|$)/ : /^/;

/** Whether a path is one that joining leaves as it is. */
export const isPlain = (relative: string): boolean => !NOT_PLAIN.test(relative);

/** As `path.join(root, relative)`. @param root absolute */
export const joinPath = (root: string, relative: string): string => (isPlain(relative) ? `${root}/${relative}` : path.join(root, relative));
