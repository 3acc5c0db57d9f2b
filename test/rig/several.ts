/** Does something with each of many, several at once, because most of the time of each is waiting. */

/** @param act what is done with one; what it throws is kept @returns what was thrown, by the one that it was thrown for */
export async function severalAtOnce<T>(all: readonly T[], atOnce: number, act: (one: T) => Promise<void>): Promise<string[]> {
  const faults: string[] = [];
  const left = [...all];
  const take = async (): Promise<void> => {
    for (let one = left.shift(); one !== undefined; one = left.shift())
      await act(one).catch((error: unknown) => faults.push(`${String(one)}: ${(error as Error).message}`));
  };
  await Promise.all(Array.from({ length: atOnce }, take));
  return faults;
}

/** Numbers from 1 to the last: all of them, or only so many, spread over all and others each time. */
export function numbersTo(last: number, most: number): number[] {
  const step = Math.max(1, last / most);
  const numbers = Array.from({ length: Math.min(last, most) }, (_, n) => 1 + Math.floor(n * step + (step > 1 ? Math.random() * step : 0)));
  return numbers.filter((n) => n <= last);
}
