/** Prints for people: a home that was made. */
import type { Printer } from "../style.ts";

/** What a new home has, or which one was joined, and what to do next. */
export const printInit: Printer<"init"> = ({ home, created, parts, repository, branch, links, workflow, joined, restored }, style) => {
  const kind =
    repository === "own"
      ? `a repository of its own, branch ${branch}`
      : repository === "in-tree"
        ? "files of the code; commit them yourself"
        : "plain files, outside of git";
  const how = joined !== undefined ? `Joined the home of ${joined}` : restored === true ? "Restored" : created ? "Made" : "Exists already";
  const lines = [`${style.green(how)}: ${home} (${kind})`, `Parts: ${parts.join(", ")}`, ...links.map((link) => `Linked into ${link}`)];
  if (workflow !== undefined) lines.push(`${workflow} checks it after you commit that file`);
  const agents = (parts as string[]).filter((part) => part !== "main" && part !== "human");
  const [first = "web"] = agents;
  const send = `relay send ${first} 'Hello' 'First message'`;
  // Outside of git there is no worktree that could say who works in it.
  const here =
    repository === "none" ? `name yourself in each call: ${send} --part main` : `in each worktree: relay part here ${first}. Then: ${send}`;
  if (created) lines.push(style.dim(agents.length === 0 ? `Next, add a part: relay part add web. Then ${here}` : `Next, ${here}`));
  if (created && repository === "own")
    lines.push(style.dim("Tools that read .gitignore alone pass it by with a line /.relay there: echo /.relay >> .gitignore"));
  return lines.join("\n");
};
