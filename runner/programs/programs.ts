/** The programs that an agent's file can name: those of hosts, and any command of this machine's. */
import { hostOf } from "../../protocol/agents/hosts/index.ts";
import type { Program } from "../../protocol/agents/hosts/program.ts";
import type { ProgramName } from "../../protocol/office/nouns/agent-file.ts";
import { command } from "./command.ts";

/** A program by its name. */
export const programOf = (name: ProgramName): Program => (name === "command" ? undefined : hostOf(name).program) ?? command;
