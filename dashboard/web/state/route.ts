/** Where the page is: the part of the address behind `#`, so that nothing is asked of the server for it. */
import { computed, signal } from "@preact/signals";

const hash = signal(location.hash);
addEventListener("hashchange", () => {
  hash.value = location.hash;
});

/** The view, what is chosen in it, and the earlier record of the home that the page shows; each may be empty. */
export const route = computed(() => routeOf(hash.value));

/** Where the browser is, or goes to, at this moment. It tells of a new address later than it has it: what a timer runs asks here. */
export const routeNow = (): typeof route.value => routeOf(location.hash);

function routeOf(address: string) {
  const [path = "", at = ""] = address.replace(/^#\/?/, "").split("?at=");
  const [view = "", ...rest] = path.split("/");
  return { view: view === "" ? "now" : view, chosen: rest.map(decoded).join("/"), at: decoded(at) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The address of a view, and of what is chosen in it. @param at a record of the home; empty for now, and left out for what is shown */
export const addressOf = (view: string, chosen = "", at = route.value.at): string =>
  `#/${view}${chosen === "" ? "" : `/${encodeURIComponent(chosen)}`}${at === "" ? "" : `?at=${encodeURIComponent(at)}`}`;

/** Chosen in the view now, it opens the form of a new message. */
export const WRITE = "new message";

/** Goes there. */
export const go = (view: string, chosen = ""): void => goTo(addressOf(view, chosen));

/** Goes to an address. @param isSameStep whether going back passes over where the page is now */
export function goTo(address: string, isSameStep = false): void {
  if (isSameStep) location.replace(address);
  else location.hash = address;
  // The browser tells of it later; whoever asks before that is told where the page is going.
  hash.value = location.hash;
}
