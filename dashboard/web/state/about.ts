/** What the server said of this page at its start. */
import { signal } from "@preact/signals";
import type { About } from "./server.ts";

/** Which home is shown, and for whom. Set before anything is shown. */
export const about = signal<About>({ name: "", part: "human", readOnly: true, version: "" });
