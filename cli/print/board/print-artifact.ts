/** Prints for people: artifacts. */
import type { Printer } from "../style.ts";
import { boundedTable } from "../table.ts";
import { plainLine, short } from "../words.ts";
import { since } from "./board-words.ts";

/** ` at 5e817e8, web is 2 ahead`: the commit of an artifact, and how far its branch went on; empty where it is about no commit. */
export const atCommit = (commit?: string, branch?: string, ahead?: number): string =>
  commit === undefined ? "" : ` at ${commit.slice(0, 7)}${ahead === undefined ? "" : `, ${plainLine(branch ?? "")} is ${ahead} ahead`}`;

/** The id of an artifact's new version. */
export const printPostArtifact: Printer<"post_artifact"> = ({ artifact_id, version }, style) =>
  `${style.green("Posted")} ${short(artifact_id)} v${version}`;

/** The version that was handed in, and the reviews that were asked for. */
export const printSubmitTask: Printer<"submit_task"> = ({ task_id, version, status, commit, reviews = [], reviewers = [] }, style) =>
  `${style.green("Submitted")} ${short(task_id)} v${version}${atCommit(commit)}: ${status}${reviews.map((id, at) => `, ${plainLine(reviewers[at] ?? "")} reviews it (${short(id)})`).join("")}`;

/** Artifacts, a line each: id, version, kind, who made it and its name. */
export const printListArtifacts: Printer<"list_artifacts"> = ({ artifacts }, style) =>
  artifacts.length === 0
    ? style.dim("No artifacts.")
    : boundedTable(
        artifacts.map(({ id, name, version, type, created_by, origin, task_id, created_at, commit, branch, ahead }) => [
          { text: short(id), paint: style.yellow },
          `v${version}`,
          { text: type, paint: style.dim },
          { text: origin === undefined ? created_by : `${created_by} ${origin}`, paint: style.bold },
          since(created_at, style),
          { text: task_id === null ? "" : short(task_id), paint: style.dim },
          `${plainLine(name)}${atCommit(commit, branch, ahead)}`,
        ]),
        style,
      );
