/** A dashboard of a home, and the pages of one browser profile that look at it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import { chromium } from "playwright-core";
import { childEnv, RELAY } from "./measure.mjs";
import { residentMb } from "./server.mjs";

const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((file) => fs.existsSync(file));

/** Serves the home of a folder. @returns its link, and its memory in megabytes whenever it is asked for */
export async function serveHome(folder) {
  const child = spawn(process.execPath, [RELAY, "dashboard", "--json"], {
    cwd: folder,
    env: childEnv,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(child.stdout, "data");
  const [link] = JSON.parse(line).links;
  return {
    link,
    at: (route) => `${link.split("?")[0]}#/${route}`,
    residentMb: () => residentMb(child.pid),
    async close() {
      child.kill("SIGTERM");
      await once(child, "close");
    },
  };
}

/** A browser with one profile that has opened a link. */
export async function openProfile(link) {
  const browser = await chromium.launch({ executablePath: CHROMIUM, chromiumSandbox: process.getuid?.() !== 0 });
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" });
  // What takes too long is a figure, and no end of the run.
  context.setDefaultTimeout(240_000);
  const tab = await context.newPage();
  await tab.goto(link);
  await tab.waitForSelector(".rail");
  return { browser, context, tab };
}

/** A client of the stream that takes nothing of what it is sent. @param cookie of the profile */
export function stall(link, cookie) {
  const { port, pathname } = new URL(link);
  const headers = { Cookie: `relay=${cookie}` };
  const request = http.get({ host: "127.0.0.1", port, path: `${pathname}stream`, headers, agent: false }, (response) => response.pause());
  request.on("error", () => {});
  return () => request.destroy();
}

/** Starts a process that sends to `human` whenever it is told a subject. */
export async function startSender(folder) {
  const child = spawn(process.execPath, [new URL("./sender.mjs", import.meta.url).pathname, folder], {
    cwd: folder,
    env: childEnv,
    stdio: ["pipe", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return {
    send: async (...subjects) => {
      child.stdin.write(`${JSON.stringify(subjects)}\n`);
      const [line] = await once(child.stdout, "data");
      return Number(String(line));
    },
    async close() {
      child.stdin.end();
      await once(child, "close");
    },
  };
}
