/** Where the page is: the part of the address behind `#`, so that nothing is asked of the server for it. */
import { computed, signal } from "@preact/signals";

const hash = signal(location.hash);
addEventListener("hashchange", () => {
  hash.value = location.hash;
});

/** The view, and what is chosen in it. */
export const route = computed(() => {
  const [view = "", ...rest] = hash.value.replace(/^#\/?/, "").split("/");
  return { view: view === "" ? "now" : view, chosen: rest.map(decoded).join("/") };
});

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The address of a view, and of what is chosen in it. */
export const addressOf = (view: string, chosen = ""): string => `#/${view}${chosen === "" ? "" : `/${encodeURIComponent(chosen)}`}`;

/** Goes there. */
export function go(view: string, chosen = ""): void {
  location.hash = addressOf(view, chosen);
}
