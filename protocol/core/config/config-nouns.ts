/** The configuration, and the guide that agents read first, as files of a home. SPEC.md, "relay.yml". */
import { FILE_BYTES } from "../format/schema.ts";
import { defineNoun, onlyAt, plainText } from "../noun/noun.ts";
import { ownConfig, parseConfig } from "./config.ts";
import { configEffects } from "./config-effects.ts";
import { CONFIG_PATH } from "./config-schema.ts";
import { mergeConfig } from "./merge-config.ts";

const SETTING = ["setting", "settings"] as const;

/** The configuration. */
export const config = defineNoun({
  kind: "config",
  words: SETTING,
  ...onlyAt(CONFIG_PATH),
  limit: FILE_BYTES.config,
  section: "SPEC.md, relay.yml",
  expected: "a configuration",
  parse: (source) => parseConfig(source),
  merge: { by: "text", join: (base, ours, theirs) => mergeConfig(base, ours.text, theirs.text) },
  effects: configEffects,
  guard: "kept",
  isEdited: true,
  edits: {
    isReadable: (text) => ownConfig(text) !== null,
  },
});

/** What agents read first. It comes from the template of the machine that checks it out: from a branch it could tell them anything. */
export const GUIDE_PATH = "RELAY.md";

/** The text that agents read first. */
export const guide = defineNoun({
  kind: "text",
  words: SETTING,
  ...onlyAt(GUIDE_PATH),
  limit: FILE_BYTES.memory,
  section: "SPEC.md, The tree",
  expected: "a text",
  parse: plainText,
  guard: "kept",
  isEdited: true,
});
