/** The days of the chart. */

/** A day in the reader's zone, `yyyy-mm-dd`. */
export const dayKey = (day: Date): string =>
  `${day.getFullYear()}-${String(day.getMonth() + 1).padStart(2, "0")}-${String(day.getDate()).padStart(2, "0")}`;

/** So many columns are drawn, the newest days. */
const MOST_DAYS = 120;

/**
 * The days to draw, from the first of the period to the last, the empty ones too. What a push, or a clock, dated after tomorrow is no
 * day of the chart.
 * @param keys days as `YYYY-MM-DD` on which something was called, in order
 * @param since the first day of the period; undefined begins with the first of `keys`
 * @param now the last instant of the period
 */
export function everyDay(keys: readonly string[], since: string | undefined, now: Date): string[] {
  const tomorrow = new Date(now);
  tomorrow.setDate(tomorrow.getDate() + 1);
  const [today, latest] = [dayKey(now), dayKey(tomorrow)];
  const first = since ?? keys[0] ?? today;
  const last = keys.includes(latest) ? latest : today;
  const days: string[] = [];
  const day = new Date(`${last}T12:00:00`);
  while (days.length < MOST_DAYS && !Number.isNaN(day.getTime())) {
    const key = dayKey(day);
    if (key < first) break;
    days.unshift(key);
    day.setDate(day.getDate() - 1);
  }
  return days;
}
