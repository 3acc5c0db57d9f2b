/**
 * A text without any of some characters at its end. A pattern such as `/ +$/` takes the square of the time for a long run of them elsewhere,
 * and the text may be somebody else's.
 */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1] as string)) end -= 1;
  return text.slice(0, end);
}
