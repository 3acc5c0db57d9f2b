/** How large each kind of file may be, in bytes: a larger one is not read. SPEC.md, "Limits". */
import { LIMITS } from "./schema.ts";

/** Bytes at the most, by kind of file. */
export const FILE_BYTES = {
  config: LIMITS.configBytes,
  message: LIMITS.messageBytes,
  thread: LIMITS.threadBytes,
  archive: 16_777_216,
  guest: 8_192,
  session: 8_192,
  summary: 1_048_576,
  task: 1_048_576,
  claim: 8_192,
  artifact: 8_192,
  content: 4 * 524_288,
  review: 262_144,
  memory: 4 * 1_048_576,
  team: 1_048_576,
  label: 1_088,
  events: 268_435_456,
} as const;

/** What no file of a home has, whatever its kind: it is neither checked out nor joined with another. */
export const MOST_BYTES = 33_554_432;
