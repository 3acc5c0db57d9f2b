/** A web server in front of bare repositories, as a host is one: git's own `http-backend` behind a server of this process. */
import { spawn } from "node:child_process";
import http from "node:http";
import type { Socket } from "node:net";
import { cleanEnv } from "./scratch.ts";

/** A server that runs. */
export interface WebHub {
  /** `http://127.0.0.1:<port>`, without a slash. */
  url: string;
  /** What was asked: each path, and its headers. */
  asked: { path: string; headers: http.IncomingHttpHeaders }[];
  close(): Promise<void>;
}

/** Answers a request otherwise than a host does; gives whether it did. */
export type Twist = (request: http.IncomingMessage, response: http.ServerResponse) => boolean;

/** Serves the repositories below a folder. @param twist is asked first */
export async function webHub(root: string, twist: Twist = () => false): Promise<WebHub> {
  const asked: WebHub["asked"] = [];
  const sockets = new Set<Socket>();
  const server = http.createServer((request, response) => {
    asked.push({ path: request.url ?? "", headers: request.headers });
    if (!twist(request, response)) serve(root, request, response);
  });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function serve(root: string, request: http.IncomingMessage, response: http.ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? "/", "http://host");
  const env = cleanEnv({
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: "1",
    REQUEST_METHOD: request.method ?? "GET",
    PATH_INFO: pathname,
    QUERY_STRING: search.slice(1),
    CONTENT_TYPE: String(request.headers["content-type"] ?? ""),
    HTTP_CONTENT_ENCODING: String(request.headers["content-encoding"] ?? ""),
    GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
    REMOTE_USER: "somebody",
  });
  const child = spawn("git", ["http-backend"], { env, stdio: ["pipe", "pipe", "ignore"] });
  child.stdin.on("error", () => {});
  request.pipe(child.stdin);
  let head: Buffer | null = Buffer.alloc(0);
  child.stdout.on("data", (chunk: Buffer) => {
    if (head === null) return void response.write(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end === -1) return;
    const headers = head
      .subarray(0, end)
      .toString("latin1")
      .split("\r\n")
      .map((line) => line.split(/: (.*)/s) as [string, string]);
    const status = headers.find(([name]) => name.toLowerCase() === "status")?.[1] ?? "200";
    response.writeHead(Number(status.slice(0, 3)), Object.fromEntries(headers.filter(([name]) => name.toLowerCase() !== "status")));
    response.write(head.subarray(end + 4));
    head = null;
  });
  child.stdout.on("end", () => response.end());
}
