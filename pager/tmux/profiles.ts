/** How the terminals of agents look: each host's own screen, and one for every other program. `screen.ts` reads screens by them. */

import type { HostScreen } from "../../protocol/agents/hosts/host.ts";
import { HOSTS, type HostName } from "../../protocol/agents/hosts/index.ts";

/** What an agent's terminal looks like. */
export interface Profile extends HostScreen {
  name: ProfileName;
}
export type ProfileName = HostName | "generic";

/** Programs that are no agent, besides shells. */
const OTHERS =
  /^(?!(?:ba|z|da|k|mk|c|tc|fi|a|nu|pw|power|el|xon)?sh$|nu$|login$|su$|sudo$|passwd$|gpg|pinentry|tmux|screen$|vim?$|vimdiff$|view$|nvim$|emacs|nano$|pico$|micro$|hx$|helix$|kak$|joe$|ed$|ex$|mc$|mcedit$|less$|more$|most$|man$|fzf$|gum$|dialog$|whiptail$|ssh|mosh|ftp$|sftp$|telnet$|top$|htop$|git$|tig$|lazygit$|gitui$|tail$|watch$|psql$|mysql$|sqlite3$|R$|irb$|lua|nslookup$)/;

const GENERIC: Profile = {
  name: "generic",
  prompt: /^\s?(?:│ )?[>❯›][ \u00a0]/,
  closing: /\s*│?$/,
  busy: [/\b(esc|ctrl-c|ctrl\+c) to (interrupt|cancel|stop)\b/i],
  dialog: [],
  dialogHidesInput: false,
  showsTold: false,
  processes: OTHERS,
};

/** In the order in which a program is held against them: the last fits any. */
export const PROFILES: readonly Profile[] = [
  ...HOSTS.flatMap(({ name, screen }) => (screen === undefined ? [] : [{ name, ...screen }])),
  GENERIC,
];

/** The profile of a name; undefined where none has it. */
export const profileOf = (name: string | undefined): Profile | undefined => PROFILES.find((profile) => profile.name === name);
