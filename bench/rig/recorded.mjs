/** Homes whose messages were recorded as they came: a commit for every few days, as a year of work leaves them. */
import fs from "node:fs";
import path from "node:path";
import { makeHome } from "./homes.mjs";
import { childEnv, relay, run } from "./measure.mjs";

const COMMITS = 20;

/** A code repository with a home of so many messages in twenty commits and one of all the rest. @returns its folder */
export function makeRecordedHome(count) {
  const folder = makeHome(count);
  const home = path.join(folder, ".relay");
  const days = fs.readdirSync(path.join(home, "threads")).sort();
  const many = Math.ceil(days.length / COMMITS);
  for (let at = 0; at < days.length; at += many) {
    const some = days.slice(at, at + many);
    const places = some.flatMap((day) => [`threads/${day}`, ...readDays(home, day)]);
    run("git", ["add", "--", ...places], home);
    const date = `${some.at(-1)}T12:00:00Z`;
    const env = { ...childEnv, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
    // Git tidies nothing beside it: a folder of objects that it removes meanwhile may be one that the next commit writes in.
    const set = ["gc.auto=0", "user.name=bench", "user.email=bench@localhost"].flatMap((each) => ["-c", each]);
    run("git", [...set, "commit", "--quiet", "--message", `relay: ${some[0]}`], home, env);
  }
  // Git tidies such a home by itself after a record, and would do it in the middle of a measurement.
  run("git", ["gc", "--quiet"], home);
  relay(folder, "record");
  return folder;
}

const readDays = (home, day) =>
  fs
    .readdirSync(path.join(home, "inbox"))
    .map((part) => `inbox/${part}/read/${day}`)
    .filter((at) => fs.existsSync(path.join(home, at)));
