/** Why a part was not woken, in words, and what can be done. spec/waking.md, "Why not". */

/** What a reason means, and, where somebody can do something, what. */
const WORDS: Record<string, { words: string; next?: (part: string) => string }> = {
  no_pager: { words: "nobody runs who could wake it", next: () => "relay pager start" },
  human: { words: "a person looks when they look" },
  limited: { words: "it asked not to be woken before its time", next: (part) => `relay event idle --part ${part}` },
  cooldown: { words: "it was woken too often in a short time" },
  budget: { words: "the hour's budget is used up" },
  no_command: { words: "no command is kept for it", next: (part) => `relay part deliver ${part} exec -- PROGRAM` },
  failed: { words: "its command failed", next: (part) => `relay part deliver ${part} exec -- PROGRAM` },
  no_tmux: { words: "tmux is not installed", next: (part) => `relay part deliver ${part} exec -- PROGRAM` },
  tmux_version: { words: "tmux is too old" },
  silent: { words: "tmux does not answer" },
  no_pane: {
    words: "no pane of it was found",
    next: (part) => `relay up --part ${part} -- claude, or relay part deliver ${part} tmux --target work:1.0`,
  },
  no_agent: {
    words: "a shell runs in its pane, and a shell is never typed into",
    next: (part) => `relay up --part ${part} -- claude, or relay part deliver ${part} exec -- PROGRAM`,
  },
  nothing_typed: { words: "what an earlier pager typed is gone" },
  not_fetched: { words: "its session does not listen to the channel" },
  closed: { words: "its connection is closed" },
  copy_mode: { words: "somebody scrolls in its terminal" },
  synchronized: { words: "keys would go to other panes too" },
  dialog: { words: "its terminal asks something", next: (part) => `relay attach ${part}` },
  half_typed: { words: "somebody's text stands in its input", next: (part) => `relay attach ${part}` },
  no_prompt: { words: "its terminal shows no input line", next: (part) => `relay attach ${part}` },
  person_typing: { words: "somebody types in its terminal" },
  streaming: { words: "it works just now" },
  no_echo: { words: "what was typed did not show" },
  not_taken: { words: "its terminal did not take what was typed", next: (part) => `relay attach ${part}` },
  not_committed: { words: "the right to ring was not had" },
};

/** A reason in words; one that is not known here as it is. */
export const reasonWords = (reason: string): string => WORDS[reason]?.words ?? reason;

/** The command that may help; null where there is none. */
export const nextFor = (reason: string, part: string): string | null => WORDS[reason]?.next?.(part) ?? null;
