/** The page: it asks the server which home it shows, and then shows it. */
import { render } from "preact";
import { markUnseen } from "./part/unseen.ts";
import { exported } from "./record/exported.ts";
import { isAnother, setAbout } from "./state/about.ts";
import { keepFocus } from "./state/keep-focus.ts";
import { keep, kept } from "./state/kept.ts";
import { holdLetters, listenToKeys } from "./state/keys.ts";
import { begin, link } from "./state/live.ts";
import { askPage } from "./state/server.ts";
import { stopClock } from "./state/time.ts";
import { Shell } from "./view/shell.tsx";

const AGAIN_MS = 1_000;
/** Kept where the page loads itself anew: somebody may be typing. */
const RELOADED = "reloaded";

/** A server that does not answer yet is asked again: the page may have been opened while it starts. */
async function start(): Promise<void> {
  if (exported !== null) {
    setAbout(exported.page);
    stopClock(Date.parse(exported.at));
    show();
    return;
  }
  const { data, failure } = await askPage();
  if (failure !== undefined) {
    setTimeout(start, AGAIN_MS);
    return;
  }
  setAbout(data);
  begin();
  followServer();
  show();
}

/** The page is loaded anew where the server that comes back is another one: it may write for another part, or answer otherwise. */
function followServer(): void {
  if (kept(RELOADED) !== "") holdLetters();
  keep(RELOADED, "");
  let [wasLive, wasAway] = [false, false];
  link.subscribe(async (now) => {
    const isBack = now === "live" && wasAway;
    wasLive ||= now === "live";
    wasAway = wasLive && now !== "live";
    if (!isBack) return;
    const { data } = await askPage();
    if (data === undefined || !isAnother(data)) return;
    keep(RELOADED, "yes");
    location.reload();
  });
}

function show(): void {
  markUnseen();
  listenToKeys();
  keepFocus();
  render(<Shell />, document.body);
}

void start();
