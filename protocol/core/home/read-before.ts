/**
 * What `relay.yml` says, kept on this machine as JSON: reading a long one as YAML would be most of what a call costs, and reading
 * a short one a good part of what a command does.
 * spec/trust.md, "What this machine keeps".
 */

import { sha256 } from "../../store/digest.ts";
import { place } from "../../store/write/publish.ts";
import { findMachineStore, machineStore, readMachine } from "../../trust/files/machine.ts";
import type { ReadBefore, Settings } from "../config/config.ts";
import { orElse } from "../format/file-error.ts";
import type { World } from "../world.ts";

declare const RELAY_VERSION: string;

/** One file, of the text that was read last. */
const KEPT = "relay-yml.json";
/** Of a text of so many characters nothing is kept unless this machine keeps something for the project already. */
const SHORT = 8_192;
/** What aliases multiply is not kept. */
const KEPT_BYTES = 262_144;

/** What is kept of one text. */
interface Kept {
  /** The version that read it. */
  relay: string;
  /** SHA-256 of the text and of the settings as JSON, with a NUL between them: a file that is spoiled does not fit. */
  digest: string;
  settings: Settings;
}

const digestOf = (source: string, settings: unknown): string => sha256(`${source}\0${JSON.stringify(settings)}`);

/**
 * What this machine keeps of the configuration of a home. Nothing here fails: what is missing, spoiled, or of another text or
 * version is read as YAML again, and where nothing can be written each call does so.
 * @param world the world of that home, once it is known
 */
export function readBefore(world: () => World): ReadBefore {
  return {
    find: (source) => {
      return orElse(undefined, () => {
        const kept = JSON.parse(readMachine(world(), KEPT, KEPT_BYTES) ?? "null") as Partial<Kept> | null;
        return kept?.relay === RELAY_VERSION && kept.digest === digestOf(source, kept.settings) ? kept.settings : undefined;
      });
    },
    keep: (source, settings) => {
      try {
        const store = source.length > SHORT ? machineStore(world()) : findMachineStore(world());
        if (store === null) return;
        const text = `${JSON.stringify({ relay: RELAY_VERSION, digest: digestOf(source, settings), settings } satisfies Kept)}\n`;
        // Numbers such as infinity are YAML and no JSON: what would come back otherwise is not kept.
        const isSame = process.getBuiltinModule("node:util").isDeepStrictEqual((JSON.parse(text) as Kept).settings, settings);
        // What a power cut takes is read again, so no call waits until the disk has it.
        if (isSame && text.length <= KEPT_BYTES) place({ ...store, durable: false }, KEPT, text);
      } catch {
        // The state folder is read-only, or there is none that may be trusted.
      }
    },
  };
}
