/** What `doctor` asks of other packages: each examines what it has on this machine. */
import type { Finding } from "../core/format/finding.ts";
import type { World } from "../core/world.ts";

/** Examines one thing that only this machine knows. It writes nothing; each finding's `fix` would. */
export type Probe = (world: World) => Iterable<Finding> | AsyncIterable<Finding>;

declare module "../core/package.ts" {
  interface Package {
    /** Examines what the package has on this machine, by what `doctor` calls it. */
    probes?: { readonly [Looked in "wakes" | "agents" | "office" | "grants" | "claims"]?: Probe };
  }
}
