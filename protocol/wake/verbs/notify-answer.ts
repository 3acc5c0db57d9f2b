import * as z from "zod/mini";
import { isNotifyName, NEWS, type Notify, shownUrl } from "../../core/event/notify.ts";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { notifies } from "../files/notify-list.ts";

/** The fields of a notify, as answers show it. */
export const notifyAnswerFields = {
  name: z.string(),
  on: z.array(z.enum(NEWS)),
  argv: z.optional(z.array(z.string())),
  folder: z.optional(z.string()),
  url: z.optional(z.string()),
  addedAt: z.string(),
};

/** A notify as it is shown: of an address only where it leads, because its path may be a secret. */
export const notifyAnswer = ({ name, on, addedAt, command, url }: Notify): z.infer<z.ZodMiniObject<typeof notifyAnswerFields>> => ({
  name,
  on,
  ...(command === undefined ? { url: shownUrl(url as string) } : { argv: command.argv, folder: command.cwd }),
  addedAt,
});

/** The name of a notify, as a caller gives it. */
export const NotifyName = z
  .string()
  .check(
    z.refine(
      (name) => isNotifyName(name),
      "a name of a-z, 0-9, - and _ that begins with a letter or a digit, at most 64, and is no device of Windows",
    ),
  );

/** The refusal for a name that no notify has; it lists those that there are. */
export function unknownNotify(world: World, given: string | undefined): Error {
  const known = notifies(world).map(({ name }) => name);
  const expected =
    known.length === 0 ? "the name of an entry; there is none yet (`relay notify add` makes one)" : `one of these: ${known.join(", ")}`;
  return refuse("invalid_argument", { argument: "name", expected, given, example: known[0] ?? "desktop" });
}
