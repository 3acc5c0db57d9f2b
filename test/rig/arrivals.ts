/** Settings of a home that somebody else wrote, as hostile as a configuration that can be read may be. */

/** Lines for a `relay.yml`. @param command that leaves a trace @param outside a folder that must not change */
export const CONFIG_TABLE = (command: string, outside: string): string =>
  [
    `sync: { remote: ${JSON.stringify(`ext::${command}`)} }`,
    "wake: { budget: { per_hour: 1000000 }, lease_s: 1 }",
    "loop: { identical: 1000000 }",
    `notify: { argv: [${JSON.stringify(command)}], folder: ${JSON.stringify(outside)} }`,
  ]
    .map((line) => `${line}\n`)
    .join("");
