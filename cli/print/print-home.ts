/** What people see of the home: how it was made, its parts, its health. */
import { many, type Printers, plainLine, table } from "./style.ts";

/** The printers of the home, by operation. */
export const homePrinters: Printers = {
  init: ({ home, created, parts, repository, branch, links, workflow, joined, restored }, style) => {
    const kind =
      repository === "own"
        ? `a repository of its own, branch ${branch}`
        : repository === "in-tree"
          ? "files of the code; commit them yourself"
          : "plain files, outside of git";
    const how =
      joined !== undefined ? `Joined the home of ${joined}` : restored === true ? "Brought back" : created ? "Made" : "There already";
    const lines = [
      `${style.green(how)}: ${home} (${kind})`,
      `Parts: ${parts.join(", ")}`,
      ...links.map((link: string) => `Linked into ${link}`),
    ];
    if (workflow !== undefined) lines.push(`Checked by ${workflow} once you commit it`);
    const agents = (parts as string[]).filter((part) => part !== "main" && part !== "human");
    const here = `in each worktree: relay part here ${agents[0] ?? "web"}. Then: relay send ${agents[1] ?? agents[0] ?? "web"} 'Hello' 'First message'`;
    if (created)
      lines.push(style.dim(agents.length === 0 ? `Next, name who works here: relay part add web. Then ${here}` : `Next, ${here}`));
    return lines.join("\n");
  },
  part_add: ({ part }, style) => `${style.green("Added")} ${part}`,
  part_rename: ({ part, formerly }, style) => `${style.green("Renamed")} ${formerly} to ${part}; its mail came along.`,
  part_remove: ({ part, unread }, style) =>
    `${style.green("Removed")} ${part}${unread > 0 ? `; ${many(unread, "message")} stayed unread in inbox/${part}` : ""}.`,
  part_set_main: ({ main, before }, style) => `${style.green("Main")} is ${main} now; it was ${before}.`,
  part_here: ({ part, worktree }) =>
    part === null ? `This worktree is no part. \`relay part here web\` makes it one.` : `This worktree is ${part} (kept in ${worktree}).`,
  part_list: ({ main, parts }, style) =>
    table(
      parts.map(({ part, about, session }: { part: string; about?: string; session?: string }) => [
        { text: part, paint: style.bold },
        [part === main ? "main" : "", session === undefined ? "" : `guest of ${session}`, about === undefined ? "" : plainLine(about)]
          .filter((note) => note !== "")
          .join(" · "),
      ]),
      style,
    ),
  upgrade: ({ format, before }, style) =>
    format === before
      ? `The home has format ${format} already.`
      : `${style.green("Upgraded")} to format ${format}. Clones whose Relay is older refuse this home once they have synced: upgrade Relay there first.`,
  config_show: ({ text, problem }, style) => (problem === null ? text : `${style.dim("# the last good version")}\n${text}`).trimEnd(),
  config_accept: ({ accepted }, style) =>
    accepted.length === 0
      ? "Every setting counts as relay.yml says."
      : `${style.green("Accepted")} on this machine: ${accepted.join(", ")}.`,
  config_restore: ({ restored, kept, sent }, style) =>
    [
      restored
        ? `${style.green("Restored")} relay.yml${kept === null ? "" : `; what was there is kept in .relay/${kept}`}.`
        : "relay.yml can be read, so it stays as it is.",
      ...(sent === undefined ? [] : [sent ? "It was sent." : "There was nothing to send."]),
    ].join("\n"),
  doctor: ({ ok, home, findings, fixed, looked }, style) => {
    const paints = { error: style.red, warning: style.yellow, note: style.dim };
    const lines = findings.map(
      (finding: {
        severity: keyof typeof paints;
        code: string;
        path?: string;
        line?: number;
        problem: string;
        remedy?: string;
        fixable: boolean;
      }) => {
        const where =
          finding.path === undefined ? "" : `${plainLine(finding.path)}${finding.line === undefined ? "" : `:${finding.line}`}: `;
        const what = finding.fixable ? " (--fix puts it right)" : finding.remedy === undefined ? "" : ` → ${finding.remedy}`;
        return `${paints[finding.severity](finding.severity.padEnd(7))} ${where}${plainLine(finding.problem)}${style.dim(what)}`;
      },
    );
    const fixes = fixed.map((text: string) => `${style.green("fixed  ")} ${plainLine(text)}`);
    const seen = (looked as string[]).map((what) => style.dim(`looked at ${what}`));
    return [...seen, ...fixes, ...lines, ok ? `${style.green("Healthy")}: ${home}` : `${style.red("Look at the above")}: ${home}`].join(
      "\n",
    );
  },
};
