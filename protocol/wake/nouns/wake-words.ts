/** Why a part was not woken, in words, and what can be done. spec/waking.md, "Why not". */

/** The meaning of a reason, and what a person can do about it. */
const WORDS: Record<string, { words: string; next?: (part: string) => string }> = {
  no_pager: { words: "no pager runs that could wake it", next: () => "relay pager start" },
  no_rung: {
    words: "nothing here can wake it: it has no terminal in tmux, no session that waits, and no command",
    next: (part) => `relay up --part ${part} -- claude, or relay part deliver ${part} exec -- PROGRAM`,
  },
  human: { words: "a person reads mail when they choose" },
  limited: { words: "it asked not to be woken yet", next: (part) => `relay event idle --part ${part}` },
  cooldown: { words: "it was woken too often in a short time" },
  budget: { words: "the budget of this hour is used up" },
  no_command: { words: "it has no command", next: (part) => `relay part deliver ${part} exec -- PROGRAM` },
  failed: { words: "its command failed", next: (part) => `relay part deliver ${part} exec -- PROGRAM` },
  no_tmux: { words: "tmux is not installed", next: (part) => `relay part deliver ${part} exec -- PROGRAM` },
  tmux_version: { words: "tmux is too old" },
  silent: { words: "tmux does not answer" },
  no_pane: {
    words: "it has no pane",
    next: (part) => `relay up --part ${part} -- claude, or relay part deliver ${part} tmux --target work:1.0`,
  },
  no_agent: {
    words: "a shell runs in its pane, and Relay never types into a shell",
    next: (part) => `relay up --part ${part} -- claude, or relay part deliver ${part} exec -- PROGRAM`,
  },
  nothing_typed: { words: "the line that an earlier pager typed is gone" },
  not_fetched: { words: "its session does not listen to the channel" },
  closed: { words: "its connection is closed" },
  copy_mode: { words: "a person scrolls in its terminal" },
  synchronized: { words: "its keys would go to other panes too" },
  dialog: { words: "its terminal shows a question", next: (part) => `relay attach ${part}` },
  half_typed: { words: "its input has other text", next: (part) => `relay attach ${part}` },
  no_prompt: { words: "its terminal shows no input line", next: (part) => `relay attach ${part}` },
  person_typing: { words: "a person types in its terminal" },
  streaming: { words: "it is working" },
  no_echo: { words: "the typed line did not appear" },
  not_taken: { words: "its terminal did not take the typed line", next: (part) => `relay attach ${part}` },
  not_committed: { words: "another pager had already taken this wake" },
};

/** A reason in words; one that is not known here as it is. */
export const reasonWords = (reason: string): string => WORDS[reason]?.words ?? reason;

/** The command that may help; null where there is none. */
export const nextFor = (reason: string, part: string): string | null => WORDS[reason]?.next?.(part) ?? null;
