/** Answers those together who ask the same at once: many pages ask the same after each hint, and each would take as long. */

/** Questions that have not begun, by what they ask. */
export class Together<T> {
  readonly #next = new Map<string, Promise<T>>();

  /**
   * The answer to a question. It is begun once all that has arrived is read, so an answer is never older than its question.
   * @param key the same for questions that ask the same
   */
  ask(key: string, answer: () => Promise<T>): Promise<T> {
    const known = this.#next.get(key);
    if (known !== undefined) return known;
    const begun = new Promise((resolve) => setImmediate(resolve)).then(() => {
      this.#next.delete(key);
      return answer();
    });
    this.#next.set(key, begun);
    return begun;
  }
}
