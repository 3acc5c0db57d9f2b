/** A session's tasks and their claims as the disk has them, read without Relay's own code: what is checked must not hang on what checks it. */
import fs from "node:fs";
import path from "node:path";

/** One record of a task's chain. */
export interface Chained {
  fence: number;
  kind: "claim" | "done";
  agent: string;
}

/** One task. */
export interface TaskFound {
  task: string;
  /** What its file says. */
  status: string;
  fence: number;
  /** Its records, by their numbers. */
  chain: Chained[];
}

/** Every task of a session. @param home absolute path of the `.relay` folder */
export function surveyTasks(home: string, session: string): TaskFound[] {
  const folder = path.join(home, "sessions", session, "tasks");
  const names = fs.readdirSync(folder).filter((name) => name.endsWith(".md"));
  return names.map((name) => {
    const task = name.replace(/\.md$/, "");
    const field = fieldsOf(path.join(folder, name));
    return { task, status: field("status") ?? "", fence: Number(field("fence") ?? 0), chain: surveyChain(home, session, task) };
  });
}

/** The records of one task. */
export function surveyChain(home: string, session: string, task: string): Chained[] {
  const at = path.join(home, "sessions", session, "claims", task);
  const names = fs.existsSync(at) ? fs.readdirSync(at).filter((name) => /^\d+\.md$/.test(name)) : [];
  return names
    .map((name) => {
      const field = fieldsOf(path.join(at, name));
      return { fence: Number(name.replace(/\.md$/, "")), kind: field("kind") as Chained["kind"], agent: field("agent") ?? "" };
    })
    .sort((a, b) => a.fence - b.fence);
}

/** What a file says before its body, a line each, as `key: <JSON>`. */
function fieldsOf(file: string): (key: string) => string | undefined {
  const text = fs.readFileSync(file, "utf8");
  const head = text.slice(0, text.indexOf("\n---\n", 3));
  return (key) => new RegExp(`^${key}: "?(.*?)"?$`, "m").exec(head)?.[1];
}
