/** The schema of team files. spec/agents.md, "Team files". */
import * as z from "zod/mini";
import { hiddenIn } from "../format/hidden.ts";
import { once } from "../format/schema.ts";

const text = (description: string) => z.optional(z.string().check(z.minLength(1), z.describe(description)));
/** A text that may be empty, which says nothing. */
const maybeText = (description: string) => z.optional(z.string().check(z.describe(description)));

/** A command that a person is to judge must be all that they see, so it holds nothing that a terminal hides. */
const command = () =>
  z.string().check(
    z.minLength(1),
    z.maxLength(4_096),
    z.refine((given) => hiddenIn(given) === null, "a command without hidden characters"),
  );
const commands = (description: string) => z.optional(z.union([command(), z.array(command())]).check(z.describe(description)));

/** One agent of a file. */
export const entrySchema = once(() =>
  z.looseObject({
    name: text("Name for people"),
    emoji: text("One sign for lists"),
    description: z.optional(z.string().check(z.describe("What the agent is for, one line"))),
    tools: z.optional(
      z.array(z.string()).check(z.describe("Tools of Relay that the agent may use; enforced where the connection is bound to it")),
    ),
    systemPrompt: text("What the agent is told; {{name}} stands for a shared block, {agent_id} for the agent's own id"),
    tags: z.optional(z.array(z.string()).check(z.describe("Words that `relay team suggest` finds the agent by"))),
    extends: text("Another agent of this file or of the pool; it gives what is left out here"),
    disabled: z.optional(z.boolean().check(z.describe("Left out of the team; may still be extended"))),
    language: maybeText("Language the agent writes in"),
    hooks: z.optional(
      z
        .union([
          z.literal(false),
          z.looseObject({
            before_task: commands("Must pass before a task is claimed; 30 s"),
            after_task: commands("Must pass before a task is done; 120 s"),
          }),
        ])
        .check(z.describe("Commands that must pass, once `relay trust` allowed them on this machine; false removes inherited ones")),
    ),
    validate_prompt: text("How the agent checks its own result"),
    review_checklist: text("What a reviewer of the agent's work looks at"),
  }),
);

/** What a map says: a key without a value, or with an empty text, says nothing. Anything that is no map stays as it is. */
export function said(given: unknown): unknown {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return given;
  return Object.fromEntries(
    Object.entries(given).flatMap(([key, value]) =>
      value === null || value === "" ? [] : [[key, key === "hooks" || key === "shared_blocks" ? said(value) : value]],
    ),
  );
}

/** One agent as a file has it. */
export type AgentEntry = z.infer<ReturnType<typeof entrySchema>>;

/** What a team file says beside its agents. */
const shared = () => ({
  language: maybeText("Language of every agent that names none"),
  shared_blocks: z.optional(z.record(z.string(), z.string()).check(z.describe("Texts that prompts take in as {{name}}"))),
  review_checklist: text("Checklist for every agent that has none"),
});
/** A whole file but for its agents, each of which is looked at by itself. */
export const frameSchema = once(() => z.looseObject({ agents: z.record(z.string(), z.unknown()), ...shared() }));

/** The schema of both files; `templates/agents.schema.json` is made from it. */
export const teamSchema = once(() =>
  z.looseObject({
    agents: z.record(z.string(), z.nullish(entrySchema())).check(z.describe("Every agent by its id")),
    ...shared(),
  }),
);
