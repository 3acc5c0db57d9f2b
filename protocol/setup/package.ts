/** Setup, as a package: what hosts and projects need of Relay. */
import type { Package } from "../core/package.ts";

/** What setup gives to `doctor`. */
export const setup: Package = {
  probes: {
    // Loaded when it is needed: it knows JSON and TOML as people write them, which no other command needs.
    async *agents(world) {
      yield* (await import("./files/examine-agents.ts")).examineAgents(world);
    },
  },
};
