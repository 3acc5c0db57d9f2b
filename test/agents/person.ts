/** A person at an agent's terminal, who answers its dialogs and remembers which it put. */
import { setTimeout as pause } from "node:timers/promises";
import { until } from "../rig/scratch.ts";

/** A program's terminal. */
export interface Screen {
  shows(): string;
  /** Presses keys by tmux's names: `Enter`. */
  keys(...names: string[]): void;
  type(text: string): void;
}

/** The dialogs that are known, how their screens are told, and the choice of a person who agrees. */
const DIALOGS: [kind: string, shows: RegExp, agrees: RegExp][] = [
  // What an agent insists on before it works in a folder with what lies there.
  [
    "folder",
    /Trust this folder\?|Do you trust the (files|contents)|trust this folder|Is this a project you created or one you trust|Trust project folder\?/,
    /Yes, I trust this folder|Trust and continue|Trust folder|Yes, continue|^\s*(→ )?Trust$/,
  ],
  ["hooks", /Hooks need review/, /Trust all and continue/],
  ["server", /[Nn]ew MCP servers? found/, /Use this MCP server|Enable selected/],
  // What it asks at each call of a tool that it was not allowed.
  ["tool", /Do you want to proceed\?|Allow the .+ MCP server to run tool/, /\d\. (Yes|Allow)\b/],
];

/** The mark of the choice that Enter would take. */
const CHOSEN = /^[\s│]*[❯›●→]/;

/** The key that comes nearer to agreeing: which choice is marked when the dialog opens is the agent's whim. */
function keyFor(shown: string, shows: RegExp, agrees: RegExp): string {
  const rows = shown.split("\n");
  const from = rows.findIndex((row) => shows.test(row));
  const wanted = rows.findIndex((row, at) => at > from && agrees.test(row));
  const chosen = rows.findIndex((row, at) => at > from && CHOSEN.test(row));
  if (wanted === -1 || chosen === wanted) return "Enter";
  return chosen < wanted ? "Down" : "Up";
}

const dialogIn = (shown: string) => DIALOGS.find(([, shows]) => shows.test(shown));

/** The prompt of each agent: nothing is typed into it, or a suggestion. */
const PROMPT = /^(❯|›|.*> {3}Type your message|.*┃ {2}Ask anything)|^─+\n\s*\n─+$/m;
/** Dialogs are looked for this often. */
const LOOK_MS = 200;
/** One that is still there after so long has lost the keys. */
const AGAIN_MS = 5_000;

/** Someone who sits at a terminal until they leave. */
export class Person {
  /** The dialogs met so far, in order. */
  readonly met: string[] = [];
  /** A kind of dialog that is left alone, as by somebody who is out. */
  leaves = "";
  readonly screen: Screen;
  #sits = true;
  readonly #gone: Promise<void>;

  constructor(screen: Screen) {
    this.screen = screen;
    this.#gone = this.#attend();
  }

  /** Types a line once the prompt is there. */
  async says(line: string): Promise<void> {
    await until("an empty prompt", () => {
      const shown = this.screen.shows();
      return PROMPT.test(shown) && dialogIn(shown) === undefined;
    });
    this.screen.type(line);
    await until("the line", () => this.screen.shows().includes(line));
    // Right after a letter Gemini CLI takes Enter for a part of what is pasted, and begins a new line.
    await pause(LOOK_MS);
    this.screen.keys("Enter");
  }

  leave(): Promise<void> {
    this.#sits = false;
    return this.#gone;
  }

  async #attend(): Promise<void> {
    for (let last = ""; this.#sits; await pause(LOOK_MS)) {
      const shown = this.screen.shows();
      // The screen is looked at twice: a dialog that is being drawn takes no keys yet.
      const dialog = shown === last ? dialogIn(shown) : undefined;
      last = shown;
      if (dialog === undefined || dialog[0] === this.leaves) continue;
      const [kind, shows, agrees] = dialog;
      this.met.push(kind);
      // While it is still drawn it is the same one; who typed too early types again.
      for (let now = shown; this.#sits && shows.test(now); now = this.screen.shows()) {
        this.screen.keys(keyFor(now, shows, agrees));
        const again = performance.now() + AGAIN_MS;
        while (this.#sits && this.screen.shows() === now && performance.now() < again) await pause(LOOK_MS);
        await pause(LOOK_MS);
      }
    }
  }
}
