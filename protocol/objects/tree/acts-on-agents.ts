/** Files that Relay does not know and that act on agents, editors or shells; they are reported by name, before all others. spec/git.md, "What is laid out". */

/** Instructions, settings and hooks of agents, editors, shells and hosts, by the last name of a path. */
const NAMES =
  /^(?:(?:claude|agents|gemini|codex|copilot-instructions|cursor|skill)(?:\.local)?\.(?:md|mdc)|makefile|package\.json|justfile|jenkinsfile|\.[^/]+)$/i;
/** Folders whose files do. */
const FOLDERS = /(?:^|\/)(?:\.[^/]+|hooks|node_modules|skills)\//i;

/** Whether a file may act on agents, editors, shells or a host: by its name, or by a folder that it is in. */
export const actsByItself = (path: string): boolean => NAMES.test(path.slice(path.lastIndexOf("/") + 1)) || FOLDERS.test(path);

/** Paths in the order in which they are told: those that act by themselves first. @returns both, each once */
export function actingFirst(paths: readonly string[]): { acting: string[]; others: string[] } {
  const all = [...new Set(paths)].sort();
  return { acting: all.filter(actsByItself), others: all.filter((path) => !actsByItself(path)) };
}
