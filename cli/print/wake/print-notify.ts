/** Prints for people: notifies. */
import type { Answer, Printer, Style } from "../style.ts";
import { ago, plain, plainLine } from "../words.ts";

type Shown = Answer<"notify_list">["notifies"][number];

/** What is run, or where it calls. */
const how = ({ argv, folder, url }: Pick<Shown, "argv" | "folder" | "url">): string =>
  argv === undefined
    ? `POST ${plainLine(url ?? "")}`
    : `${argv.map((word) => JSON.stringify(word)).join(" ")} (in ${plainLine(folder ?? "")})`;

const NO_PAGER = "No pager runs here, so nobody is told. To start one: relay pager start";

function listed(notify: Shown, style: Style): string {
  const { name, on, last } = notify;
  const went =
    last == null
      ? style.dim("nothing was sent yet")
      : `${last.ok ? style.green("told") : style.red("failed")} ${ago(last.at, style.now)}: ${last.event}, ${plainLine(last.detail)}`;
  return [`${style.bold(name)}  ${on.join(", ")}`, `  ${how(notify)}`, `  ${went}`].join("\n");
}

/** A notify that was added, and whether a pager runs it. */
export const printNotifyAdd: Printer<"notify_add"> = ({ replaced, pager, ...notify }, style) =>
  [
    `${style.green(replaced ? "Replaced" : "Added")} ${style.bold(notify.name)}, on this machine: ${notify.on.join(", ")}`,
    `  ${how(notify)}`,
    style.dim(`Try it: relay notify test ${notify.name}`),
    ...(pager ? [] : [NO_PAGER]),
  ].join("\n");

/** The notifies of this machine, a line each, and whether a pager runs them. */
export const printNotifyList: Printer<"notify_list"> = ({ notifies, pager }, style) =>
  notifies.length === 0
    ? "This machine tells nobody. To add a way: relay notify add -- PROGRAM, or --webhook URL."
    : [...notifies.map((each) => listed(each, style)), ...(pager ? [] : [NO_PAGER])].join("\n");

/** Which notify was removed. */
export const printNotifyRemove: Printer<"notify_remove"> = ({ removed }, style) => `${style.green("Removed")} ${removed}.`;

/** What the command of each notify did when it was tried. */
export const printNotifyTest: Printer<"notify_test"> = ({ tried }, style) =>
  tried
    .map(({ name, ok, detail, output }) =>
      [
        `${ok ? style.green("Told") : style.red("Failed")} ${style.bold(name)}: ${plainLine(detail)}`,
        ...(output === ""
          ? []
          : plain(output)
              .split("\n")
              .map((line) => `  ${style.dim("│")} ${line}`)),
      ].join("\n"),
    )
    .join("\n");
