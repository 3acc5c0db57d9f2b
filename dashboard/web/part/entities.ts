/** Names of characters as Markdown has them, `&copy;`, read by the browser, which knows all of them: a table of them is 16 kB packed. */
import { policy } from "./policy.ts";

const NAMED = /^&[a-z][a-z0-9]{1,31};$/i;
const box = document.createElement("p");

/** The characters of one name; what is no name stays as it is. The build puts it in the place of the same function of `entities`. */
export function decodeHTMLStrict(name: string): string {
  if (!NAMED.test(name)) return name;
  box.innerHTML = policy.createHTML(name);
  const text = box.textContent ?? name;
  // A browser reads the beginning of a name, too, and leaves the rest with its semicolon.
  return text.endsWith(";") && name !== "&semi;" ? name : text;
}
