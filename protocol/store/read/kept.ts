/** Keeps what was used last, as much of it as is allowed: what was not used while half of that came is let go. */
export class Kept<T> {
  #young = new Map<string, T>();
  #old = new Map<string, T>();
  readonly #most: number;
  #cost = 0;
  readonly #costOf: (value: T) => number;

  /** @param most the cost of all that is kept, in the unit of `costOf` */
  constructor(most: number, costOf: (value: T) => number) {
    this.#most = most;
    this.#costOf = costOf;
  }

  get(key: string): T | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: string, value: T): void {
    this.#cost += this.#costOf(value);
    if (this.#cost > this.#most / 2) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#cost = this.#costOf(value);
    }
    this.#young.set(key, value);
  }
}
