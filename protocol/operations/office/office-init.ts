import * as z from "zod/mini";
import { saveEnvironment } from "../../home/office/launch-environment.ts";
import { trustWhatIsWritten } from "../../home/office/trusted-office.ts";
import { LIMITS, line, maybe } from "../../objects/format/schema.ts";
import { RUNNERS } from "../../objects/office/agent-file.ts";
import { expectedName, nameProblem } from "../../objects/office/name.ts";
import { OFFICE_PATH } from "../../objects/office/org-files.ts";
import { starterOffice } from "../../objects/office/starter-office.ts";
import { defineOperation } from "../../operation.ts";
import { refuse } from "../../refusal.ts";
import { exists } from "../../store/read/facts.ts";
import { publish } from "../../store/write/publish.ts";

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
