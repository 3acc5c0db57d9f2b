/** What this browser keeps for the page: drafts and settings. It is the page's own: its path is in every name. */

const nameOf = (key: string): string => `relay ${location.pathname} ${key}`;

/** What is kept under a key; empty where nothing is. */
export function kept(key: string): string {
  try {
    return localStorage.getItem(nameOf(key)) ?? "";
  } catch {
    return "";
  }
}

/** Keeps a text under a key; an empty one is forgotten. */
export function keep(key: string, text: string): void {
  try {
    if (text === "") localStorage.removeItem(nameOf(key));
    else localStorage.setItem(nameOf(key), text);
  } catch {
    // A browser that keeps nothing shows the page all the same.
  }
}
