/**
 * How the terminals of known agents look; the only file to change when they change. Data only; `screen.ts` reads
 * screens by it, and the recordings under `test/screens/` hold it to what the agents really draw.
 */
import type { Cell } from "./screen.ts";

/** The agents that have a profile of their own, and one for all others. */
export const PROFILE_NAMES = ["claude", "codex", "gemini", "generic"] as const;
export type ProfileName = (typeof PROFILE_NAMES)[number];

/** What an agent's terminal looks like. Rules for rows see the row as plain text, without blanks at its end. */
export interface Profile {
  name: ProfileName;
  /** The prompt of the input line, from the row's first column to where the text begins. */
  prompt: RegExp;
  /** What may close the input line at its right, such as the frame of a box. */
  closing: RegExp;
  /** Whether a character after the prompt is a hint of the agent's own that vanishes when somebody types. */
  hint: (cell: Cell) => boolean;
  /** Rows that say that the agent works. */
  busy: readonly RegExp[];
  /** Rows that say that it asks something which Enter would answer. */
  dialog: readonly RegExp[];
  /** Whether such a question takes the place of the input line; where not, anything on the screen may be one. */
  dialogHidesInput: boolean;
  /** Whether it shows above its input what it was told. */
  showsTold: boolean;
  /** Names of the processes that are the agent, without a script's ending. */
  processes: RegExp;
}

/** The choices of a question, the first or another of them chosen. */
const CHOICES = /^[\s│]*[❯›●>]\s*\d+\.\s/;

/** Each by its name. */
export const PROFILES: Readonly<Record<ProfileName, Profile>> = {
  claude: {
    name: "claude",
    prompt: /^(?:│ )?[❯>][ \u00a0]/,
    closing: /\s*│?$/,
    hint: ({ faint, colour }) => faint || /^38;5;24[0-6]$/.test(colour),
    busy: [/\besc to interrupt\b/],
    dialog: [CHOICES, /\bEnter to (confirm|select|continue)\b/i, /^ ?Do you want to /, /\bEsc to cancel\b/],
    dialogHidesInput: true,
    showsTold: true,
    processes: /^claude$/,
  },
  codex: {
    name: "codex",
    prompt: /^› /,
    closing: /$/,
    hint: ({ faint }) => faint,
    busy: [/\besc to interrupt\b/, /^\s*Waiting for startup\b/],
    dialog: [CHOICES, /\b(press )?enter to (confirm|select|continue)\b/i, /\benter continue\b/, /^\s*Would you like to /],
    dialogHidesInput: true,
    showsTold: true,
    processes: /^codex$/,
  },
  gemini: {
    name: "gemini",
    prompt: /^ ?(?:│ )?[>*!] /,
    closing: /\s*│?$/,
    hint: ({ faint, colour }) => faint || colour === "38;5;248",
    busy: [/\(esc to cancel, \d/],
    dialog: [
      CHOICES,
      /\bAllow execution of\b/,
      /\bApply this change\?/,
      /\bUse Enter to select\b/i,
      /\bWaiting for (user )?confirmation\b/i,
    ],
    dialogHidesInput: true,
    showsTold: true,
    processes: /^gemini$/,
  },
  generic: {
    name: "generic",
    prompt: /^\s?(?:│ )?[>❯›][ \u00a0]/,
    closing: /\s*│?$/,
    hint: ({ faint }) => faint,
    busy: [/\b(esc|ctrl-c|ctrl\+c) to (interrupt|cancel|stop)\b/i],
    dialog: [],
    dialogHidesInput: false,
    showsTold: false,
    processes:
      /^(?!(?:ba|z|da|k|mk|c|tc|fi|a|nu|pw|power|el|xon)?sh$|nu$|login$|su$|sudo$|passwd$|gpg|pinentry|tmux|screen$|vim?$|vimdiff$|view$|nvim$|emacs|nano$|pico$|micro$|hx$|helix$|kak$|joe$|ed$|ex$|mc$|mcedit$|less$|more$|most$|man$|fzf$|gum$|dialog$|whiptail$|ssh|mosh|ftp$|sftp$|telnet$|top$|htop$|git$|tig$|lazygit$|gitui$|tail$|watch$|psql$|mysql$|sqlite3$|R$|irb$)/,
  },
};
