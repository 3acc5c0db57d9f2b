/** Wakes whoever follows a turn. */

/** How often the turn is looked at without a sign. */
const LOOK_MS = 100;

/** Wakes whoever waits: at a ring, or after a while. */
export class Bell {
  #ring: (() => void) | null = null;

  ring(): void {
    this.#ring?.();
  }

  /** Waits for a ring, for no longer than a look may be late. */
  wait(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, LOOK_MS);
      this.#ring = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
