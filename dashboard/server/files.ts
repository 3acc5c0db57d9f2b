/** What a browser loads: a few files, read once at the start. A path of a request is looked up by name, and never leads to the disk. */
import fs from "node:fs";
import path from "node:path";

/** A file as it is sent. */
export interface Sent {
  type: string;
  content: Buffer;
}

/** The files by the routes that they have; the page itself is the empty route. */
const FILES: readonly (readonly [route: string, file: string, type: string])[] = [
  ["", "index.html", "text/html; charset=utf-8"],
  ["app.js", "app.js", "text/javascript; charset=utf-8"],
  ["style.css", "style.css", "text/css; charset=utf-8"],
  ["icon.svg", "icon.svg", "image/svg+xml"],
];

/** Reads them. @param folder absolute path of what the build made of `dashboard/web` */
export const readFiles = (folder: string): ReadonlyMap<string, Sent> =>
  new Map(FILES.map(([route, file, type]) => [route, { type, content: fs.readFileSync(path.join(folder, file)) }]));
