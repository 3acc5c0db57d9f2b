/** The name of a repository, from its address. spec/commands.md, "init". */

/** The name that git would give a clone: the last piece of a URL or path, without `.git`; empty where there is none. */
export function nameInUrl(url: string): string {
  const bare = url.replace(/[/\\]+$/, "").replace(/[/\\]?\.git$/, "");
  const name = /[^/\\:]*$/.exec(bare)?.[0] ?? "";
  return name === "." || name === ".." ? "" : name;
}
