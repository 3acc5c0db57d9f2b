/** The header of a message file, and of what lies in an outbox. */
import * as z from "zod/mini";
import { type Header, headerError } from "../../core/format/frontmatter.ts";
import { once } from "../../core/format/schema.ts";

const schemas = once(() => {
  const text = z.union([z.string(), z.pipe(z.union([z.number(), z.boolean()]), z.transform(String))]);
  const truth = z.union([
    z.boolean(),
    z.pipe(
      z.string().check(z.regex(/^(true|false)$/i)),
      z.transform((value: string) => value.toLowerCase() === "true"),
    ),
  ]);
  const texts = z.union([
    z.array(text),
    z.pipe(
      text,
      z.transform((one: string) => [one]),
    ),
  ]);
  return { text, truth, texts };
});

/** The header of a message file; unknown keys are ignored, and kept, because the file is never written again. */
export const messageHeader = once(() => {
  const { text, truth, texts } = schemas();
  return z.looseObject({
    id: text,
    thread: text,
    from: text,
    to: texts,
    at: text,
    subject: text,
    tags: z.optional(texts),
    urgent: z.optional(truth),
    needs_human: z.optional(truth),
    expects_reply: z.optional(truth),
    session: z.optional(text),
    label: z.optional(text),
    broadcast: z.optional(truth),
    metadata: z.optional(z.record(z.string(), text)),
  });
});

/** The fields of a header, as the schema gives them. */
export type Fields = z.infer<ReturnType<typeof messageHeader>>;

const isText = (value: unknown): boolean => typeof value === "string";
const isTruth = (value: unknown): boolean => typeof value === "boolean";
const areTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const areNamedTexts = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.values(value).every(isText);

/** The fields as Relay writes them. */
const PLAIN: readonly (readonly [is: (value: unknown) => boolean, must: readonly string[], may: readonly string[]])[] = [
  [isText, ["id", "thread", "from", "at", "subject"], ["session", "label"]],
  [areTexts, ["to"], ["tags"]],
  [isTruth, [], ["urgent", "needs_human", "expects_reply", "broadcast"]],
  [areNamedTexts, [], ["metadata"]],
];

/** Whether the schema would give each field as it is. Nearly every header is such, and to make the schema takes longer than to read one. */
export const isPlain = (header: Header): boolean =>
  PLAIN.every(
    ([is, must, may]) => must.every((key) => is(header[key])) && may.every((key) => !Object.hasOwn(header, key) || is(header[key])),
  );

/** The fields of a header. @throws FileError, with the line, where it does not fit */
export function fieldsOf(source: string, header: Header): Fields {
  if (isPlain(header)) return header as Fields;
  const parsed = messageHeader().safeParse(header);
  if (!parsed.success) throw headerError(source, header, parsed.error.issues);
  return parsed.data;
}

/** What a person or a script without Relay writes into an outbox: who to, and a subject or a thread. */
export const outboxHeader = once(() => {
  const { text, truth, texts } = schemas();
  return z.looseObject({
    to: z.optional(texts),
    subject: z.optional(text),
    thread: z.optional(text),
    tags: z.optional(texts),
    urgent: z.optional(truth),
    needs_human: z.optional(truth),
    expects_reply: z.optional(truth),
  });
});
