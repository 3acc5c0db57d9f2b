import * as z from "zod/mini";
import { messageId, threadId } from "../../core/format/id.ts";
import { flag, LIMITS, line, maybe } from "../../core/format/schema.ts";
import { shellWord } from "../../core/format/shell-word.ts";
import { HUMAN } from "../../core/names.ts";
import { defineOperation } from "../../core/operation.ts";
import { refuse } from "../../core/refusal.ts";
import { branchName, requireRepository } from "../../git/home/repository.ts";
import { findMessage } from "../../mail/files/threads.ts";
import { messagePath } from "../../mail/nouns/message.ts";
import { forgetMessage } from "../../removal/files/forget-message.ts";
import { archivesOf } from "../../removal/nouns/archive.ts";
import { forgottenPath } from "../../removal/nouns/forget-request.ts";
import { exists } from "../../store/read/facts.ts";
import { branchWithout } from "../sync/rewrite-history.ts";
import { keepMessage } from "./keep-message.ts";

const SPENT = "Every reader may have kept the message, so change any secret that it holds.";

const Output = z.object({
  messageId: z.string(),
  state: z.enum(["forgotten", "refused"]),
  /** Of --rewrite. */
  branch: z.optional(z.string()),
  notes: z.array(z.string()),
});
type Answer = z.infer<typeof Output>;

/** Takes a message out of this clone and asks the others to, or refuses such a request. */
export const forget = defineOperation({
  name: "forget",
  summary: "Remove a message from this clone, such as a secret, and ask the others; --refuse answers such a request with no",
  effect: "destroy",
  idempotent: true,
  identity: "optional",
  positionals: ["messageId"],
  input: () => ({
    messageId: z.string().check(z.minLength(1), z.maxLength(128)),
    reason: maybe(line(LIMITS.about, "why; do not repeat the message")),
    rewrite: flag("also make a branch without it in its history, for a person to push"),
    refuse: flag("the message stays: nobody is asked any more, and it is back here"),
  }),
  output: () => Output.shape,
  example: { messageId: "m-20260131-k3f9x2ab-1-1kg9p6je0abcde", reason: "it holds a password" },
  async run(world, input, { part }): Promise<Answer> {
    if (input.refuse === true && input.rewrite === true)
      throw refuse("invalid_argument", {
        argument: "refuse",
        expected: "only one of `--refuse` and `--rewrite`",
        given: true,
        example: null,
      });
    const location = findMessage(world.home(), input.messageId);
    const id = messageId(location);
    const by = part || HUMAN;
    const { store } = world.home();
    const archives = archivesOf(location, (at) => exists(store, at));
    if (!exists(store, messagePath(location)) && !exists(store, forgottenPath(id)))
      throw archives.length > 0
        ? refuse("archived_thread", { threadId: threadId(location) })
        : refuse("unknown_message", { given: [input.messageId] });
    if (input.refuse === true) {
      if (!exists(store, forgottenPath(id))) throw refuse("unknown_message", { given: [input.messageId] });
      await keepMessage(world, id, by);
      return { messageId: id, state: "refused", notes: [] };
    }
    if (input.rewrite === true) requireRepository(world);
    await forgetMessage(world, location, by, input.reason);
    if (input.rewrite !== true)
      return {
        messageId: id,
        state: "forgotten",
        notes: [
          SPENT,
          ...archives.map((at) => `${at} may still hold it, and no clone deletes an archive: --rewrite leaves it out`),
          "Other clones keep it until a person there answers, and so does the branch: --rewrite makes a branch without it.",
        ],
      };
    const branch = await branchWithout(world, location);
    const push = `git -C ${shellWord(store.root)} push --force-with-lease REMOTE ${shellWord(`${branch}:${branchName(requireRepository(world))}`)}`;
    return {
      messageId: id,
      state: "forgotten",
      branch,
      notes: [SPENT, `A person pushes it: ${push}`, "Then each clone: relay sync --accept theirs"],
    };
  },
});
