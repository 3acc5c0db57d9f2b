/** How long ago or ahead an instant is, as all texts say it. spec/messages.md, "A turn". */

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

/** A length of time in its largest whole unit, such as `5m`. @param seconds 0 or more */
function lengthOf(seconds: number): string {
  if (seconds < MINUTE) return `${Math.floor(seconds)}s`;
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)}m`;
  return seconds < 2 * DAY ? `${Math.floor(seconds / HOUR)}h` : `${Math.floor(seconds / DAY)}d`;
}

/** Seconds that are `now`, on both sides. */
const NOW = 10;

/**
 * Says how long ago an instant was, or in what time it comes: `now`, `5m ago`, `in 12m`.
 * @param iso ISO 8601
 * @param nowMs milliseconds since the epoch
 * @returns `?` where it is no instant
 */
export function ageOf(iso: string, nowMs: number): string {
  const seconds = (nowMs - Date.parse(iso)) / 1_000;
  if (Number.isNaN(seconds)) return "?";
  if (Math.abs(seconds) < NOW) return "now";
  // What lasts an hour from now ends in 1h, a moment later, too.
  return seconds > 0 ? `${lengthOf(seconds)} ago` : `in ${lengthOf(-seconds < MINUTE ? -seconds : -seconds + NOW)}`;
}
