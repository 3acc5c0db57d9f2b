/** Artifacts and their reviews as files of a home. spec/board.md, "Artifact". */
import type { Digest } from "../../core/format/id.ts";
import { FILE_BYTES } from "../../core/format/schema.ts";
import { keptPath } from "../../core/noun/merge-tree.ts";
import { agree, defineNoun, earliest, type Gone, saidBy, verbatim } from "../../core/noun/noun.ts";
import { type Effects, named } from "../../core/noun/noun-effects.ts";
import { artifactId, artifactsFolder, formatArtifact, NAME_HASH, parseArtifact, parseArtifactId, recordName } from "./artifact.ts";
import { formatResult, formatReview, isReviewId, parseResult, parseReview, type ReviewResult, resultPath, reviewPath } from "./review.ts";
import { inSession } from "./session.ts";
import { refersToTask } from "./session-nouns.ts";

/** What the path of a version of an artifact says. */
export interface OfVersion {
  session: string;
  folder: string;
  /** Of the artifact's name: the end of the folder's. */
  hash: string;
  version: number;
}

/** The hash that the name of an artifact's folder ends in; null for other names. */
function hashOf(folder: string): string | null {
  if (!/^[a-z0-9][a-z0-9-]{0,53}$/.test(folder)) return null;
  return parseArtifactId(artifactId(folder.slice(folder.lastIndexOf("-") + 1), 1))?.hash ?? null;
}

const nameOfVersion = ({ session, hash, version }: Omit<OfVersion, "folder">): string => `${session}/${artifactId(hash, version)}`;

const VERSION = {
  words: ["artifact", "artifacts"],
  at: "sessions/*/artifacts",
  section: "spec/board.md, Artifact",
  name: nameOfVersion,
  merge: { by: "versions" },
  guard: "once",
  series: ({ session, folder, version }: OfVersion) => ({ folder: `${artifactsFolder(session)}/${folder}`, n: version }),
} as const;

/** The record of a version of an artifact. */
export const artifact = defineNoun({
  ...VERSION,
  kind: "artifact",
  path: ({ session, folder, version }: OfVersion) => `${artifactsFolder(session)}/${folder}/${recordName(version)}`,
  locate: (path) =>
    inSession(path, /^sessions\/([^/]+)\/artifacts\/([^/]+)\/([1-9]\d{0,6})\.artifact\.md$/, (folder = "", version) => {
      const hash = hashOf(folder);
      return hash === null ? null : { folder, hash, version: Number(version) };
    }),
  limit: FILE_BYTES.artifact,
  expected: "the record of an artifact",
  parse(source, { hash, version }, digest: Digest | null) {
    const read = parseArtifact(source);
    agree(source, "id", read.id, artifactId(hash, version));
    agree(source, "version", read.version, version);
    // The rest of the folder's name is for people.
    if (digest !== null) agree(source, "name", digest(read.name).slice(0, NAME_HASH), hash);
    return read;
  },
  format: formatArtifact,
  author: saidBy("created_by"),
  refersTo: (where, read) => [
    // Its content may still lie under the name that it was prepared under.
    { kind: "content", name: nameOfVersion(where) },
    ...(read?.task === undefined ? [] : [refersToTask(where.session, read.task, { key: "task_id", code: "dangling_artifact" })]),
  ],
});

/** What a version of an artifact holds. */
export const content = defineNoun({
  ...VERSION,
  kind: "content",
  path: ({ session, folder, version, extension }: OfVersion & { extension: string }) =>
    `${artifactsFolder(session)}/${folder}/${version}.${extension}`,
  locate: (path) =>
    inSession(path, /^sessions\/([^/]+)\/artifacts\/([^/]+)\/([1-9]\d{0,6})\.([a-z0-9]{1,8})$/, (folder = "", version, extension = "") => {
      const hash = hashOf(folder);
      return hash === null ? null : { folder, hash, version: Number(version), extension };
    }),
  limit: FILE_BYTES.content,
  expected: "a text",
  parse: verbatim,
});

/** What the path of a review says. */
export interface OfReview {
  session: string;
  review: string;
}
const REVIEW = {
  words: ["review", "reviews"],
  at: "sessions/*/reviews",
  limit: FILE_BYTES.review,
  section: "spec/board.md, Review",
  name: ({ session, review: id }: OfReview) => `${session}/${id}`,
  merge: earliest("at"),
  guard: "once",
  // One that cannot be read may lie beside its name: `doctor --fix` puts it there.
  absence: (_where: unknown, { path, content, tree }: Gone) => tree.has(keptPath(path, content)),
} as const;

/** A request for a review. */
export const review = defineNoun({
  ...REVIEW,
  kind: "review",
  path: ({ session, review: id }: OfReview) => reviewPath(session, id),
  locate: (path) => inSession(path, /^sessions\/([^/]+)\/reviews\/([^/.]+)\.md$/, (id = "") => (isReviewId(id) ? { review: id } : null)),
  expected: "a review",
  parse(source, { review: id }) {
    const read = parseReview(source);
    agree(source, "id", read.id, id);
    return read;
  },
  format: formatReview,
  author: saidBy("requester"),
  refersTo: ({ session }, read) =>
    read === null
      ? []
      : [
          { kind: "artifact", name: `${session}/${read.artifact}`, key: "artifact_id", code: "dangling_review" },
          ...(read.task === undefined ? [] : [refersToTask(session, read.task, { key: "task_id", code: "dangling_review" })]),
        ],
});

type ResultDid = { kind: "result"; session: string; review: string; status: ReviewResult["status"]; by: string };

const RESULT_VERBS: Readonly<Record<ReviewResult["status"], string>> = {
  approved: "approved",
  changes_requested: "asked for changes in",
  withdrawn: "withdrew",
};

/** Of a result: who gave it. It concerns whoever asked for the review. */
const resultEffects: Effects<OfReview, ResultDid> = {
  reads: "all",
  of({ before, after }, { session, review: id }) {
    if (before !== null) return [];
    const { status, by } = parseResult(after);
    return [{ kind: "result", session, review: id, status, by: named(by) }];
  },
  words: ({ status, review: id, by }) => `${RESULT_VERBS[status]} ${id} as ${by}`,
  isDoneTo: ({ by }, part, takesPart) => by === part || takesPart(),
};

/** What a review came to. */
export const result = defineNoun({
  ...REVIEW,
  kind: "result",
  path: ({ session, review: id }: OfReview) => resultPath(session, id),
  locate: (path) =>
    inSession(path, /^sessions\/([^/]+)\/reviews\/([^/.]+)\.result\.md$/, (id = "") => (isReviewId(id) ? { review: id } : null)),
  expected: "the result of a review",
  parse: (source) => parseResult(source),
  format: formatResult,
  author: saidBy("by"),
  effects: resultEffects,
  refersTo: ({ session, review: id }) => [{ kind: "review", name: `${session}/${id}`, code: "dangling_review" }],
});
