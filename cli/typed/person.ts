/** Whether a person or a program reads the output of a command. */

/** What an agent sets for the commands that it runs: some give them a terminal. */
const AGENTS_SET = ["CLAUDECODE", "GEMINI_CLI", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_CI"];

/** Whether a person reads what a command prints. */
export const isPerson = (): boolean => process.stdout.isTTY === true && AGENTS_SET.every((name) => (process.env[name] ?? "") === "");
