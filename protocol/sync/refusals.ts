/** Refusals about remotes and syncs. */
import { shellWord } from "../core/format/shell-word.ts";
import { EXIT, entry, quote } from "../core/refusals/entry.ts";

const where = (urls: readonly string[]): string => (urls.length === 0 ? "" : ` (${urls.join(", ")})`);

type Changed = { remote: string; urls: string[]; other: string; other_urls: string[]; by: string; branch?: string };

/** Where a sync would go now, and who says so. */
function nowTo({ by, other, other_urls: urls }: Changed): string {
  if (by === "git") return `git now has ${urls.length === 0 ? "nothing" : urls.join(", ")} for ${quote(other)}`;
  return `${by} names ${quote(other)}${urls.length === 0 ? " (not a remote of the code)" : where(urls)}`;
}

/** Code → the exit code of a refusal, and its sentence by its data. */
export const SYNC_REFUSALS = {
  no_remote: entry(
    EXIT.noRemote,
    (d: { given: string | null; known: string[] }) =>
      `the code's repository has no remote${d.given === null ? "" : ` ${quote(d.given)}`}, so there is nothing to sync with. ` +
      "Your changes are recorded here. " +
      (d.known.length === 0
        ? "Add a remote (`git remote add origin URL`), or name one: `relay sync --remote URL`."
        : `Name one of its remotes (${d.known.join(", ")}), or a URL: \`relay sync --remote ${shellWord(d.known[0] as string)}\`.`),
  ),
  remote_unreachable: entry(EXIT.offline, (d: { remote: string; reason: string }, { operation }) =>
    operation === "clone"
      ? `${d.remote} cannot be reached: ${d.reason}. Nothing was made. Try again when it can be reached: \`relay clone ${shellWord(d.remote)}\`.`
      : `${d.remote} cannot be reached: ${d.reason}. Your changes are recorded here, and work goes on. Run \`relay sync\` again when it can be reached.`,
  ),
  remote_refused: entry(
    EXIT.remote,
    (d: { remote: string; reason: string }) =>
      `${d.remote} refused the push: ${d.reason}. Your changes are recorded here, and nothing is lost. Correct that on the remote, then run \`relay sync\` again.`,
  ),
  remote_rewritten: entry(
    EXIT.remote,
    (d: { remote: string; branch: string; was: string; is: string | null }) =>
      `somebody ${d.is === null ? "deleted" : "rewrote"} the branch ${d.branch} of ${d.remote}: it was at ${d.was.slice(0, 12)} before, and ` +
      `${d.is === null ? "is gone" : `${d.is.slice(0, 12)} does not contain that`}. Nothing was changed, here or there. ` +
      (d.is === null
        ? "Ask who did it. To push what this clone has: `relay sync --accept both`."
        : "Ask who did it, and why. If it was on purpose, take the branch as it is: `relay sync --accept theirs`. " +
          "Everything else then goes to local/forgotten. If not, push all that this clone has: `relay sync --accept both`."),
  ),
  remote_changed: entry(EXIT.remote, (d: Changed) =>
    d.branch !== undefined
      ? `this copy of the project syncs the branch ${quote(d.branch)} with ${quote(d.remote)}${where(d.urls)}, but the home is on ${quote(d.other)} now. ` +
        `Nothing was fetched or pushed. To go on as before: \`cd .relay && git switch ${shellWord(d.branch)}\`. ` +
        `To change, if a person wants that: \`relay sync --remote ${shellWord(d.remote)}\`.`
      : `this copy of the project syncs with ${quote(d.remote)}${where(d.urls)}, but ${nowTo(d)}. Nothing was fetched or pushed. ` +
        `${d.by === "git" ? "" : `To go on as before: \`relay sync --remote ${shellWord(d.remote)}\`. `}` +
        (d.other_urls.length === 0
          ? "To choose another: `relay sync --remote NAME`."
          : `To change, if a person wants that: \`relay sync --remote ${shellWord(d.other)}\`.`),
  ),
  remote_not_chosen: entry(EXIT.noRemote, (d: { remote: string; urls: string[]; odd?: string }) =>
    d.odd === undefined
      ? `nobody chose a remote on this machine yet, so Relay publishes nothing by itself. It would be ${quote(d.remote)}${where(d.urls)}. ` +
        "Run `relay sync` once to choose it, or `relay sync --remote NAME` to choose another."
      : `Relay does not choose ${quote(d.remote)}${where(d.urls)} by itself: ${d.odd}. Nothing was fetched or pushed. ` +
        `If it is right: \`relay sync --remote ${shellWord(d.remote)}\`.`,
  ),
  insecure_remote: entry(
    EXIT.refused,
    (d: { remote: string; url: string }) =>
      `${d.remote} has the address ${d.url}, which anybody on the network can read and change. Nothing was fetched or pushed. ` +
      `Give it an https or ssh URL, or accept this one: \`relay sync --remote ${shellWord(d.remote)}\`.`,
  ),
  bad_remote: entry(
    EXIT.refused,
    (d: { given: string; problem: string }) =>
      `${quote(d.given)} is not an address that Relay gives to git: ${d.problem}. Example: "https://example.com/team/shop.git".`,
  ),
  remote_damaged: entry(
    EXIT.remote,
    (d: { remote: string; ref: string; commit: string | null; object: string; fault: string; reason: string }) =>
      `${d.ref} of ${d.remote}${d.commit === null ? "" : ` (commit ${d.commit.slice(0, 12)})`} has an object that git should not take: ${d.object.slice(0, 12)}, ${d.fault}: ${d.reason}. ` +
      "Nothing was fetched or pushed, and your changes are recorded here. " +
      "To put the last good commit back, in a clone that synced with it before: `relay sync --repair`.",
  ),
  remote_too_large: entry(
    EXIT.remote,
    (d: { remote: string; bytes: number }) =>
      `${d.remote} had sent ${Math.round(d.bytes / 1_048_576)} MB when Relay ended the fetch; expected at most 512 MB, or four times the size of the home. Of names of refs it takes 64 MB. ` +
      "Nothing was taken, and your changes are recorded here. Look at its branch with git before you go on.",
  ),
  foreign_branch: entry(
    EXIT.refused,
    (d: { remote: string; branch: string }) =>
      `the branch ${d.branch} of ${d.remote} has no home (no relay.yml), so Relay changed nothing. Choose another branch for the home: \`relay init --branch NAME\`.`,
  ),
  login_needed: entry(
    EXIT.login,
    (d: { remote: string; reason: string }) =>
      `${d.remote} asks for a login, and Relay never waits at a prompt: ${d.reason}. ` +
      "Log in once with git itself (a credential helper, an ssh agent), then run `relay sync` again.",
  ),
};
