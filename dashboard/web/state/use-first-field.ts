/** The focus of a form that opens: it goes to the first field, each time, and back when the form is closed. */
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { focusView } from "./keep-focus.ts";

/** Gives what the first field of a form takes as its `ref`. @param key the key that opens the form */
export function useFirstField(key: string): RefObject<HTMLInputElement | null> {
  const field = useRef<HTMLInputElement>(null);
  // Before anything else is typed: a letter that comes later than the click belongs to the field.
  useLayoutEffect(() => {
    const before = document.activeElement;
    field.current?.focus();
    return () => {
      const opener = document.querySelector<HTMLElement>(`[data-key="${key}"]`);
      if (before instanceof HTMLElement && before !== document.body && before.isConnected) before.focus();
      else if (opener === null) focusView();
      else opener.focus();
    };
  }, []);
  return field;
}
