/** The dashboard of a scratch home: served in this process, and asked by raw requests that no browser would send. */
import http from "node:http";
import net from "node:net";
import type { Sent } from "../../dashboard/server/files.ts";
import { openPage, type Page } from "../../dashboard/server/page.ts";
import { type Dashboard, serveDashboard } from "../../dashboard/server/serve.ts";
import { HUMAN } from "../../protocol/index.ts";
import { cleanEnv } from "../rig/scratch.ts";

/** Files that stand for those of the build: no test of the server looks into them. */
const FILES: ReadonlyMap<string, Sent> = new Map([
  ["", { type: "text/html; charset=utf-8", content: Buffer.from("<!doctype html>") }],
  ["app.js", { type: "text/javascript; charset=utf-8", content: Buffer.from("0") }],
]);

/** A dashboard that a test serves. */
export interface Serving extends Dashboard {
  page: Page;
  /** The path of the page, `/<id>/`. */
  at: string;
  /** The headers of a browser that opened the link. */
  own: Record<string, string>;
}

const serving: Dashboard[] = [];

/** Serves the home that a folder holds. */
export async function serve(
  folder: string,
  { readOnly = false, part = HUMAN, port = null as number | null, env = {} } = {},
): Promise<Serving> {
  const page = openPage({ home: folder, part, readOnly, env: cleanEnv(env) });
  const dashboard = await serveDashboard({ pages: [page], files: FILES, version: "0", port });
  serving.push(dashboard);
  return { ...dashboard, page, at: `/${page.id}/`, own: { Host: `127.0.0.1:${dashboard.port}`, Cookie: `relay=${page.token}` } };
}

/** Ends what was served. */
export async function endServing(): Promise<void> {
  for (const each of serving.splice(0)) await each.close();
}

/** An answer, whole. */
export interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever was answered.
  json: any;
}

/** Asks with exactly these headers. */
export function ask(
  port: number,
  {
    method = "GET",
    path = "/",
    headers = {},
    body = "",
  }: { method?: string; path?: string; headers?: Record<string, string>; body?: string },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.request({ host: "127.0.0.1", port, method, path, headers, setHost: false, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => (text += chunk));
      response.on("end", () =>
        resolve({
          status: response.statusCode as number,
          headers: response.headers,
          text,
          get json() {
            return JSON.parse(text);
          },
        }),
      );
    });
    request.on("error", reject);
    request.end(body);
  });
}

/** Writes bytes to the port, and gives the first line of what comes back; empty when the connection is closed without a word. */
export function raw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = net.connect(port, "127.0.0.1", () => socket.write(bytes));
    socket.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
      if (text.includes("\r\n\r\n")) socket.destroy();
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(text));
  });
}
