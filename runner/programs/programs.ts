/** The programs that an agent's file can name: those of hosts, and any command of this machine's. */
import { hostOf, type Program, type ProgramName } from "../../protocol/internal.ts";
import { command } from "./command.ts";

/** A program by its name. */
export const programOf = (name: ProgramName): Program => (name === "command" ? undefined : hostOf(name).program) ?? command;
