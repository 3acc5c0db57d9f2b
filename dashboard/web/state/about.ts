/** What the server said of this page at its start. */
import { computed, signal } from "@preact/signals";
import { route } from "./route.ts";
import type { About } from "./server.ts";

const said = signal<About>({ name: "", part: "human", readOnly: true, version: "" });

/** Which home is shown, and for whom. An earlier record of it is only read. */
export const about = computed<About>(() => ({ ...said.value, readOnly: said.value.readOnly || route.value.at !== "" }));

/** Takes what the server said, before anything is shown. */
export function setAbout(page: About): void {
  said.value = page;
}

/** Whether a server proves to be this page's own, and shows it otherwise. A program at its port that proves nothing is not loaded. */
export const isAnother = ({ proof, ...page }: About): boolean =>
  proof === said.value.proof &&
  (said.value.part !== page.part || said.value.readOnly !== page.readOnly || said.value.version !== page.version);
