/** Listening to what happens in an office, for programs. spec/office.md, "Events". */
import { listen } from "../../core/home/feed.ts";
import type { OfficeEvent } from "../nouns/office-event.ts";

/**
 * Tells a listener what happens in offices, as far as this process does it; `relay watch` shows what all processes of a home tell. A listener
 * that throws or takes its time holds nobody up.
 * @returns ends it
 */
export const onOfficeEvent = (listener: (event: OfficeEvent & { at: string }) => unknown): (() => void) =>
  listen((line) => (line.type.startsWith("office:") ? listener(line as unknown as OfficeEvent & { at: string }) : undefined));
