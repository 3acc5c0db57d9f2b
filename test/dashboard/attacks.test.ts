import fs from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { HEADERS } from "../../dashboard/server/headers.ts";
import { onceLink } from "../../dashboard/server/once.ts";
import { operations, perform } from "../../protocol/index.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { tree } from "../rig/scratch.ts";
import { type Answer, ask, endServing, raw, type Serving, serve } from "./rig.ts";

let folder: string;
let served: Serving;

beforeEach(async () => {
  folder = await homeWith("web", "api");
  await perform(worldAt(folder, { part: "web" }), operations.send, { to: ["human"], subject: "Price?", body: "Which field is it?" });
  served = await serve(folder);
});
afterEach(endServing);

/** What an attack changes of a request that would be answered. `null` takes a header away. */
interface Attack {
  method?: string;
  path?: string;
  headers?: Record<string, string | null>;
  body?: string;
}

const SEND = JSON.stringify({ to: ["web"], subject: "Hello", body: "From the page." });
const READ = (attack: Attack = {}): Attack => ({ path: "api/status", ...attack });
const WRITE = (attack: Attack = {}): Attack => ({ method: "POST", path: "api/send", body: SEND, ...attack });
const OTHER = "http://127.0.0.1:1";

/** Each with the status that it must get. A path that begins with `/` is whole; others are below the page's. */
const ATTACKS: readonly (readonly [name: string, status: number, attack: Attack])[] = [
  // Another host.
  ["a rebound name", 421, READ({ headers: { Host: "evil.example:PORT" } })],
  ["a rebound name that ends as ours", 421, READ({ headers: { Host: "evil.localhost:PORT" } })],
  ["no port", 421, READ({ headers: { Host: "127.0.0.1" } })],
  ["another port", 421, READ({ headers: { Host: "127.0.0.1:1" } })],
  ["an address of this machine that is not ours", 421, READ({ headers: { Host: "127.0.0.2:PORT" } })],
  ["the address as one number", 421, READ({ headers: { Host: "2130706433:PORT" } })],
  ["a name before the address", 421, READ({ headers: { Host: "user@127.0.0.1:PORT" } })],
  ["a mapped address", 421, READ({ headers: { Host: "[::ffff:127.0.0.1]:PORT" } })],
  ["a write to a rebound name", 421, WRITE({ headers: { Host: "evil.example:PORT", Origin: "http://evil.example:PORT" } })],
  ["a link at a rebound name", 421, { path: "?token=TOKEN", headers: { Host: "evil.example:PORT", Cookie: null } }],
  // Without the link.
  ["no cookie", 401, READ({ headers: { Cookie: null } })],
  ["no cookie at the page", 401, { path: "", headers: { Cookie: null } }],
  ["no cookie at the stream", 401, { path: "stream", headers: { Cookie: null } }],
  ["no cookie at the root", 401, { path: "/", headers: { Cookie: null } }],
  ["no cookie on a write", 401, WRITE({ headers: { Cookie: null } })],
  ["an empty cookie", 401, READ({ headers: { Cookie: "relay=" } })],
  ["a cookie of another name", 401, READ({ headers: { Cookie: "other=TOKEN" } })],
  ["more than the cookie", 401, READ({ headers: { Cookie: "relay=TOKEN0" } })],
  ["a guessed cookie", 401, READ({ headers: { Cookie: `relay=${"0".repeat(64)}` } })],
  ["the token in place of the cookie", 401, READ({ path: "api/status?token=TOKEN", headers: { Cookie: null } })],
  ["the token in a header", 401, READ({ headers: { Cookie: null, Authorization: "Bearer TOKEN" } })],
  ["a wrong token", 401, { path: `?token=${"0".repeat(64)}`, headers: { Cookie: null } }],
  ["the id in place of the token", 401, { path: "?token=ID", headers: { Cookie: null } }],
  ["the token posted", 401, { method: "POST", path: "?token=TOKEN", headers: { Cookie: null } }],
  ["the cookie at another page", 401, { path: `/${"0".repeat(32)}/api/status` }],
  ["the cookie at no page", 401, { path: "/api/status" }],
  ["the page without its slash", 401, { path: "/ID" }],
  // Another site.
  ["another port's script", 403, READ({ headers: { "Sec-Fetch-Site": "same-site" } })],
  [
    "another site's image",
    403,
    READ({ headers: { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image" } }),
  ],
  [
    "another site's frame",
    403,
    { path: "", headers: { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe" } },
  ],
  [
    "another site's navigation to an answer",
    403,
    READ({ headers: { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" } }),
  ],
  ["another port's stream", 403, { path: "stream", headers: { "Sec-Fetch-Site": "same-site" } }],
  ["another port's write", 403, WRITE({ headers: { "Sec-Fetch-Site": "same-site" } })],
  [
    "another site's form",
    403,
    WRITE({ headers: { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" } }),
  ],
  // A write that the page would not send.
  ["no origin", 403, WRITE({ headers: { Origin: null } })],
  ["an origin of null", 403, WRITE({ headers: { Origin: "null" } })],
  ["another port's origin", 403, WRITE({ headers: { Origin: OTHER } })],
  ["another name of this machine", 403, WRITE({ headers: { Origin: "http://localhost:PORT" } })],
  ["an origin that begins as ours", 403, WRITE({ headers: { Origin: "http://127.0.0.1:PORT.evil.example" } })],
  ["no x-relay", 403, WRITE({ headers: { "X-Relay": null } })],
  ["another x-relay", 403, WRITE({ headers: { "X-Relay": "0" } })],
  ["a form", 403, WRITE({ headers: { "Content-Type": "application/x-www-form-urlencoded" } })],
  ["a text", 403, WRITE({ headers: { "Content-Type": "text/plain" } })],
  ["a text that says it is JSON", 403, WRITE({ headers: { "Content-Type": "text/plain; application/json" } })],
  ["no type", 403, WRITE({ headers: { "Content-Type": null } })],
  // A method that is not meant.
  ["a write by GET", 405, { path: `api/send?input=${encodeURIComponent(SEND)}` }],
  ["a stop by GET", 405, { path: "api/office_stop" }],
  ["a read by POST", 405, WRITE({ path: "api/status", body: "{}" })],
  ["the page by POST", 405, WRITE({ path: "", body: "{}" })],
  ["the stream by POST", 405, WRITE({ path: "stream", body: "{}" })],
  ["OPTIONS", 405, { method: "OPTIONS", path: "api/send", headers: { Origin: OTHER, "Access-Control-Request-Method": "POST" } }],
  ["PUT", 405, WRITE({ method: "PUT" })],
  ["DELETE", 405, { method: "DELETE", path: "api/send" }],
  ["HEAD", 405, { method: "HEAD", path: "" }],
  ["TRACE", 405, { method: "TRACE", path: "" }],
  // A path that is none of ours.
  ["a way up", 401, { path: "/ID/../../../../etc/passwd" }],
  ["a way up below the page", 401, { path: "../../etc/passwd" }],
  ["a way up, encoded", 401, { path: "..%2f..%2fetc%2fpasswd" }],
  ["a backslash", 401, { path: "..\\..\\etc" }],
  ["a byte 0", 401, { path: "app.js%00.css" }],
  ["a file of the build", 404, { path: "relay.cjs" }],
  ["a file of the home", 401, { path: ".relay/relay.yml" }],
  ["an operation that no page has", 404, { path: "api/trust" }],
  ["an operation that runs a program", 404, WRITE({ path: "api/notify_add", body: '{"argv":["id"]}' })],
  ["a name of every object", 404, { path: "api/constructor" }],
  // A body or an address that is none.
  ["no JSON", 400, WRITE({ body: "{" })],
  ["nothing", 400, WRITE({ body: "" })],
  ["a list", 400, WRITE({ body: "[]" })],
  ["a number", 400, WRITE({ body: "7" })],
  ["null", 400, WRITE({ body: "null" })],
  ["a prototype in the arguments", 400, WRITE({ body: '{"__proto__":{"to":["web"]},"subject":"x","body":"y"}' })],
  ["an argument that is not known", 400, WRITE({ body: '{"to":["web"],"subject":"x","body":"y","admin":true}' })],
  ["arguments that are no JSON in the address", 400, { path: "api/inbox?input={" }],
  ["a body that is too long", 413, WRITE({ body: JSON.stringify({ to: ["web"], subject: "x", body: "y".repeat(600_000) }) })],
  ["an address that is too long", 400, { path: `api/inbox?input=${"x".repeat(9_000)}` }],
  ["another part's name", 409, WRITE({ body: '{"to":["web"],"subject":"x","body":"y","agent_id":"api"}' })],
  ["a thread that is a path", 404, { path: `api/show?input=${encodeURIComponent('{"threadId":"../../../etc/passwd"}')}` }],
];

/** A request of the page itself, with what an attack changes of it. */
function request({ method = "GET", path: at = "", headers = {}, body = "" }: Attack): Promise<Answer> {
  const { port, page } = served;
  const fill = (text: string): string =>
    text
      .replaceAll("PORT", String(port))
      .replaceAll("TOKEN", page.token)
      .replaceAll("HALF", page.token.slice(0, 32))
      .replaceAll("ID", page.id);
  const usual = {
    ...served.own,
    "Sec-Fetch-Site": "same-origin",
    Origin: `http://127.0.0.1:${port}`,
    "X-Relay": "1",
    "Content-Type": "application/json",
  };
  const given = Object.entries({ ...usual, ...headers }).flatMap(([name, value]) => (value === null ? [] : [[name, fill(value)]]));
  return ask(port, { method, path: at.startsWith("/") ? fill(at) : `${served.at}${fill(at)}`, headers: Object.fromEntries(given), body });
}

test("each attack gets its status and every header, and changes nothing", async () => {
  expect((await request(READ())).status).toBe(200);
  const before = tree(folder, /^\.relay\/run\/(tmp|locks)/);
  const got: string[] = [];
  for (const [name, status, attack] of ATTACKS) {
    const answer = await request(attack);
    if (answer.status !== status) got.push(`${name}: ${answer.status} in place of ${status} ${answer.text}`);
    const lacking = Object.entries(HEADERS).filter(([header, value]) => answer.headers[header.toLowerCase()] !== value);
    if (lacking.length > 0) got.push(`${name}: without ${lacking.map(([header]) => header)}`);
    if (answer.headers["set-cookie"] !== undefined) got.push(`${name}: a cookie`);
    if (/\n {4}at |node:internal|\.ts:\d/.test(answer.text)) got.push(`${name}: a stack`);
    if (answer.headers["access-control-allow-origin"] !== undefined) got.push(`${name}: lent to other sites`);
  }
  expect(got).toEqual([]);
  expect(tree(folder, /^\.relay\/run\/(tmp|locks)/)).toEqual(before);
  expect(ATTACKS.length).toBeGreaterThanOrEqual(60);
});

test("the link gives the cookie, and the token leaves the address", async () => {
  const { port, page } = served;
  for (const site of ["none", "cross-site"]) {
    const headers = { Host: `127.0.0.1:${port}`, "Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" };
    const answer = await ask(port, { path: `/${page.id}/?token=${page.token}`, headers });
    expect(answer.status).toBe(200);
    expect(answer.headers["refresh"]).toBe(`0; url=/${page.id}/`);
    expect(answer.headers["set-cookie"]).toEqual([`relay=${page.token}; Path=/${page.id}/; HttpOnly; SameSite=Strict; Max-Age=31536000`]);
    expect(answer.text).not.toContain(page.token);
  }
});

test("a link for a command line opens the page once, within a minute, and cannot be made without the token", async () => {
  const { port, page } = served;
  const now = Date.now();
  const whole = `http://127.0.0.1:${port}/${page.id}/?token=${page.token}`;
  const statusOf = async (link: string): Promise<number> => {
    const { pathname, search } = new URL(link);
    return (await ask(port, { path: `${pathname}${search}`, headers: { Host: `127.0.0.1:${port}` } })).status;
  };
  const link = onceLink(whole, now);
  expect(link).not.toMatch(`${page.token}|${page.id}`);
  expect([await statusOf(link), await statusOf(link), await statusOf(onceLink(whole, now))]).toEqual([200, 401, 200]);
  const forged = onceLink(whole.replace(page.token, "0".repeat(64)), now);
  const later = link.replace(/once=[^-]+/, `once=${(now + 1).toString(36)}`);
  const others = [forged, later, onceLink(whole, now - 61_000), onceLink(whole, now + 61_000), link.slice(0, -1), `${link}&once=x`];
  for (const other of others) expect(await statusOf(other), other).toBe(401);
});

test("a write of the page itself is done as the person's", async () => {
  const answer = await request(WRITE());
  expect(answer.status).toBe(200);
  const shown = await perform(worldAt(folder, { part: "web" }), operations.inbox, {});
  expect(shown.messages[0]).toMatchObject({ subject: "Hello", from: "human" });
});

test("bytes that are not HTTP are refused with the same headers", async () => {
  const { port } = served;
  for (const [bytes, status] of [
    ["\x16\x03\x01\x02\x00\x01\x00\x01\xfc\r\n\r\n", 400],
    ["GET / HTTP/1.1\r\n\r\n", 421],
    [`GET http://evil.example/ HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`, 400],
    [`GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nHost: evil.example\r\n\r\n`, 421],
    [`GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX: ${"x".repeat(20_000)}\r\n\r\n`, 431],
    [`POST / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
    [`GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`, 400],
    [`GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nExpect: anything\r\n\r\n`, 417],
    [`GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nExpect: 100-continue\r\n\r\n`, 417],
  ] as const) {
    const answer = await raw(port, bytes);
    expect(answer.split("\r\n")[0], bytes.slice(0, 40)).toContain(`HTTP/1.1 ${status}`);
    expect(answer).toContain("default-src 'none'");
    expect(answer.includes("Remove the cookies of 127.0.0.1")).toBe(status === 431);
  }
});

test("only this machine is listened to", () => {
  const lines = ["tcp", "tcp6"].flatMap((name) => fs.readFileSync(`/proc/net/${name}`, "utf8").split("\n"));
  const port = served.port.toString(16).toUpperCase().padStart(4, "0");
  const listening = lines.flatMap((line) => {
    const [, local = "", , state] = line.trim().split(/\s+/);
    return state === "0A" && local.endsWith(`:${port}`) ? [local.split(":")[0]] : [];
  });
  expect(listening.length).toBeGreaterThan(0);
  for (const address of listening) expect(["0100007F", "00000000000000000000000001000000"]).toContain(address);
});
