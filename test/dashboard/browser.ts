/** The page in a real Chromium. Without one, tests are skipped on a desk, and fail where `CI` is set. */
import fs from "node:fs";
import { type Browser, type BrowserContext, chromium, type Request, type Page as Tab } from "playwright-core";
import type { Complete } from "../../dashboard/server/calls.ts";
import { readFiles } from "../../dashboard/server/files.ts";
import { openPage, type Page } from "../../dashboard/server/page.ts";
import { serveDashboard } from "../../dashboard/server/serve.ts";
import { builtFile } from "../rig/built.ts";
import { cleanEnv } from "../rig/scratch.ts";

const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((file) => fs.existsSync(file));

/** Whether the tests of the page are passed over. Where `CI` is set they are not, and fail without a browser. */
export const isWithoutBrowser = CHROMIUM === undefined && (process.env["CI"] ?? "") === "";

const browsers: Browser[] = [];
const ends: (() => Promise<void>)[] = [];

/** Sizes of a window, and what the reader prefers. */
export interface Look {
  width?: number;
  height?: number;
  scheme?: "light" | "dark";
  locale?: string;
  /** What the terminals of parts ask. */
  asks?: Readonly<Record<string, string>>;
}

/** A home that is served, and a profile of a browser that opened its link. */
export interface Opened {
  tab: Tab;
  context: BrowserContext;
  /** The address of the page, with its `#`. */
  at: (route: string) => string;
  port: number;
  /** Ends the server; what it gives starts another one in its place, also for another part. */
  stop: () => Promise<(part?: string) => Promise<void>>;
  /** Addresses outside of the page that the browser asked for (`visit`: in place of a page), errors of the page, dialogs: nothing may be in it. */
  odd: string[];
  /** Answers that the browser reports as errors of the page. */
  refused: string[];
}

/** Serves the built page of a home, and opens its link in a new profile. @param others homes that are served with it */
export async function open(folder: string, look: Look = {}, others: readonly string[] = []): Promise<Opened> {
  const pagesOf = (part = "human") => [folder, ...others].map((home) => openPage({ home, part, readOnly: false, env: cleanEnv() }));
  const complete: Complete = async (_world, { parts }) => {
    for (const member of parts)
      if (look.asks?.[member.part] !== undefined) Object.assign(member, { terminal: "dialog", asks: look.asks[member.part] });
  };
  const serve = (pages: Page[], port: number | null) =>
    serveDashboard({ pages, files: readFiles(builtFile("dashboard")), version: "0", port, complete });
  const pages = pagesOf();
  let served = await serve(pages, null);
  ends.push(() => served.close());
  const stop = async () => {
    await served.close();
    return async (part?: string) => {
      served = await serve(pagesOf(part), served.port);
    };
  };
  const [own, ...also] = pages.map(({ id }) => `http://127.0.0.1:${served.port}/${id}/`) as [string, ...string[]];
  return { ...(await openAt((served.links[0] as { link: string }).link, own, look, also)), port: served.port, stop };
}

/** Opens a file of the disk in a new profile. */
export const openFile = (file: string, look: Look = {}): Promise<Omit<Opened, "port" | "stop">> =>
  openAt(`file://${file}`, `file://${file}`, look);

/** @param own what each request of the page begins with @param also what those of other homes begin with */
async function openAt(
  link: string,
  own: string,
  { width = 1440, height = 900, scheme = "light", locale = "en-GB" }: Look,
  also: readonly string[] = [],
): Promise<Omit<Opened, "port" | "stop">> {
  if (browsers.length === 0)
    browsers.push(await chromium.launch({ executablePath: CHROMIUM ?? "/usr/bin/chromium", chromiumSandbox: process.getuid?.() !== 0 }));
  const context = await (browsers[0] as Browser).newContext({
    viewport: { width, height },
    colorScheme: scheme,
    locale,
    reducedMotion: "reduce",
  });
  // As long as a test may take: none fails because the machine is busy.
  context.setDefaultTimeout(240_000);
  const odd: string[] = [];
  const refused: string[] = [];
  const isOwn = (url: string): boolean => [own, ...also].some((each) => url.startsWith(each)) || url === "data:,";
  const actOf = (request: Request): string => (request.isNavigationRequest() ? "visit" : "request");
  context.on("request", (request) => isOwn(request.url()) || odd.push(`${actOf(request)} ${request.url()}`));
  context.on("dialog", (dialog) => {
    odd.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on("weberror", (error) => odd.push(`error ${error.error().message}`));
  // A refusal is an answer of its own; what the policy of the page forbade is told here as well.
  const isRefusal = (text: string): boolean => text.startsWith("Failed to load resource: the server responded with a status of 4");
  context.on("console", (message) => {
    if (message.type() !== "error") return;
    if (isRefusal(message.text())) refused.push(`${message.text()} ${message.location().url}`);
    else odd.push(`console ${message.text()}`);
  });
  const tab = await context.newPage();
  await tab.goto(link);
  await tab.waitForSelector(".rail");
  return { tab, context, at: (route) => `${own}#/${route}`, odd, refused };
}

/** Closes what a test opened; the browser stays for the next one. */
export async function closeOpened(): Promise<void> {
  for (const context of browsers[0]?.contexts() ?? []) await context.close();
  for (const end of ends.splice(0)) await end();
}

/** Ends the browser. */
export async function endBrowser(): Promise<void> {
  for (const browser of browsers.splice(0)) await browser.close();
}
