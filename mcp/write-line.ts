/** Writes lines to stdout. */

let draining: Promise<void> | null = null;

/** Resolves once stdout takes more, as the SDK's own transport does; all waiting callers share one listener. */
export async function writeLine(line: string): Promise<void> {
  if (process.stdout.write(line)) return;
  draining ??= new Promise<void>((resolve) => process.stdout.once("drain", resolve)).then(() => {
    draining = null;
  });
  await draining;
}
