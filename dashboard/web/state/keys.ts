/** The keyboard: single letters act where no field has the focus, and can be turned off. */
import { signal } from "@preact/signals";
import { keep, kept } from "./kept.ts";
import { go, route } from "./route.ts";

/** Whether single letters act. */
export const letters = signal(kept("letters") !== "off");
/** Whether the list of keys is shown. */
export const isHelpShown = signal(false);

/** Turns the single letters on or off, for this browser. */
export function setLetters(on: boolean): void {
  letters.value = on;
  keep("letters", on ? "" : "off");
}

/** The views by the letter that follows `g`. */
export const PLACES: Readonly<Record<string, string>> = {
  n: "now",
  t: "threads",
  b: "board",
  a: "artifacts",
  m: "memory",
  o: "office",
  u: "usage",
  r: "record",
};
/** How long the letter after `g` may take. */
const SECOND_MS = 1_500;
/** When `g` was pressed last: never, at first. */
let isGoingMs = Number.NEGATIVE_INFINITY;

const isField = (target: EventTarget | null): boolean => target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);

/** Moves the focus along the rows of the view. */
function step(by: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")].filter((row) => row.offsetParent !== null);
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = rows[Math.min(rows.length - 1, Math.max(0, at === -1 ? 0 : at + by))];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

function act(event: KeyboardEvent): boolean {
  const isSecond = performance.now() - isGoingMs < SECOND_MS;
  isGoingMs = Number.NEGATIVE_INFINITY;
  if (isSecond && PLACES[event.key] !== undefined) {
    go(PLACES[event.key] as string);
    return true;
  }
  switch (event.key) {
    case "g":
      isGoingMs = performance.now();
      return true;
    case "/":
      go("search");
      return true;
    case "?":
      isHelpShown.value = !isHelpShown.value;
      return true;
    case "j":
    case "k":
      step(event.key === "j" ? 1 : -1);
      return true;
    case "r": {
      const field = document.querySelector<HTMLElement>(".reply .field");
      field?.focus();
      return field !== null;
    }
    default: {
      const key = CSS.escape(event.key);
      // What the row that has the focus offers goes before what the view offers.
      const row = document.activeElement?.closest("li");
      const button =
        row?.querySelector<HTMLElement>(`[data-row-key="${key}"]`) ?? document.querySelector<HTMLElement>(`[data-key="${key}"]`);
      button?.click();
      return button !== null;
    }
  }
}

/** Begins to listen. */
export function listenToKeys(): void {
  addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      if (!isHelpShown.value) document.querySelector<HTMLElement>('[data-key="Escape"]')?.click();
      isHelpShown.value = false;
      const field = document.activeElement;
      if (field instanceof HTMLElement && isField(field)) field.blur();
      else if (route.value.chosen !== "" && document.querySelector("dialog[open]") === null) go(route.value.view);
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isField(event.target) || !letters.value) return;
    if (act(event)) event.preventDefault();
  });
}
