/** Archives of threads, and requests to forget messages, as files of a home. spec/removal.md. */
import { type MessageLocation, messageId, threadId } from "../../core/format/id.ts";
import { FILE_BYTES } from "../../core/format/schema.ts";
import { agree, defineNoun } from "../../core/noun/noun.ts";
import { type Effects, namedBy } from "../../core/noun/noun-effects.ts";
import type { OfMessage, OfThread } from "../../mail/nouns/message-nouns.ts";
import { ARCHIVE_FOLDER, archivePath, formatArchive, locateArchive, parseArchive } from "./archive.ts";
import {
  FORGOTTEN_FOLDER,
  type Forgotten,
  forgottenPath,
  formatForgotten,
  locateForgotten,
  parseForgotten,
  refusedPath,
} from "./forget-request.ts";

/** Of a request to forget: that a person has to answer it. */
const forgetEffects: Effects<{ key: MessageLocation }, { kind: "forgotten"; message: string; thread: string; by: string }> = {
  reads: "all",
  of: ({ before, after }, { key }) =>
    before === null ? [{ kind: "forgotten", message: messageId(key), thread: threadId(key), by: namedBy(after, "by") }] : [],
  words: ({ message, by }) => `asked to forget ${message} as ${by} (a person answers: relay forget ${message}, or with --refuse)`,
  isDoneTo: (_did, _part, takesPart) => takesPart(),
};

/** Of a refusal to forget: that the request asks for nothing any more. */
const refusalEffects: Effects<{ key: MessageLocation }, { kind: "kept"; message: string; thread: string; by: string }> = {
  reads: "all",
  of: ({ before, after }, { key }) =>
    before === null ? [{ kind: "kept", message: messageId(key), thread: threadId(key), by: namedBy(after, "by") }] : [],
  words: ({ message, by }) => `refused to forget ${message} as ${by}`,
  isDoneTo: (_did, _part, takesPart) => takesPart(),
};

const nameOfMessage = ({ key }: OfMessage): string => messageId(key);

/** A closed thread as one file. */
export const archive = defineNoun({
  kind: "archive",
  words: ["archive", "archives"],
  at: ARCHIVE_FOLDER,
  path: ({ key, number }: OfThread & { number: number }) => archivePath(key, number),
  locate: locateArchive,
  limit: FILE_BYTES.archive,
  section: "spec/removal.md, Archive",
  expected: "an archive",
  parse: (source, { key }, digest) => parseArchive(source, key, digest),
  format: (files, { key }, digest) => formatArchive(key, files, digest),
  guard: "once",
});

/** What a request to forget and its refusal have in common. */
const removalNoun = <Kind extends "forgotten" | "refused">(kind: Kind, pathOf: (id: string) => string) =>
  ({
    kind,
    limit: FILE_BYTES.forgotten,
    words: ["removal", "removals"],
    at: FORGOTTEN_FOLDER,
    path: (where: OfMessage): string => pathOf(nameOfMessage(where)),
    locate(path: string): OfMessage | null {
      const found = locateForgotten(path);
      return found?.kind === kind ? { key: found.key } : null;
    },
    section: "spec/removal.md, Forget",
    parse(source: string, where: OfMessage): Forgotten {
      const read = parseForgotten(source);
      agree(source, "id", read.id, nameOfMessage(where));
      return read;
    },
    format: formatForgotten,
    name: nameOfMessage,
    guard: "once",
  }) as const;

/** A request to forget a message. */
export const forgotten = defineNoun({
  ...removalNoun("forgotten", forgottenPath),
  expected: "a request to forget",
  effects: forgetEffects,
  refersTo: (where) => [{ kind: "message", name: nameOfMessage(where) }],
});

/** What says that a request to forget was refused. */
export const refused = defineNoun({
  ...removalNoun("refused", refusedPath),
  expected: "a refusal to forget",
  effects: refusalEffects,
  refersTo: (where) => [{ kind: "forgotten", name: nameOfMessage(where) }],
});
