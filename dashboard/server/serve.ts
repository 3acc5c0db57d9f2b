/** The dashboard's server: one port of this machine, for one or several homes. spec/commands.md, "Dashboard". */
import http from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { type DashboardHold, holdDashboard } from "../../protocol/status/files/dashboard-hold.ts";
import { NewPeers } from "../../protocol/store/peer-user.ts";
import type { Watch } from "../../protocol/store/watch.ts";
import { recordWhatWaits } from "../../protocol/sync/sync/leave-recorder.ts";
import type { Complete } from "./calls.ts";
import type { Sent } from "./files.ts";
import { handle, type Serving } from "./handle.ts";
import { HEADERS } from "./headers.ts";
import { startLook } from "./look.ts";
import { OnceLinks } from "./once.ts";
import { keepPage, type Page, toldApart } from "./page.ts";
import { Reader } from "./reader.ts";
import { Together } from "./together.ts";

/** What to serve. */
export interface ServeOptions {
  pages: readonly Page[];
  files: ReadonlyMap<string, Sent>;
  version: string;
  /** The port that must be had; null takes the one of the last time, or any. */
  port: number | null;
  complete?: Complete;
}

/** A server that runs. */
export interface Dashboard {
  port: number;
  /** The address of each page, in the order given, and the link that opens it in a new browser. */
  links: { page: Page; url: string; link: string }[];
  /** What could not be done, though the pages are served. */
  warnings: string[];
  close(): Promise<void>;
}

/** A browser opens six connections; programs that open very many get no more than these. */
const MOST_CONNECTIONS = 2_048;
const HEADERS_MS = 10_000;
const REQUEST_MS = 15_000;
/** Connections on which nothing comes hold the places of others no longer than this beyond their time. */
const CHECK_MS = 2_000;
const RENEW_MS = 10_000;

/** Serves until closed. @throws the system's error, of the call `listen`, where the port cannot be had */
export async function serveDashboard({ pages: given, files, version, port: wanted, complete }: ServeOptions): Promise<Dashboard> {
  const pages = toldApart(given);
  const reader = new Reader();
  const byId = new Map(pages.map((page) => [page.id, page]));
  const serving: Serving = { port: 0, version, files, pages: byId, reader, together: new Together(), once: new OnceLinks(), complete };
  const servers = await listenLocally(wanted, pages[0]?.port ?? 0, serving);
  const { port } = serving;
  const links = pages.map((page) => {
    const url = `http://127.0.0.1:${port}/${page.id}/`;
    return { page, url, link: `${url}?token=${page.token}` };
  });
  const warnings: string[] = [];
  const looks: Watch[] = [];
  const holds: DashboardHold[] = [];
  for (const { page, url } of links) {
    try {
      looks.push(await startLook(page));
    } catch (error) {
      // Its page answers all the same.
      warnings.push(`${page.folder} is not followed (${(error as Error).message}): load its page again to see what is new.`);
    }
    const hold = page.writer === null ? null : await holdDashboard(page.writer, url, page.part).catch(() => null);
    if (hold !== null) holds.push(hold);
    // Where another process serves the page already, its port and token are the ones that browsers know.
    if (hold !== null) warnings.push(...keepPage(page, port));
  }
  const renewing = setInterval(() => {
    for (const hold of holds) hold.renew();
    for (const { writer } of pages) if (writer !== null) void recordWhatWaits(writer).catch(() => {});
  }, RENEW_MS);
  return {
    port,
    links,
    warnings,
    async close() {
      clearInterval(renewing);
      for (const hold of holds) hold.release();
      for (const page of pages) page.stream.close();
      for (const look of looks) await look.close();
      await reader.close();
      for (const server of servers) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}

/** Listens on the loopback addresses that this machine has, at one port. @param before the port of the last time, 0 for none */
async function listenLocally(wanted: number | null, before: number, serving: Serving): Promise<http.Server[]> {
  const [first, second] = ["127.0.0.1", "::1"] as const;
  const main = newServer(serving);
  try {
    serving.port = await listen(main, first, wanted ?? before);
  } catch (error) {
    if (wanted !== null || before === 0) throw error;
    serving.port = await listen(main, first, 0);
  }
  const other = newServer(serving);
  // A machine without IPv6, or one on which another program has the port there, is served by the first alone.
  return (await listen(other, second, serving.port).catch(() => null)) === null ? [main] : [main, other];
}

function newServer(serving: Serving): http.Server {
  // A cookie is given to whatever listens at the port while no dashboard does: only this user's programs come further with one.
  const peers = new NewPeers(serving, (socket) => refuseRaw({ code: "OTHER_USER" }, socket));
  const server = http.createServer({ requireHostHeader: false, connectionsCheckingInterval: CHECK_MS });
  server.on("request", (request, response) => void (peers.mayAnswer(request.socket) && handle(serving, request, response)));
  Object.assign(server, { maxConnections: MOST_CONNECTIONS, headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS });
  const refuse = (error: { code?: string }, to: Duplex) => (peers.mayAnswer(to) ? refuseRaw(error, to) : void to.destroy());
  server.on("clientError", refuse);
  server.on("connection", (socket) => peers.add(socket));
  // Node would answer these by itself, without our headers.
  server.on("checkContinue", ({ socket }) => refuse({ code: "HPE_EXPECTATION" }, socket));
  server.on("checkExpectation", ({ socket }) => refuse({ code: "HPE_EXPECTATION" }, socket));
  server.on("upgrade", (_request, socket) => refuse({ code: "HPE_UPGRADE" }, socket));
  return server;
}

function listen(server: http.Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host, exclusive: true, backlog: MOST_CONNECTIONS }, () => {
      server.off("error", reject);
      server.on("error", () => {});
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** The status of what is no request, by the code of what is wrong. */
const RAW: Readonly<Record<string, string>> = {
  OTHER_USER: "403 Another User",
  HPE_HEADER_OVERFLOW: "431 Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Too Slow",
  HPE_EXPECTATION: "417 Expectation Failed",
};

/** Answers what is no request, with the same headers as every answer. */
function refuseRaw({ code }: { code?: string }, socket: Duplex): void {
  if (!socket.writable) return void socket.destroy();
  const status = RAW[code ?? ""] ?? "400 Bad Request";
  const body = status.startsWith("431") ? "Remove the cookies of 127.0.0.1 in the browser: they are too large.\n" : "";
  const all = { ...HEADERS, Connection: "close", "Content-Type": "text/plain", "Content-Length": body.length };
  const headers = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status}\r\n${headers.join("")}\r\n${body}`, () => socket.destroy());
}
