/** The page: it asks the server which home it shows, and then shows it. */
import { render } from "preact";
import { exported } from "./record/exported.ts";
import { about } from "./state/about.ts";
import { listenToKeys } from "./state/keys.ts";
import { begin } from "./state/live.ts";
import { askPage } from "./state/server.ts";
import { stopClock } from "./state/time.ts";
import { Shell } from "./view/shell.tsx";

const AGAIN_MS = 1_000;

/** A server that does not answer yet is asked again: the page may have been opened while it starts. */
async function start(): Promise<void> {
  if (exported !== null) {
    about.value = exported.page;
    stopClock(Date.parse(exported.at));
    listenToKeys();
    render(<Shell />, document.body);
    return;
  }
  const { data, failure } = await askPage();
  if (failure !== undefined) {
    setTimeout(start, AGAIN_MS);
    return;
  }
  about.value = data;
  begin();
  listenToKeys();
  render(<Shell />, document.body);
}

void start();
