/** Writes answers to stdout. */

/**
 * The line of a tool's reply. It holds the same JSON twice, as text and structured, and of a long list most of the time
 * goes into making it; null for any other message.
 */
export function lineOfReply(message: object): string | null {
  const { id, result } = message as {
    id?: unknown;
    result?: { content?: { text?: unknown }[]; structuredContent?: unknown; isError?: unknown };
  };
  const text = result?.content?.[0]?.text;
  if (typeof text !== "string" || result?.structuredContent === undefined) return null;
  const content = `[{"type":"text","text":${JSON.stringify(text)}}]`;
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":${content},"structuredContent":${text},"isError":${result.isError === true}}}\n`;
}

let draining: Promise<void> | null = null;

/** Resolves once stdout takes more, as the SDK's own transport does; all waiting callers share one listener. */
export async function writeLine(line: string): Promise<void> {
  if (process.stdout.write(line)) return;
  draining ??= new Promise<void>((resolve) => process.stdout.once("drain", resolve)).then(() => {
    draining = null;
  });
  await draining;
}
