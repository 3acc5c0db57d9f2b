/** The address of a remote: which texts may be one, which server it names, and which piece of it may be shown. spec/git.md, "The remote". */

/** How a remote is reached, in git's words for `GIT_ALLOW_PROTOCOL`. */
export type Scheme = "https" | "http" | "ssh" | "git" | "file";

/** The server of a URL; of a path on this disk the host is empty. */
export interface Server {
  scheme: Scheme;
  /** Without user and password, in lower case. */
  host: string;
  /** As a number in text; empty for the usual one. */
  port: string;
}

/** Characters of a URL, at most. */
export const URL_LENGTH = 2_048;
const SCHEMES: Readonly<Record<string, Scheme>> = {
  https: "https",
  http: "http",
  ssh: "ssh",
  "git+ssh": "ssh",
  "ssh+git": "ssh",
  git: "git",
  file: "file",
};
const USUAL_PORTS: Readonly<Record<Scheme, string>> = { https: "443", http: "80", ssh: "22", git: "9418", file: "" };

/** What is wrong with an address, in words; null for one that git may be given. */
export function urlProblem(url: string): string | null {
  if (url === "") return "it is empty";
  if (url.length > URL_LENGTH) return `it has ${url.length} characters; expected at most ${URL_LENGTH}`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  if (/[\u0000-\u001f\u007f]/.test(url)) return "it has a control character";
  if (url.startsWith("-")) return "it begins with a dash";
  // `<helper>::<address>` starts a program of that name; an IPv6 address stands in brackets.
  if (url.replace(/\[[0-9a-f:.%]*\]/gi, "").includes("::")) return "it names a helper program (::)";
  const server = serverOf(url);
  if (server === null)
    return `expected a path, host:path, or a URL that begins with ${Object.keys(SCHEMES).slice(0, 3).join("://, ")}:// or file://`;
  if (server.scheme !== "file" && (server.host === "" || server.host.startsWith("-"))) return "it names no host";
  return null;
}

/** The server of an address; null where it is none that git knows by itself. */
export function serverOf(url: string): Server | null {
  const [, word] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url) ?? [];
  if (word === undefined) {
    // A colon before the first slash makes it `[user@]host:path`, as git reads it.
    const host = /^(?:[^/@]*@)?(\[[^\]/]*\]|[^/:]+):/.exec(url)?.[1];
    return host === undefined ? { scheme: "file", host: "", port: "" } : { scheme: "ssh", host: host.toLowerCase(), port: "" };
  }
  const scheme = SCHEMES[word.toLowerCase()];
  if (scheme === undefined) return null;
  if (scheme === "file") return { scheme, host: "", port: "" };
  const [, host, port = ""] = /^[^/]*:\/\/(?:[^/?#\\\s]*@)?(\[[0-9a-f:.%]*\]|[^/:?#@\\\s]*)(?::(\d*))?(?=[/?#]|$)/i.exec(url) ?? [];
  if (host === undefined) return null;
  return { scheme, host: host.toLowerCase(), port: port === USUAL_PORTS[scheme] ? "" : port };
}

/** Whether two addresses are served by the same server; a path on this disk is served by none. */
export function isSameServer(one: string, other: string): boolean {
  const [a, b] = [serverOf(one), serverOf(other)];
  return a !== null && b !== null && a.host !== "" && a.scheme === b.scheme && a.host === b.host && a.port === b.port;
}

/** `<scheme>://<host>[:<port>]/` of what is reached by http; null of anything else. */
export function webBase(url: string): string | null {
  const server = serverOf(url);
  if (server === null || (server.scheme !== "https" && server.scheme !== "http")) return null;
  return `${server.scheme}://${server.host}${server.port === "" ? "" : `:${server.port}`}/`;
}

/** Whether anybody on the way could read and change what goes there. */
export function isOpen(url: string): boolean {
  const server = serverOf(url);
  if (server === null || (server.scheme !== "http" && server.scheme !== "git")) return false;
  return !/^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(server.host);
}

/** Tells whether two addresses mean one repository: the same path on the same host, whichever way it is reached. */
export function isSamePlace(one: string, other: string): boolean {
  const [a, b] = [serverOf(one), serverOf(other)];
  // By ssh a path is of a user, and of what listens on a port.
  const isSsh = a?.scheme === "ssh" && b?.scheme === "ssh";
  return one === other || (placeOf(one) === placeOf(other) && !(isSsh && (userOf(one) !== userOf(other) || a.port !== b.port)));
}

const userOf = (url: string): string | undefined => /^(?:[a-z][a-z0-9+.-]*:\/\/)?([^/@]*)@/i.exec(url)?.[1];

/** The host and the path of an address, in one spelling; a path on this disk stays whole. */
function placeOf(url: string): string {
  const host = serverOf(url)?.host ?? "";
  const way = url.replace(/^(?:[a-z][a-z0-9+.-]*:\/\/[^/?#]*|(?:[^/@]*@)?(?:\[[^\]/]*\]|[^/:]+):)/i, "").replace(/(?:\.git)?\/*$/, "");
  return `${host} ${host === "" ? way : way.replace(/^\//, "")}`;
}

/** An address as it may be shown: without user and password. */
export const shownUrl = (url: string): string => url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, "$1");
