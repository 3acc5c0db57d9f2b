/** A history made again with other contents: by git's own export and import, of which only the names of the contents are read. */
import { once } from "node:events";
import { refuse } from "../core/refusal.ts";
import { type Repository, startGit } from "./git-run.ts";
import { gitStream, StreamReader } from "./git-stream.ts";

/**
 * Makes a branch that is another with other contents, or without some, in every commit. Where a file is left out of a commit it stays
 * as it was before.
 * @param from a branch, `refs/heads/…`
 * @param to the branch that is made, or made anew
 * @param becomes the content that a path has instead of one, which may be the same; null where it is left out. A path comes as git
 *   writes it: in quotes where it is not plain
 * @throws Refusal `git_failed`
 */
export async function rewriteBranch(
  repository: Repository,
  from: string,
  to: string,
  becomes: (path: string, content: string) => string | null,
): Promise<void> {
  const shape = ["--no-data", "--reencode=no", "--signed-tags=strip"];
  const exported = new StreamReader(gitStream(repository, ["fast-export", ...shape, `--refspec=${from}:${to}`, from]));
  const importing = startGit(repository, ["fast-import", "--quiet", "--force"]);
  let reason = "";
  importing.stderr.setEncoding("utf8").on("data", (text: string) => {
    reason = (reason + text).slice(-2_000);
  });
  importing.stdout.resume();
  importing.stdin.on("error", () => {
    // It ended before it took everything; its exit code and its words say why.
  });
  const closed = once(importing, "close") as Promise<[number | null]>;
  const write = async (bytes: string | Buffer): Promise<void> => {
    if (!importing.stdin.write(bytes) && importing.exitCode === null) await Promise.race([once(importing.stdin, "drain"), closed]);
  };
  try {
    for (;;) {
      const given = await exported.line("latin1");
      if (given === "" && exported.isAtEnd) break;
      // `M <mode> <content> <path>`: the only lines that name a content. What a commit says follows `data <bytes>`.
      const [, mode = "", content = "", path = ""] = /^M (\d+) ([0-9a-f]{40,64}) (.+)$/.exec(given) ?? [];
      const instead = path === "" ? "" : becomes(path, content);
      if (instead === null) continue;
      const line = path === "" ? given : `M ${mode} ${instead} ${path}`;
      await write(Buffer.from(`${line}\n`, "latin1"));
      const length = /^data (\d+)$/.exec(line)?.[1];
      if (length !== undefined) await write(Buffer.from(await exported.bytes(Number(length))));
    }
  } finally {
    await exported.end();
    importing.stdin.end();
  }
  const [code] = await closed;
  if (code !== 0) throw refuse("git_failed", { command: "git fast-import", reason: reason.trim() });
}
