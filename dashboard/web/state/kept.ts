/** What this browser keeps for the page: drafts and settings. It is the page's own: its path is in every name. */

/** What a browser that keeps nothing has as long as the page is open. */
const here = new Map<string, string>();

const nameOf = (key: string): string => `relay ${location.pathname} ${key}`;

/** What is kept under a key; empty where nothing is. */
export function kept(key: string): string {
  try {
    return localStorage.getItem(nameOf(key)) ?? here.get(key) ?? "";
  } catch {
    return here.get(key) ?? "";
  }
}

/** Keeps a text under a key; an empty one is forgotten. */
export function keep(key: string, text: string): void {
  here.delete(key);
  try {
    if (text === "") localStorage.removeItem(nameOf(key));
    else localStorage.setItem(nameOf(key), text);
  } catch {
    here.set(key, text);
  }
}
