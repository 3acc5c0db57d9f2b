/** Follows code fences line by line, as CommonMark has them: a line inside of one is not a heading. */
export class Fences {
  #mark = "";

  /** What would close the fence that is open; empty when none is. */
  get open(): string {
    return this.#mark;
  }

  /** Whether a line belongs to a fence, its first and last line as well. */
  next(line: string): boolean {
    const found = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
    const mark = found?.[1] ?? "";
    if (this.#mark === "") {
      // Backticks after the first ones are code within a line.
      if (mark === "" || (mark.startsWith("`") && found?.[2]?.includes("`"))) return false;
      this.#mark = mark;
      return true;
    }
    if (mark.startsWith(this.#mark) && found?.[2]?.trim() === "") this.#mark = "";
    return true;
  }
}
