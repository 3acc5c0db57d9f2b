import * as z from "zod/mini";
import { NEWS, type Notify, shownUrl } from "../../objects/event/notify.ts";

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
