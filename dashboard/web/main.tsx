/** The page: it asks the server which home it shows, and then shows it. */
import { render } from "preact";
import { exported } from "./record/exported.ts";
import { setAbout } from "./state/about.ts";
import { keepFocus } from "./state/keep-focus.ts";
import { listenToKeys } from "./state/keys.ts";
import { begin } from "./state/live.ts";
import { askPage } from "./state/server.ts";
import { stopClock } from "./state/time.ts";
import { Shell } from "./view/shell.tsx";

const AGAIN_MS = 1_000;

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
  show();
}

function show(): void {
  listenToKeys();
  keepFocus();
  render(<Shell />, document.body);
}

void start();
