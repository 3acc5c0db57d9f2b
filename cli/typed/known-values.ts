/** The values that are known for a flag, or at a place. */
import { type AnyOperation, createWorld, operations, perform } from "../../protocol/index.ts";
import { members } from "../../protocol/mail/files/members.ts";
import { short } from "../print/words.ts";
import { SCRIPTS } from "./completion-script.ts";

/** What there is of a kind, as it would be typed. */
export type Known = () => Promise<string[]>;

// biome-ignore lint/suspicious/noExplicitAny: each caller knows the shape that its operation answers.
const listed = async (operation: AnyOperation, input: object, list: (answer: any) => string[]): Promise<string[]> =>
  list(await perform(createWorld(), operation, input));

const parts: Known = async () => members(createWorld()).map(({ part }) => part);

const threads: Known = () =>
  listed(operations.threads, { limit: 50 }, (answer) => answer.threads.map(({ id }: { id: string }) => short(id)));

const tasks: Known = () =>
  listed(operations.get_all_tasks, { limit: 200 }, (answer) => answer.tasks.map(({ id }: { id: string }) => short(id)));

const sessions: Known = () => listed(operations.list_sessions, {}, (answer) => answer.sessions);

const artifacts = (field: "id" | "name"): Known => {
  return () => listed(operations.list_artifacts, {}, (answer) => answer.artifacts.map((each: Record<string, string>) => each[field]));
};

const reviews: Known = () =>
  listed(operations.list_reviews, { pending: true }, (answer) => answer.reviews.map(({ id }: { id: string }) => id));

const pool: Known = () => listed(operations.list_pool_agents, {}, (answer) => answer.agents.map(({ id }: { id: string }) => id));

const hooks: Known = () => listed(operations.trust, {}, (answer) => answer.commands.map(({ id }: { id: string }) => id));

/** What may follow a flag. */
export const AFTER_FLAG: Record<string, Known> = {
  "--part": parts,
  "--to": parts,
  "--with": parts,
  "--of": parts,
  "--assignee": parts,
  "--reviewer": parts,
  "--thread": threads,
  "--task": tasks,
  "--depends-on": tasks,
  "--parent-task-id": tasks,
  "--session": sessions,
};

/** What may stand at a place, by its name. */
export const AT_PLACE: Record<string, Known> = {
  to: parts,
  part: parts,
  from: parts,
  "agent-id": parts,
  reviewer: parts,
  "thread-id": threads,
  "task-id": tasks,
  "session-id": sessions,
  name: artifacts("name"),
  "artifact-id": artifacts("id"),
  "review-id": reviews,
  agents: pool,
  accept: hooks,
  shell: async () => Object.keys(SCRIPTS),
};
