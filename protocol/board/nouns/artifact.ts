/** Artifacts: results of work, version by version, each a file that people can open and compare. spec/board.md, "Artifact". */
import * as z from "zod/mini";
import { formatFrontmatter, headerError, parseFrontmatter, withoutUndefined } from "../../core/format/frontmatter.ts";
import { timeOfFile } from "../../core/format/schema.ts";
import { sessionFolder } from "./session.ts";

/** Every type of an artifact. */
export const ARTIFACT_TYPES = ["figma_spec", "pr", "report", "analytics_plan", "design", "document", "code"] as const;
/** A type of an artifact. */
export type ArtifactType = (typeof ARTIFACT_TYPES)[number];

/** What is recorded about one version; its content lies beside it. `createdAt` is ISO 8601. */
export interface Artifact {
  id: string;
  name: string;
  version: number;
  type: ArtifactType;
  createdBy: string;
  createdAt: string;
  task?: string | undefined;
  /** The commit of the code that it is about, in hexadecimal, and the branch that the commit was on. */
  commit?: string | undefined;
  branch?: string | undefined;
  /** The ending of the content's file. */
  extension: string;
  /** The name under which the content was written before the version had its number. */
  staged: string;
}

/** Hexadecimal characters of a name's hash. */
export const NAME_HASH = 12;
const ID = new RegExp(`^artifact-([0-9a-f]{${NAME_HASH}})-([1-9]\\d{0,6})$`);

/** `artifact-<hash of the name>-<version>`. */
export const artifactId = (hash: string, version: number): string => `artifact-${hash}-${version}`;

/** The inverse of `artifactId`; null when the text is not one. */
export function parseArtifactId(text: string): { hash: string; version: number } | null {
  const match = ID.exec(text);
  return match === null ? null : { hash: match[1] as string, version: Number(match[2]) };
}

/** Where the artifacts of a session lie. */
export const artifactsFolder = (session: string): string => `${sessionFolder(session)}/artifacts`;

/** The folder of one artifact inside of it: a readable piece of its name, then the name's hash. */
export function artifactFolderName(name: string, hash: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40)
    .replace(/^-+|-+$/g, "");
  return `${slug === "" ? "artifact" : slug}-${hash}`;
}

/** The file that records a version; its exclusive create is the commit. */
export const recordName = (version: number): string => `${version}.artifact.md`;
/** The highest version that an artifact may have. */
export const VERSION_MOST = 9_999_999;
/** The version whose record a file name is; null for other names. */
export function versionOf(name: string): number | null {
  const match = /^([1-9]\d{0,6})\.artifact\.md$/.exec(name);
  return match === null ? null : Number(match[1]);
}

/** The ending that lets a person's tools show a content for what it is: that of its name, else by how it begins. */
export function extensionFor(name: string, content: string): string {
  const named = /\.([a-z0-9]{1,8})$/i.exec(name)?.[1]?.toLowerCase();
  if (named !== undefined && /[a-z]/.test(named)) return named;
  const start = content.trimStart();
  if (/^(diff --git |--- [^\n]+\n\+\+\+ )/.test(start)) return "diff";
  if (start.startsWith("{") || start.startsWith("[")) {
    try {
      JSON.parse(content);
      return "json";
    } catch {
      return "md";
    }
  }
  return /^<(!doctype html|html)/i.test(start) ? "html" : start.startsWith("<svg") ? "svg" : "md";
}

/** A name of a commit: hexadecimal, 7 to 64 digits. */
export const COMMIT = /^[0-9a-f]{7,64}$/;

const ArtifactHeader = z.looseObject({
  id: z.string(),
  name: z.string(),
  version: z.int(),
  type: z.enum(ARTIFACT_TYPES),
  created_by: z.string(),
  created_at: timeOfFile(),
  task_id: z.optional(z.string()),
  commit: z.optional(z.string().check(z.regex(COMMIT))),
  branch: z.optional(z.string()),
  extension: z.string().check(z.regex(/^[a-z0-9]{1,8}$/)),
  staged: z.string().check(z.regex(/^\.staged-[\w-]+$/)),
});

/** Writes the record of a version. */
export function formatArtifact(artifact: Artifact): string {
  const { id, name, version, type, createdBy, createdAt, task, commit, branch, extension, staged } = artifact;
  const about = { task_id: task, commit, branch };
  return formatFrontmatter({ id, name, version, type, created_by: createdBy, created_at: createdAt, ...about, extension, staged }, "");
}

/** Reads the record of a version. @throws FileError, with the line */
export function parseArtifact(source: string): Artifact {
  const { header } = parseFrontmatter(source);
  const parsed = ArtifactHeader.safeParse(header);
  if (!parsed.success) {
    throw headerError(source, header, parsed.error.issues);
  }
  const { id, name, version, type, extension, staged, ...rest } = parsed.data;
  return withoutUndefined({
    id,
    name,
    version,
    type,
    createdBy: rest.created_by,
    createdAt: rest.created_at,
    task: rest.task_id,
    commit: rest.commit,
    branch: rest.branch,
    extension,
    staged,
  });
}
