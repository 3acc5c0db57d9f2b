/** Addresses of repositories: what a package is installed from, and the name that a clone is given. spec/commands.md, "init". */

/** The only characters allowed in one: none has a meaning for a shell, YAML or GitHub Actions. */
const PLAIN = /^[A-Za-z0-9._~:/@%+,=-]+$/;
/** `git@example.com:shop/relay.git`, as people write ssh. */
const BRIEF_SSH = /^([A-Za-z0-9._-]+)@([A-Za-z0-9.-]+):(?!\/\/)\/?(.+)$/;

/**
 * Pins a package to a commit of the repository that it came from.
 * @param origin the URL of that repository, as git has it
 * @returns null of what others cannot reach or must not see: a path, another protocol than https and ssh, a password
 */
export function installUrl(origin: string, commit: string): string | null {
  const url = origin.trim().replace(BRIEF_SSH, "ssh://$1@$2/$3");
  if (!PLAIN.test(url) || !URL.canParse(url)) return null;
  const { protocol, username, password, hostname } = new URL(url);
  const isOpen = protocol === "https:" ? username === "" : protocol === "ssh:";
  return isOpen && password === "" && hostname !== "" ? `git+${url}#${commit}` : null;
}

/** The name that git would give a clone: the last piece of a URL or path, without `.git`; empty where there is none. */
export function nameInUrl(url: string): string {
  const bare = url.replace(/[/\\]+$/, "").replace(/[/\\]?\.git$/, "");
  const name = /[^/\\:]*$/.exec(bare)?.[0] ?? "";
  return name === "." || name === ".." ? "" : name;
}
