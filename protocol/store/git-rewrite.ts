/** A history made again without some contents: by git's own export and import, of which only the names of the contents are read. */
import { once } from "node:events";
import { refuse } from "../refusal.ts";
import { type Repository, startGit } from "./git-run.ts";
import { gitStream, Reader } from "./git-stream.ts";

/**
 * Makes a branch that is another without some contents, under whatever paths they are in every commit.
 * @param from a branch, `refs/heads/…`
 * @param to the branch that is made, or made anew
 * @param without names of contents
 * @throws Refusal `git_failed`
 */
export async function rewriteWithout(repository: Repository, from: string, to: string, without: ReadonlySet<string>): Promise<void> {
  const shape = ["--no-data", "--reencode=no", "--signed-tags=strip"];
  const exported = new Reader(gitStream(repository, ["fast-export", ...shape, `--refspec=${from}:${to}`, from]));
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
      const line = await exported.line("latin1");
      if (line === "" && exported.isAtEnd) break;
      // `M <mode> <content> <path>`: the only lines that name a content. What a commit says follows `data <bytes>`.
      if (without.has(/^M \d+ ([0-9a-f]{40,64}) /.exec(line)?.[1] ?? "")) continue;
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
