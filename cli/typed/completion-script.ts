/** The script that a shell reads for completion. */
import { refuse } from "../../protocol/core/refusal.ts";

/** The script of each shell. */
export const SCRIPTS: Record<string, string> = {
  // Lines as they are: `compgen -W` would expand each as a word of the shell, commands in it included.
  bash: `_relay() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(relay __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _relay relay git-relay
`,
  zsh: `#compdef relay git-relay
_relay() {
  local -a found
  found=(\${(f)"$(relay __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  compadd -a found
}
if [ "$funcstack[1]" = "_relay" ]; then _relay; else compdef _relay relay git-relay; fi
`,
  fish: `complete -c relay -f -a '(relay __complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
complete -c git-relay -f -a '(relay __complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
};

/** The completion script of a shell. @throws Refusal `usage` */
export function completionScript(shell: string): string {
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script === undefined)
    throw refuse("usage", {
      problem: `<shell>: expected ${Object.keys(SCRIPTS).join(", ")}, given ${JSON.stringify(shell)}.`,
      help: "Example: `relay completion bash`.",
    });
  return script;
}
