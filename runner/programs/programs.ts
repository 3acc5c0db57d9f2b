/** The programs that an agent's file can name. */
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { command } from "./command.ts";
import { gemini } from "./gemini.ts";
import type { Program } from "./program.ts";

/** The programs by their names. */
export const PROGRAMS: Readonly<Record<"claude" | "codex" | "gemini" | "command", Program>> = { claude, codex, gemini, command };
