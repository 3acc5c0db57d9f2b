import * as z from "zod/mini";
import { LIMITS, maybe, text } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import type { World } from "../../core/world.ts";
import { absolute } from "../../store/root.ts";
import { inOffice, OFFICE } from "../files/office-folder.ts";
import { type OfficePrograms, officePrograms, setOfficeProgram } from "../files/office-programs.ts";
import { requirePerson } from "../files/trusted-office.ts";
import { RUNNERS } from "../nouns/agent-file.ts";

/** Says what a program of agents is on this machine, or shows all that were said. */
export const office_runner = defineOperation({
  name: "office_runner",
  summary: "Set the command that starts an agent program on this machine, or list these commands",
  effect: "write",
  idempotent: true,
  identity: "none",
  positionals: ["program", "argv"],
  input: () => ({
    program: maybe(z.enum(RUNNERS).check(z.describe("a host or command, as agents' files name it"))),
    argv: maybe(
      z
        .array(text(LIMITS.query * 10, ""))
        .check(z.minLength(1), z.maxLength(LIMITS.recipients), z.describe("the program and its first arguments, after --")),
    ),
    forget: maybe(z.boolean().check(z.describe("find it on the PATH again"))),
  }),
  output: () => ({
    runners: z.record(z.string(), z.array(z.string())),
    folder: z.nullable(z.string().check(z.describe("where this machine keeps that, and limits.json; absolute"))),
  }),
  example: { program: "command", argv: ["node", "/home/me/agent.mjs"] },
  async run(world, { program, argv, forget }) {
    if (program === undefined || (argv === undefined && forget !== true)) return said(world, officePrograms(world));
    requirePerson(world, "relay office runner");
    return said(world, await setOfficeProgram(world, program, argv ?? null));
  },
});

const said = (world: World, programs: OfficePrograms): { runners: Record<string, string[]>; folder: string | null } => ({
  runners: shown(programs),
  folder: inOffice(world.home().store, null, (office) => absolute(office, OFFICE)),
});

const shown = (programs: Readonly<Record<string, readonly string[] | undefined>>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(programs).flatMap(([name, argv]) => (argv === undefined ? [] : [[name, [...argv]]])));
