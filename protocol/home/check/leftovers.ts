/** The files that killed processes left, and which of them can be removed. spec/check.md, "doctor". */
import { type Finding, found } from "../../objects/format/finding.ts";
import { removeFile } from "../../store/files.ts";
import { lifeOf } from "../../store/process.ts";
import { facts, names } from "../../store/read.ts";
import { changedFiles, finishReplacing, keepAside, leftOf } from "../../store/replace.ts";
import type { Store } from "../../store/root.ts";

const OLD_MS = 3_600_000;

/** Files written aside, and changes of files that were committed or only prepared. */
export function examineLeft(store: Store, findings: Finding[]): void {
  for (const name of names(store, "run/tmp")) examineAside(store, `run/tmp/${name}`, name, findings);
  for (const name of names(store, "local/pending")) examineIntent(store, `local/pending/${name}`, name, findings);
  for (const target of changedFiles(store)) {
    const { unfinished, staged, doubtful } = leftOf(store, target);
    if (unfinished)
      findings.push(
        found("unfinished_change", "a change that was committed is not in place yet", {
          path: target,
          fix: () => finishReplacing(store, target),
        }),
      );
    for (const path of staged) {
      if (!doubtful) examineAside(store, path, path.slice(path.lastIndexOf("/") + "/next-".length), findings);
      else
        findings.push(
          found("unreadable_token", "it may be a committed change: the revision beside it cannot be read", {
            path,
            fix: () => keepAside(store, path),
          }),
        );
    }
  }
}

/** A send that is there for long is one whose writer nobody can see, or no send at all: the look completes and withdraws the others. */
function examineIntent(store: Store, path: string, name: string, findings: Finding[]): void {
  const writer = /^([\w-]+)\.m-[0-9a-z-]+\.md$/.exec(name)?.[1];
  const old = Date.now() - (facts(store, path)?.modifiedMs ?? Date.now()) > OLD_MS;
  if (!old || (writer !== undefined && lifeOf(writer) !== "unknown")) return;
  findings.push(
    found(
      "left_aside",
      writer === undefined
        ? "not the name of a send, so no process finishes it"
        : "a send that was not committed; Relay cannot see whether its process still runs",
      { path, fix: () => void removeFile(store, path) },
    ),
  );
}

/** @param writer begins with the process that wrote the file, as `thisProcess` writes it */
function examineAside(store: Store, path: string, writer: string, findings: Finding[]): void {
  const [life] = writer.split(".");
  const process = (life as string).split("-").slice(0, 4).join("-");
  const old = Date.now() - (facts(store, path)?.modifiedMs ?? Date.now()) > OLD_MS;
  if (lifeOf(process) !== "gone" && !old) return;
  findings.push(found("left_aside", "an unfinished file of a process that ended", { path, fix: () => void removeFile(store, path) }));
}
