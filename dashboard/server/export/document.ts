/** The exported page as one file that opens from the disk: it holds its script, its style and its answers, and loads nothing. */
import { createHash } from "node:crypto";
import type { Sent } from "../files.ts";

/** What the page reads at its start. */
export interface Exported {
  /** What the page knows of itself, as the server says it. */
  page: { name: string; part: string; readOnly: true; version: string };
  /** ISO 8601: the moment that is shown. */
  at: string;
  /** The commit that is shown; null where it was the home as it was just then. */
  commit: string | null;
  leftOut: readonly string[];
  answers: Record<string, unknown>;
}

/** Writes the document. @param files what a browser loads, as the server sends it */
export function documentOf(files: ReadonlyMap<string, Sent>, exported: Exported): string {
  const textOf = (route: string): string => files.get(route)?.content.toString("utf8") ?? "";
  // A script of a file is no module, and what is in it would be global.
  const script = inScript(`(()=>{"use strict";${textOf("app.js")}\n})();`);
  const style = textOf("style.css").replaceAll("</", "<\\/");
  // A type that no browser runs; a `<` in it is written as a number, so that it ends nowhere but at its end.
  const data = JSON.stringify(exported).replaceAll("<", "\\u003c").replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types relay",
  ].join("; ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Relay</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<script type="application/json" id="exported">${data}</script>
<script>${script}</script>
</body>
</html>
`;
}

const hashOf = (text: string): string => `sha256-${createHash("sha256").update(text).digest("base64")}`;

/** Code without what a reader of HTML would take for the end of a script, or for a comment. Both are the same in strings and patterns. */
const inScript = (code: string): string => code.replace(/<\/(script)/gi, "<\\/$1").replaceAll("<!--", "<\\!--");
