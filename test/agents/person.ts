/** A person at an agent's terminal, who answers its dialogs and remembers which it put. */
import { setTimeout as pause } from "node:timers/promises";

/** A program's terminal. */
export interface Screen {
  shows(): string;
  /** Presses keys by tmux's names: `Enter`. */
  keys(...names: string[]): void;
  type(text: string): void;
}

/** The dialogs that are known, how their screens are told, and the keys of a person who agrees. */
const DIALOGS: [kind: string, shows: RegExp, keys: string[]][] = [
  // What an agent insists on before it works in a folder with what lies there.
  [
    "folder",
    /Trust this folder\?|Do you trust the (files|contents)|trust this folder|Is this a project you created or one you trust/,
    ["Enter"],
  ],
  ["hooks", /Hooks need review/, ["Down", "Enter"]],
  ["server", /New MCP server found/, ["Enter"]],
  // What it asks at each call of a tool that it was not allowed.
  ["tool", /Do you want to proceed\?|Allow the .+ MCP server to run tool/, ["Enter"]],
];

/** Dialogs are looked for this often. */
const LOOK_MS = 200;

/** Someone who sits at a terminal until they leave. */
export class Person {
  /** The dialogs met so far, in order. */
  readonly met: string[] = [];
  readonly screen: Screen;
  #sits = true;
  readonly #gone: Promise<void>;

  constructor(screen: Screen) {
    this.screen = screen;
    this.#gone = this.#attend();
  }

  leave(): Promise<void> {
    this.#sits = false;
    return this.#gone;
  }

  async #attend(): Promise<void> {
    for (let last = ""; this.#sits; await pause(LOOK_MS)) {
      const shown = this.screen.shows();
      // The screen is looked at twice: a dialog that is being drawn takes no keys yet.
      const dialog = shown === last ? DIALOGS.find(([, shows]) => shows.test(shown)) : undefined;
      last = shown;
      if (dialog === undefined) continue;
      const [kind, shows, keys] = dialog;
      this.met.push(kind);
      this.screen.keys(...keys);
      while (this.#sits && shows.test(this.screen.shows()) && this.screen.shows() === shown) await pause(LOOK_MS);
    }
  }
}
