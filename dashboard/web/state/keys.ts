/** The keyboard: single letters act where no field has the focus, and can be turned off. */
import { signal } from "@preact/signals";
import { exported } from "../record/exported.ts";
import { focusView } from "./keep-focus.ts";
import { keep, kept } from "./kept.ts";
import { addressOf, go, goTo, route } from "./route.ts";

/** Whether single letters act. */
export const letters = signal(kept("letters") !== "off");
/** Whether the list of keys is shown. */
export const isHelpShown = signal(false);

/** Turns the single letters on or off, for this browser. */
export function setLetters(on: boolean): void {
  letters.value = on;
  keep("letters", on ? "" : "off");
}

/** The views that the rail of a wide page has; each by its first letter, after `g`. */
export const IN_RAIL = ["now", "threads", "board", "artifacts", "memory", "office", "usage", "record"];
/** How long the letter after `g` may take. */
const SECOND_MS = 1_500;
/** When `g` was pressed last: never, at first. */
let isGoingMs = Number.NEGATIVE_INFINITY;

const isField = (target: EventTarget | null): boolean => target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);

/** Whoever types and presses no key for so long has stopped. */
const PAUSE_MS = 3_000;
/** Whether text was the last thing that the person gave, and no act has followed that ends it: Tab, Escape, Enter, a click. */
let isTyping = false;
let lastKeyMs = 0;
/** Whether letters do nothing, because the field in which the person types went away. */
export const areLettersHeld = signal(false);

/** Takes letters again. */
function endTyping(): void {
  isTyping = false;
  areLettersHeld.value = false;
}

/** Whether a letter belongs to a text whose field went away by itself: what somebody types is never taken for commands. */
function isOfText(): boolean {
  if (performance.now() - lastKeyMs > PAUSE_MS) endTyping();
  lastKeyMs = performance.now();
  areLettersHeld.value = isTyping;
  return isTyping;
}

/** Holds the letters until the person acts: the page was loaded anew, perhaps while somebody typed. */
export function holdLetters(): void {
  isTyping = true;
  lastKeyMs = performance.now();
}

/** Whether a button is seen, and not scrolled away. */
function isInSight(button: HTMLElement): boolean {
  const { x, y, width, height } = button.getBoundingClientRect();
  return button.contains(document.elementFromPoint(x + width / 2, y + height / 2));
}

/** Moves the focus along the rows of the view. */
function step(by: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")].filter((row) => row.offsetParent !== null);
  const at = rows.indexOf(document.activeElement as HTMLElement);
  // Without the focus, one goes on from the row that is chosen.
  const chosen = rows.findIndex((row) => row.ariaCurrent === "true");
  const from = at === -1 ? chosen : at;
  const next = rows[Math.min(rows.length - 1, Math.max(0, from === -1 ? 0 : from + by))];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

function act(event: KeyboardEvent): boolean {
  // A key that is held down is one press, except where it only moves the focus. Behind the help nothing acts.
  if ((event.repeat && event.key !== "j" && event.key !== "k") || (isHelpShown.value && event.key !== "?")) return false;
  const isSecond = performance.now() - isGoingMs < SECOND_MS;
  isGoingMs = Number.NEGATIVE_INFINITY;
  const place = IN_RAIL.find((name) => name[0] === event.key);
  if (isSecond && place !== undefined) {
    go(place);
    return true;
  }
  switch (event.key) {
    case "g":
      isGoingMs = performance.now();
      return true;
    case "/":
      if (exported === null) search();
      return exported === null;
    case "?":
      isHelpShown.value = !isHelpShown.value;
      return true;
    case "j":
    case "k":
      step(event.key === "j" ? 1 : -1);
      return true;
    default: {
      const key = CSS.escape(event.key);
      // What the row that has the focus offers goes before what the view offers.
      const row = document.activeElement?.closest("li, .ask");
      const button = row?.querySelector<HTMLElement>(`[data-row-key="${key}"], .reply [data-key="${key}"]`) ?? find(`[data-key="${key}"]`);
      const field =
        button === null ? (row?.querySelector<HTMLElement>(`[data-focus-key="${key}"]`) ?? find(`[data-focus-key="${key}"]`)) : null;
      // Nobody acks what is scrolled away: it is shown first.
      if (button?.closest(".reply") != null && !isInSight(button)) button.focus();
      else button?.click();
      field?.focus();
      return button !== null || field !== null;
    }
  }
}

/** Goes to the search; where it is shown, to its field, with the words chosen that are in it. */
function search(): void {
  if (route.value.view !== "search") go("search");
  else {
    const field = document.querySelector<HTMLInputElement>("#search-field");
    field?.focus();
    field?.select();
  }
}

const find = (selector: string): HTMLElement | null => document.querySelector<HTMLElement>(selector);

/** One step back: out of a form, out of a field, to now, out of what is chosen; the first of them that there is. */
function stepBack(event: KeyboardEvent): void {
  const out = find("[data-escape]");
  // The browser closes a dialog, and gives the focus back.
  if (isHelpShown.value) return;
  if (out !== null) out.click();
  else if (isField(document.activeElement)) {
    // A browser would empty a field for a search.
    event.preventDefault();
    focusView();
  } else if (route.value.at !== "") goTo(addressOf(route.value.view, route.value.chosen, ""));
  else if (route.value.chosen !== "" && route.value.view !== "search") {
    find('[data-row][aria-current="true"]')?.focus();
    go(route.value.view);
  }
}

/** Begins to listen. */
export function listenToKeys(): void {
  addEventListener("input", () => {
    isTyping = true;
    lastKeyMs = performance.now();
  });
  addEventListener("pointerdown", endTyping);
  addEventListener("keydown", (event) => {
    // What an input method composes is not typed yet.
    if (event.isComposing) return;
    const wasHeld = areLettersHeld.value;
    if (["Escape", "Tab", "Enter"].includes(event.key)) endTyping();
    // The one that takes letters again does nothing else.
    if (event.key === "Escape") return wasHeld ? undefined : stepBack(event);
    if (event.ctrlKey || event.metaKey || event.altKey || isField(event.target) || !letters.value) return;
    if (!isOfText() && act(event)) event.preventDefault();
  });
}
