/** Files that the build wrote beside the code, such as those that a thread runs. */
import path from "node:path";

/** The folder that the build wrote; what runs from its sources is started where the build put it in `dist`. */
declare const RELAY_FOLDER: string;

/** The absolute path of one. @param name in the folder that the build wrote */
export const builtFile = (name: string): string => path.resolve(typeof RELAY_FOLDER === "undefined" ? "dist" : RELAY_FOLDER, name);
