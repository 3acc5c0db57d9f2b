/** Refusals about finding a home, making one, and the files of the project around it. */
import { pathWord, shellWord } from "../format/shell-word.ts";
import { EXIT, entry, quote } from "./entry.ts";

/** Removes files of one machine that the code tracks; files that it does not track stay. @param home the name of the home's folder */
export const removeTracked = (home: string): string =>
  `git rm -r --force --ignore-unmatch -- ${["outbox", "local", "run"].map((folder) => pathWord(`${home}/${folder}`)).join(" ")}`;

/** Code → the exit code of a refusal, and its sentence by its data. */
export const HOME_REFUSALS = {
  no_home: entry(EXIT.noHome, (d: { looked: string; recorded?: boolean; tracked?: string; top?: string; absent?: boolean }) =>
    d.absent !== undefined
      ? d.absent
        ? `there is no folder ${quote(d.looked)}. Correct \`--home\`, or RELAY_HOME.`
        : `${quote(d.looked)} is no Relay home, and has none. Make one with \`relay init\` there, or correct \`--home\`, or RELAY_HOME.`
      : d.tracked !== undefined
        ? `the home's files are gone from this checkout (searched from ${d.looked} upward), but the last commit has them. ` +
          `Restore them in ${d.top}: \`git checkout -- ${pathWord(d.tracked)}\`. If the deletion is staged: \`git checkout HEAD -- ${pathWord(d.tracked)}\`.`
        : d.recorded === true
          ? `the home's folder is gone (searched from ${d.looked} upward), but its last commit still exists. Restore it with \`relay doctor --fix\`.`
          : `no Relay home found from ${d.looked} upward. Make one with \`relay init\` in the repository, or name one with \`--home\` or RELAY_HOME.`,
  ),
  home_tracked: entry(
    EXIT.refused,
    (d: { path: string }) =>
      `the code repository tracks files under ${d.path}, so a switch of branches would delete a home there. ` +
      "Use `relay init --in-tree` to keep the home as files of the code, or remove these files from the code first.",
  ),
  home_checked_out: entry(
    EXIT.refused,
    (d: { folder: string; branch: string; other: string | null }) =>
      `${d.folder} is a checkout of ${quote(d.branch)}, the branch of a home, and not of the code. Nothing was made. ` +
      (d.other === null
        ? `The remote has no branch of code yet. Begin one: \`git -C ${shellWord(d.folder)} switch --orphan main\`, commit the code and push it. Then run \`relay init\` there.`
        : `Switch to the code: \`git -C ${shellWord(d.folder)} switch ${shellWord(d.other)}\`, then run \`relay init\` there. ` +
          `For the next clone, make ${quote(d.other)} the default branch of the remote.`),
  ),
  not_in_git: entry(EXIT.refused, (d: { path: string; hint: string }) => `${d.path} is not inside a git working tree. ${d.hint}.`),
  no_home_in_commit: entry(
    EXIT.noHome,
    (d: { given: string; commit: string }) =>
      `${quote(d.given)} (${d.commit.slice(0, 12)}) has no home: expected "relay.yml" or ".relay/relay.yml" in its tree. Example: "origin/relay".`,
  ),
  file_differs: entry(
    EXIT.refused,
    (d: { path: string }) =>
      `${d.path} exists and has other contents, so it was left as it is. Move it away and try again, or add what is missing by hand.`,
  ),
  through_link: entry(
    EXIT.refused,
    (d: { path: string; link: string; target: string }) =>
      `${d.path} would be written through ${d.link === d.path ? "" : `${d.link}, `}a link to ${d.target}. Relay writes no file of a project through a link, because the link may lead anywhere. ` +
      "Nothing was written. Replace the link by a file or folder of its own.",
  ),
  home_contradicted: entry(
    EXIT.refused,
    (d: { environment: string; folder: string; found: string }) =>
      `RELAY_HOME names ${d.environment}, but ${d.folder} belongs to ${d.found}. One of the two is out of date, so nothing was done. ` +
      "Unset the variable (`unset RELAY_HOME`) and start the agent again, or name the home with `--home`.",
  ),
  tracked_settings: entry(
    EXIT.refused,
    (d: { path: string; agent: string }) =>
      `git tracks ${d.path}, so a permission for ${d.agent} in it would count on every machine that has the code. Nothing was written. ` +
      `Remove the file from git first (\`git rm --cached -- ${pathWord(d.path)}\`, then commit), or set up without \`--allow\`.`,
  ),
  tracked_state: entry(EXIT.refused, (d: { folder: string; home: string; whole?: boolean }) =>
    d.whole === true
      ? `${d.home} came with the code, as a submodule or a link. So Relay does not trust it, and wrote nothing. ` +
        `Remove it in ${d.folder}: \`git rm -r --force -- ${pathWord(d.home)}\`, commit, then \`relay init\`.`
      : `the code tracks files of ${d.home}/outbox, ${d.home}/local or ${d.home}/run, which belong to one machine. So Relay does not trust them, and wrote nothing. ` +
        `\`relay doctor\` lists them. Remove them in ${d.folder}: \`${removeTracked(d.home)}\`, then commit.`,
  ),
  not_own_home: entry(
    EXIT.refused,
    (d: { home: string; folder: string; problem: string }) =>
      `${d.home} may be somebody else's: ${d.problem}. So Relay reads it, and wrote nothing. ` +
      `If you trust it, say so to git, and Relay trusts it too: \`git config --global --add safe.directory ${shellWord(d.folder)}\`.`,
  ),
  inner_home: entry(
    EXIT.refused,
    (d: { inner: string; outer: string }) =>
      `${d.inner} is a second home in the repository of ${d.outer}, and may have come with the code, so neither is used here. ` +
      `Remove it (\`rm -r -- ${shellWord(d.inner)}\`), or name one of them with \`--home\` or RELAY_HOME.`,
  ),
  linked_home: entry(
    EXIT.refused,
    (d: { path: string; target: string }) =>
      `${d.path} is a link to ${d.target}, and may have come with the folder, so Relay does not follow it. ` +
      `Remove it (\`rm -- ${shellWord(d.path)}\`), or name the home with \`--home\` or RELAY_HOME.`,
  ),
};
