/**
 * A block of lines between markers, in a text of somebody's. What was added can be taken out, byte for byte.
 * SPEC.md, "Setting up agents".
 */

/** How a kind of file writes the two markers. */
export interface Markers {
  begin: string;
  /** Stands for `begin` where the text before did not end its last line, so that the break can be taken out again. */
  joined: string;
  end: string;
}

/** The markers of Markdown. */
export const MARKDOWN: Markers = {
  begin: "<!-- relay: begin (kept by `relay setup`) -->",
  joined: "<!-- relay: begin (kept by `relay setup`), joined -->",
  end: "<!-- relay: end -->",
};

/** The markers of TOML. */
export const TOML: Markers = {
  begin: "# relay: begin (kept by `relay setup`)",
  joined: "# relay: begin (kept by `relay setup`), joined",
  end: "# relay: end",
};

/**
 * Where a block stands: from its first character to behind its last line break; null when there is none. A marker that
 * has lost the other one begins or ends nothing: what stands behind it is somebody's.
 */
function find(text: string, { begin, joined, end }: Markers): { from: number; to: number } | null {
  const line = new RegExp(`^(?:(${escaped(begin)}|${escaped(joined)})|${escaped(end)})\\r?$`, "gm");
  let from = -1;
  for (const match of text.matchAll(line)) {
    if (match[1] !== undefined) from = match.index;
    else if (from !== -1) {
      const behind = match.index + match[0].length;
      return { from, to: text[behind] === "\n" ? behind + 1 : behind };
    }
  }
  return null;
}

const escaped = (literal: string): string => literal.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** The lines between the markers; null when there is no block. */
export function blockIn(text: string | null, markers: Markers): string | null {
  const place = text === null ? null : find(text, markers);
  return place === null ? null : (text as string).slice(place.from, place.to).split(/\r?\n/).slice(1, -2).join("\n");
}

/** The text with the block at its end, or in the place of an earlier one; the same text where it has it. */
export function withBlock(text: string | null, markers: Markers, body: string): string {
  const place = text === null ? null : find(text, markers);
  const eol = text === null ? "\n" : eolOf(place === null ? text : text.slice(place.from, place.to));
  const block = (begin: string): string => [begin, ...body.split("\n"), markers.end, ""].join(eol);
  if (text === null) return block(markers.begin);
  if (blockIn(text, markers) === body) return text;
  if (place !== null) {
    const begin = text.slice(place.from).startsWith(markers.joined) ? markers.joined : markers.begin;
    return text.slice(0, place.from) + block(begin) + text.slice(place.to);
  }
  const ended = text === "" || text.endsWith("\n");
  return ended ? `${text}${eol}${block(markers.begin)}` : `${text}${eol}${eol}${block(markers.joined)}`;
}

const eolOf = (text: string): string => (text.includes("\r\n") ? "\r\n" : "\n");

/** The text as it was before the block was added; null when nothing else was ever in it. */
export function withoutBlock(text: string, markers: Markers): string | null {
  const place = find(text, markers);
  if (place === null) return text;
  if (place.from === 0 && place.to === text.length) return null;
  const own = text.slice(place.from, place.to);
  // The breaks above it are the block's own, and of its kind.
  const eol = eolOf(own);
  let from = place.from;
  for (let breaks = own.startsWith(markers.joined) ? 2 : 1; breaks > 0 && text.slice(0, from).endsWith(eol); breaks -= 1)
    from -= eol.length;
  return text.slice(0, from) + text.slice(place.to);
}
