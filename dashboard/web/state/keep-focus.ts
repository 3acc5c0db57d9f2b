/** The focus is never lost: where what had it goes away, or can no longer have it, the view has it. */

/** Begins to see to it. */
export function keepFocus(): void {
  let last: Element | null = null;
  addEventListener("focusin", ({ target }) => {
    last = target as Element;
  });
  const mend = (): void => {
    if (last === null || (last.isConnected && !last.matches(":disabled"))) return;
    last = null;
    const now = document.activeElement;
    if (now === null || now === document.body || now.matches(":disabled")) focusView();
  };
  new MutationObserver(mend).observe(document.body, { childList: true, subtree: true, attributeFilter: ["disabled"] });
}

/** Gives the focus to the view as a whole: Tab goes on to what is first in it. */
export const focusView = (): void => document.getElementById("main")?.focus();
