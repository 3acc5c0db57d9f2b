/** Follows code fences line by line, as CommonMark has them: a line inside of one is not a heading. */
export class Fences {
  #mark = "";

  /** What would close the fence that is open; empty when none is. */
  get open(): string {
    return this.#mark;
  }

  /** Whether a line belongs to a fence, its first and last line as well. */
  next(line: string): boolean {
    const [before = "", mark = ""] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (this.#mark === "") {
      // Backticks after the first ones are code within a line.
      if (mark === "" || (mark.startsWith("`") && line.includes("`", before.length))) return false;
      this.#mark = mark;
      return true;
    }
    if (mark !== "" && mark.startsWith(this.#mark) && line.slice(before.length).trim() === "") this.#mark = "";
    return true;
  }
}
