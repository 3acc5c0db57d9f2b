/** The views by their names in the address, in the order of the rail. */
import type { ComponentChildren } from "preact";
import type { IconName } from "../part/icon.tsx";
import { Record as Records } from "../record/record.tsx";
import { IN_RAIL } from "../state/keys.ts";
import { Artifacts } from "./artifact/artifacts.tsx";
import { Board } from "./board.tsx";
import { Broken } from "./broken.tsx";
import { Memory } from "./memory.tsx";
import { More } from "./more.tsx";
import { Now } from "./now.tsx";
import { Office } from "./office.tsx";
import { SearchView } from "./search.tsx";
import { Threads } from "./threads.tsx";
import { Usage } from "./usage/usage.tsx";

/** A view. */
export interface View {
  words: string;
  icon: IconName;
  show: () => ComponentChildren;
}

/** Each view. */
export const VIEWS: Readonly<Record<string, View>> = {
  now: { words: "Now", icon: "now", show: () => <Now /> },
  threads: { words: "Threads", icon: "threads", show: () => <Threads /> },
  board: { words: "Board", icon: "board", show: () => <Board /> },
  artifacts: { words: "Artifacts", icon: "artifacts", show: () => <Artifacts /> },
  memory: { words: "Memory", icon: "memory", show: () => <Memory /> },
  office: { words: "Office", icon: "office", show: () => <Office /> },
  usage: { words: "Usage", icon: "usage", show: () => <Usage /> },
  record: { words: "Record", icon: "clock", show: () => <Records /> },
  search: { words: "Search", icon: "search", show: () => <SearchView /> },
  broken: { words: "Broken files", icon: "broken", show: () => <Broken /> },
  more: { words: "More", icon: "more", show: () => <More views={MORE.map((name) => [name, VIEWS[name] as View])} /> },
};
/** Those that a narrow page has below; the others are behind the last of them. */
export const IN_TABS = ["now", "threads", "board", "office", "more"];
const MORE = IN_RAIL.filter((name) => !IN_TABS.includes(name));
