/** What a process keeps of what it read, within a bound: what was asked for least lately goes first. */

/** Stands for the memory of an object beside its characters. */
const OBJECT = 300;

interface Entry<T> {
  value: T;
  weight: number;
}

/** Values by name. When half of the bound is full, what was not asked for since the half before was full goes. */
export class Kept<T> {
  readonly #half: number;
  #young = new Map<string, Entry<T>>();
  #old = new Map<string, Entry<T>>();
  #weight = 0;

  /** @param most so many characters together at the most, where each object counts as 300 more */
  constructor(most: number) {
    this.#half = most / 2;
  }

  /** The value of a name; undefined where none is kept. */
  get(name: string): T | undefined {
    const young = this.#young.get(name);
    if (young !== undefined) return young.value;
    const old = this.#old.get(name);
    if (old !== undefined) this.#add(name, old);
    return old?.value;
  }

  /** Keeps a value, if it is small beside the bound. @param characters its length @param objects how many it is made of */
  set(name: string, value: T, characters: number, objects = 1): void {
    this.#old.delete(name);
    this.#add(name, { value, weight: characters + OBJECT * objects });
  }

  #add(name: string, entry: Entry<T>): void {
    this.#weight -= this.#young.get(name)?.weight ?? 0;
    this.#young.delete(name);
    if (entry.weight > this.#half / 4) return;
    if (this.#weight + entry.weight > this.#half) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#weight = 0;
    }
    this.#young.set(name, entry);
    this.#weight += entry.weight;
  }
}
