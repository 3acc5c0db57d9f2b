/** One request of a browser: judged, then answered by a file, by an operation, or by the stream. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Allowed, judge, type Refused } from "./access.ts";
import { type Complete, call, isLong, methodOf, offeredOperation } from "./calls.ts";
import type { Sent } from "./files.ts";
import { cookieFor, HEADERS } from "./headers.ts";
import type { OnceLinks } from "./once.ts";
import type { Page } from "./page.ts";
import type { Reader } from "./reader.ts";
import { MOST_CLIENTS } from "./stream.ts";
import type { Together } from "./together.ts";

/** What a server answers from. */
export interface Serving {
  port: number;
  version: string;
  pages: ReadonlyMap<string, Page>;
  files: ReadonlyMap<string, Sent>;
  reader: Reader;
  together: Together<{ status: number; body: string }>;
  once: OnceLinks;
  complete: Complete | undefined;
}

/** A message may be 64 kB, and JSON writes some characters as six. */
const BODY_BYTES = 524_288;
const JSON_TYPE = "application/json; charset=utf-8";

/** Answers a request. Nothing that is thrown here leaves it. */
export async function handle(serving: Serving, request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.on("error", () => {});
  try {
    const judged = judge(request, serving.port, serving.pages, serving.once);
    if ("status" in judged) say(response, judged);
    else if (judged.isLink) openLink(response, judged.page);
    else await answerRoute(serving, judged, request, response);
  } catch {
    // What nobody foresaw tells a page nothing of this machine.
    if (!response.headersSent) say(response, { status: 500, problem: "The server failed." });
    else response.destroy();
  }
}

/** Gives the cookie, and has the browser load the page anew without the token in its address. */
function openLink(response: ServerResponse, { id, token }: Page): void {
  response.writeHead(200, {
    ...HEADERS,
    "Set-Cookie": cookieFor(id, token),
    Refresh: `0; url=/${id}/`,
    "Content-Type": "text/html; charset=utf-8",
  });
  response.end(
    `<!doctype html><html lang="en"><title>Relay</title><link rel="icon" href="/${id}/icon.svg"><p>Opening the page.</p></html>\n`,
  );
}

/** Says no, in a sentence that a person may read. */
function say(response: ServerResponse, { status, problem, headers }: Refused): void {
  const close = status === 413 ? { Connection: "close" } : {};
  response.writeHead(status, { ...HEADERS, ...headers, ...close, "Content-Type": JSON_TYPE });
  response.end(`${JSON.stringify({ success: false, error: problem })}\n`);
}

/** @param body JSON */
function sendJson(response: ServerResponse, { status, body }: { status: number; body: string }): void {
  response.writeHead(status, { ...HEADERS, "Content-Type": JSON_TYPE });
  response.end(body);
}

async function answerRoute(
  serving: Serving,
  { page, route, query }: Allowed,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const file = serving.files.get(route);
  const operation = route.startsWith("api/") ? offeredOperation(route.slice("api/".length)) : undefined;
  if (file === undefined && operation === undefined && !["stream", "page", "homes"].includes(route))
    return say(response, { status: 404, problem: "There is nothing at this address." });
  const method = operation === undefined ? "GET" : methodOf(operation);
  if (request.method !== method) return say(response, { status: 405, problem: `This is asked by ${method}.`, headers: { Allow: method } });
  if (file !== undefined) {
    response.writeHead(200, { ...HEADERS, "Content-Type": file.type });
    response.end(file.content);
    return;
  }
  if (route === "page") return sendJson(response, { status: 200, body: JSON.stringify(aboutPage(serving, page)) });
  if (route === "homes") return sendHomes(response, serving, page);
  if (operation === undefined) return openStream(page, request, response);
  if (method === "POST" && page.writer === null)
    return say(response, { status: 403, problem: "This page only shows: it was started with --read-only." });
  const given = method === "GET" ? (query.get("input") ?? "{}") : await bodyOf(request);
  if (given === null) return say(response, { status: 413, problem: `A request may have ${BODY_BYTES} bytes.` });
  const input = parsed(given);
  if (input === undefined) return say(response, { status: 400, problem: "The arguments are no JSON." });
  const at = query.get("at");
  if (method === "POST" || !isLong(operation, input, at)) {
    const answer = async () => {
      const { status, body } = await call(page, operation, input, at, serving.complete);
      return { status, body: JSON.stringify(body) };
    };
    const key = `${page.id} ${operation.name} ${String(given)}`;
    return sendJson(response, await (method === "POST" ? answer() : serving.together.ask(key, answer)));
  }
  const over = new AbortController();
  response.once("close", () => over.abort());
  sendJson(response, await serving.reader.ask(page, operation.name, input, at, over.signal));
}

/** What a page knows of itself. */
const aboutPage = ({ version }: Serving, { name, part, writer, proof }: Page) => ({
  name,
  part,
  readOnly: writer === null,
  version,
  proof,
});

/** The homes that are served together. A browser that may see one is given the cookies of the others, which no script can read. */
function sendHomes(response: ServerResponse, { pages }: Serving, here: Page): void {
  const all = [...pages.values()];
  const homes = all.map((page) => ({ name: page.name, folder: page.folder, url: `/${page.id}/`, isHere: page === here }));
  const others = all.filter((page) => page !== here);
  const cookies = others.length === 0 ? {} : { "Set-Cookie": others.map(({ id, token }) => cookieFor(id, token)) };
  response.writeHead(200, { ...HEADERS, ...cookies, "Content-Type": JSON_TYPE });
  response.end(JSON.stringify({ homes }));
}

function openStream({ stream }: Page, request: IncomingMessage, response: ServerResponse): void {
  if (stream.size >= MOST_CLIENTS) {
    say(response, { status: 503, problem: "Too many pages look on.", headers: { "Retry-After": "5" } });
    return;
  }
  response.writeHead(200, { ...HEADERS, "Content-Type": "text/event-stream" });
  const lastId = request.headers["last-event-id"];
  stream.add(response, typeof lastId === "string" ? lastId : undefined);
}

/** The body of a request as text; null when it is too long. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  if (Number(request.headers["content-length"] ?? 0) > BODY_BYTES) return null;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** A JSON text as its value; undefined where it is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
