/** How long a program has said nothing. A wait for members is no silence, and after one its whole time begins again. */
export class Silence {
  #heardMs: number;
  #waited = false;

  /** @param nowMs when its program began */
  constructor(nowMs: number) {
    this.#heardMs = nowMs;
  }

  /** Notes that the program printed something. */
  heard(nowMs: number): void {
    this.#heardMs = nowMs;
  }

  /**
   * @param isWaiting whether something that the program waits for is at work; asked only after half of the limit, because it reads files
   * @returns whether the program has to be stopped
   */
  isTooLong(nowMs: number, limitMs: number, isWaiting: () => boolean): boolean {
    const quietMs = nowMs - this.#heardMs;
    if (quietMs <= limitMs / 2) return false;
    const waits = isWaiting();
    // After a wait the program has yet to hear what it waited for.
    const isTooLong = !waits && !this.#waited && quietMs > limitMs;
    if (waits || this.#waited) this.#heardMs = nowMs;
    this.#waited = waits;
    return isTooLong;
  }
}
