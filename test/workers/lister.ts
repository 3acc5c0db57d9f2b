/** Asks for the roster with as little of Relay as it needs: the operation itself, and what performs it. */
import { roster } from "../../protocol/operations/part/roster.ts";
import { perform } from "../../protocol/perform.ts";
import { createWorld } from "../../protocol/world.ts";

const { parts } = await perform(createWorld({ cwd: process.argv[2] as string }), roster, {});
console.log(JSON.stringify({ parts: parts.length }));
