/** Keys that do something now: whoever offers what a key does says so, and the foot of the page names no other. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";

const offers = signal<readonly string[]>([]);

/** Says that keys do something as long as this is shown. @param keys with blanks between; empty where they do nothing */
export function useOffered(keys: string): void {
  useEffect(() => {
    const own = keys.split(" ");
    offers.value = [...offers.peek(), ...own];
    return () => {
      const rest = [...offers.peek()];
      for (const key of own) rest.splice(rest.indexOf(key), 1);
      offers.value = rest;
    };
  }, [keys]);
}

/** Whether a key does something now. */
export const isOffered = (key: string): boolean => offers.value.includes(key);
