import * as z from "zod/mini";
import { LIMITS, line, maybe } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { refuse } from "../../core/refusal.ts";
import { exists } from "../../store/read/facts.ts";
import { publish } from "../../store/write/publish.ts";
import { saveEnvironment } from "../files/launch-environment.ts";
import { trustWhatIsWritten } from "../files/trusted-office.ts";
import { RUNNERS } from "../nouns/agent-file.ts";
import { expectedName, nameProblem } from "../nouns/name.ts";
import { OFFICE_PATH } from "../nouns/org-files.ts";
import { starterOffice } from "../nouns/starter-office.ts";

/** Makes the smallest useful office. */
export const office_init = defineOperation({
  name: "office_init",
  summary: "Make an office for this repository: a lead and two agents, to be edited by hand; replaces nothing",
  effect: "write",
  idempotent: true,
  identity: "none",
  input: () => ({
    name: maybe(line(LIMITS.name, "name of the office; default: that of the project")),
    runner: maybe(z.enum(RUNNERS).check(z.describe("the program of its agents; default: claude"))),
  }),
  output: () => ({ created: z.array(z.string()), kept: z.array(z.string()) }),
  example: { name: "Shop" },
  async run(world, { name: given, runner }) {
    const { store, config } = world.home();
    const problem = given === undefined ? null : nameProblem(given);
    if (problem !== null) throw refuse("invalid_argument", { argument: "name", expected: expectedName(problem), given, example: "Shop" });
    // Whoever has an office gets no agents beside it.
    if (exists(store, OFFICE_PATH)) return { created: [], kept: [OFFICE_PATH] };
    const { name } = config().project;
    const files = starterOffice(given ?? (nameProblem(name) === null ? name : "Office"), runner);
    const { trust } = trustWhatIsWritten(world);
    const written = new Map(files.filter(([path, text]) => publish(store, path, text) === "created"));
    trust(written);
    saveEnvironment(world);
    const created = [...written.keys()];
    return { created, kept: files.map(([path]) => path).filter((path) => !created.includes(path)) };
  },
});
