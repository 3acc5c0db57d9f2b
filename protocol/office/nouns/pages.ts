/** Long texts in pages, because every client of a tool cuts what one call may answer. spec/office.md, "Long texts". */

/** Characters of a page. */
export const PAGE = 10_000;

/** Where a page begins: never inside of a pair of surrogates. */
function startOf(text: string, page: number): number {
  const at = Math.min((page - 1) * PAGE, text.length);
  const isInside = at > 0 && /[\uD800-\uDBFF]/.test(text.charAt(at - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(at));
  return isInside ? at - 1 : at;
}

/** How many pages a text has; an empty one has one. */
export const pagesOf = (text: string): number => Math.max(1, Math.ceil(text.length / PAGE));

/** A page of a text, counted from 1; empty past the last. All pages one after the other are the text. */
export const pageOf = (text: string, page: number): string =>
  text.slice(startOf(text, page), page >= pagesOf(text) ? text.length : startOf(text, page + 1));
