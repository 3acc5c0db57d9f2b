/** Rounds that several processes begin at nearly one instant: each has a file, which appears whole; an empty one ends them. */
import fs from "node:fs";
import path from "node:path";
import { endIfAlone } from "./end-with-parent.ts";

/** Lets a round begin, or with an empty text ends all. @param rounds the folder of the rounds */
export function begin(rounds: string, round: number, text: string): void {
  fs.writeFileSync(path.join(rounds, "next"), text);
  fs.renameSync(path.join(rounds, "next"), path.join(rounds, String(round)));
}

/** Every round with its text, each as soon as its file is there. */
export function* roundsIn(rounds: string): Generator<{ round: number; text: string }> {
  const doze = new Int32Array(new SharedArrayBuffer(4));
  for (let round = 0; ; round += 1) {
    const file = path.join(rounds, String(round));
    // Dozing begins the round within a fraction of a millisecond, and leaves the processor to the others.
    for (; !fs.existsSync(file); endIfAlone()) Atomics.wait(doze, 0, 0, 0.2);
    const text = fs.readFileSync(file, "utf8");
    if (text === "") return;
    yield { round, text };
  }
}
