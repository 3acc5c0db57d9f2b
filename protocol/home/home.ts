/** An open home: its store and its configuration. */
import { CONFIG_PATH, type Config, editConfig, FORMAT, parseConfig } from "../objects/config.ts";
import { type ConfigEdit, ConfigError } from "../objects/config-text.ts";
import { LIMITS } from "../objects/schema.ts";
import { refuse } from "../refusal.ts";
import { ContentError, facts, readText } from "../store/read.ts";
import { replaceFile } from "../store/replace.ts";
import { openStore, type Store } from "../store/root.ts";

/** A home that was found. */
export interface Home {
  readonly store: Store;
  /** The configuration as it is now on disk. @throws Refusal `malformed_file`, `unsupported_format`, `no_home` */
  config(): Config;
}

/** Opens a home by the path of its folder. Reads nothing yet. */
export function openHome(root: string): Home {
  const store = openStore(root);
  let known: { sign: string; config: Config } | null = null;
  return {
    store,
    config() {
      const fact = facts(store, CONFIG_PATH);
      if (fact === null) throw refuse("no_home", { looked: root });
      const sign = `${fact.inode} ${fact.size} ${fact.modifiedMs}`;
      if (known?.sign !== sign) {
        known = { sign, config: loadConfig(store) };
        store.durable = known.config.durable;
      }
      return known.config;
    },
  };
}

/** The same home for one call: what that call checked and passed over is its own, whatever others do at the same time. */
export function forOneCall(home: Home): Home {
  const { root, lockStaleMs } = home.store;
  const store: Store = {
    root,
    lockStaleMs,
    checked: new Set(),
    skipped: new Set(),
    // It is `relay.yml` that says so, and it may be read again at any time.
    get durable() {
      return home.store.durable;
    },
    set durable(durable) {
      home.store.durable = durable;
    },
  };
  return { store, config: () => home.config() };
}

/** Whether a home is still where it was opened; it may be removed, or moved away and back. */
export const isThere = ({ store }: Home): boolean => facts(store, CONFIG_PATH) !== null;

function loadConfig(store: Store): Config {
  return explained(() => {
    const source = readText(store, CONFIG_PATH, LIMITS.configBytes);
    if (source === null) throw refuse("no_home", { looked: store.root });
    return parseConfig(source);
  });
}

function explained<T>(step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (error instanceof ConfigError && error.format !== undefined) {
      throw refuse("unsupported_format", { path: CONFIG_PATH, given: error.format, supported: FORMAT });
    }
    if (error instanceof ConfigError) throw refuse("malformed_file", { path: CONFIG_PATH, line: error.line, problem: error.message });
    if (error instanceof ContentError) throw refuse("malformed_file", { path: CONFIG_PATH, problem: error.message });
    throw error;
  }
}

/**
 * Changes `relay.yml`; comments and unknown fields stay.
 * @param edit makes the change from the configuration as it is, and may throw to refuse; null changes nothing
 */
export async function changeConfig(home: Home, edit: (config: Config) => ConfigEdit | null): Promise<void> {
  await replaceFile(home.store, CONFIG_PATH, LIMITS.configBytes, (source) =>
    explained(() => {
      if (source === null) throw refuse("no_home", { looked: home.store.root });
      const change = edit(parseConfig(source));
      return change === null ? null : editConfig(source, change);
    }),
  );
}
