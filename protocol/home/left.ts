/** What killed processes left on the disk, and what of it can go. SPEC.md, "doctor". */
import { removeFile } from "../store/files.ts";
import { lifeOf } from "../store/process.ts";
import { facts, names } from "../store/read.ts";
import { changedFiles, finishReplacing, leftOf } from "../store/replace.ts";
import type { Store } from "../store/root.ts";
import type { Finding } from "./finding.ts";

const OLD_MS = 3_600_000;

/** Files written aside, and changes of files that were committed or only prepared. */
export function examineLeft(store: Store, findings: Finding[]): void {
  for (const name of names(store, "run/tmp")) examineAside(store, `run/tmp/${name}`, name, findings);
  for (const target of changedFiles(store)) {
    const { unfinished, staged } = leftOf(store, target);
    if (unfinished)
      findings.push({
        severity: "warning",
        code: "unfinished_change",
        path: target,
        problem: "a change that was committed is not in place yet",
        fix: () => finishReplacing(store, target),
      });
    for (const path of staged) examineAside(store, path, path.slice(path.lastIndexOf("/") + "/next-".length), findings);
  }
}

/** @param writer begins with the process that wrote the file, as `thisProcess` writes it */
function examineAside(store: Store, path: string, writer: string, findings: Finding[]): void {
  const [life] = writer.split(".");
  const process = (life as string).split("-").slice(0, 4).join("-");
  const old = Date.now() - (facts(store, path)?.modifiedMs ?? Date.now()) > OLD_MS;
  if (lifeOf(process) !== "gone" && !old) return;
  findings.push({
    severity: "note",
    code: "left_aside",
    path,
    problem: "an unfinished file of a process that is gone",
    fix: () => void removeFile(store, path),
  });
}
