/** Who may ask what: each request is judged by its headers alone, before anything of a home is looked at. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { OnceLinks } from "./once.ts";
import type { Page } from "./page.ts";

/** An answer that was decided without looking at a home. */
export interface Refused {
  status: number;
  problem: string;
  headers?: Record<string, string>;
}

/** A request that may be answered. */
export interface Allowed {
  page: Page;
  /** What is asked of the page: the rest of the path, in letters, digits, `_`, `.` and one `/`. */
  route: string;
  query: URLSearchParams;
  /** Whether it is the link that opens the page: it is answered by the cookie alone. */
  isLink: boolean;
}

const refused = (status: number, problem: string, headers?: Record<string, string>): Refused =>
  headers === undefined ? { status, problem } : { status, problem, headers };

const PATH = /^\/([0-9a-z]{32})\/([a-z_]*|[a-z_]+\.[a-z]+|api\/[a-z_]+)$/;
const LOCAL = /^(127\.0\.0\.1|localhost|\[::1\]):(\d{1,5})$/;
/** Sites of which a request is the page's own, or a person's who typed the address. */
const OWN_SITES = ["same-origin", "none"];
const URL_LENGTH = 8_192;

/**
 * Judges a request.
 * @param port the port that is served
 * @param pages the pages by their ids
 * @param once what is known of links that open a page once
 */
export function judge(request: IncomingMessage, port: number, pages: ReadonlyMap<string, Page>, once: OnceLinks): Allowed | Refused {
  const { headers, method = "", url = "" } = request;
  const host = LOCAL.exec(headers.host ?? "");
  const hosts = request.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "host").length;
  if (hosts !== 1 || host === null || Number(host[2]) !== port) return refused(421, "This server answers only for this machine.");
  if (!url.startsWith("/") || url.length > URL_LENGTH) return refused(400, "The address is no path of this server.");
  if (method !== "GET" && method !== "POST") return refused(405, "Only GET and POST are answered.", { Allow: "GET, POST" });
  const site = headers["sec-fetch-site"];
  if (site !== undefined && !OWN_SITES.includes(site as string) && !isNavigation(request))
    return refused(403, "Another site asked, so nothing is answered.");
  const [path = "", ...rest] = url.split("?");
  const query = new URLSearchParams(rest.join("?"));
  const [, id = "", route = ""] = PATH.exec(path) ?? [];
  const page = pages.get(id);
  const openedBy = (): Page | undefined => {
    const [whole, pass] = [query.get("token"), query.get("once")];
    if (path === "/" && pass !== null) return [...pages.values()].find(({ token }) => once.take(pass, token, Date.now()));
    return page !== undefined && route === "" && whole !== null && isSame(whole, page.token) ? page : undefined;
  };
  const opened = method === "GET" ? openedBy() : undefined;
  if (opened !== undefined) return { page: opened, route, query, isLink: true };
  if (page === undefined || !cookiesOf(headers.cookie).some((value) => isSame(value, page.token)))
    return refused(401, "Open the link that `relay dashboard` prints.");
  if (method === "POST") {
    if (headers.origin !== `http://${headers.host}`) return refused(403, "A write must come from the page itself.");
    if (headers["x-relay"] !== "1") return refused(403, "A write needs the header x-relay.");
    if (headers["content-type"] !== "application/json") return refused(403, "A write must be JSON.");
  }
  return { page, route, query, isLink: false };
}

/** Whether a person opens the page in a window of its own: a link from elsewhere may do that, and sees nothing of it. */
const isNavigation = ({ headers, method, url = "" }: IncomingMessage): boolean =>
  method === "GET" &&
  headers["sec-fetch-mode"] === "navigate" &&
  headers["sec-fetch-dest"] === "document" &&
  /^\/[0-9a-z]*\/?(\?|$)/.test(url);

/** The values of the cookies that are named as ours. */
const cookiesOf = (header: string | undefined): string[] =>
  (header ?? "").split(";").flatMap((each) => (each.trim().startsWith("relay=") ? [each.trim().slice("relay=".length)] : []));

/** Whether two secrets are the same, in a time that says nothing of where they differ. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
