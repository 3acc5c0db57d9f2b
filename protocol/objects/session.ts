/** Sessions: one run of joint work. SPEC.md, "Session". */

const SESSION = /^(\d{4}-\d{2}-\d{2})-(\d{3})-([0-9A-Z]{4})$/;

/** `YYYY-MM-DD-NNN-XXXX`: the day, the number of that day, four random characters. */
export function sessionId(day: string, number: number, random: string): string {
  return `${day}-${String(number).padStart(3, "0")}-${random.toUpperCase()}`;
}

/** What a session id says; null when the text is not of the form Relay makes. */
export function parseSessionId(text: string): { day: string; number: number; random: string } | null {
  const match = SESSION.exec(text);
  return match === null ? null : { day: match[1] as string, number: Number(match[2]), random: match[3] as string };
}

/** Where a session's files lie. */
export const sessionFolder = (id: string): string => `sessions/${id}`;
