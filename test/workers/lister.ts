/** Asks for the roster with as little of Relay as it needs: the operation itself, and what performs it. */

import { perform } from "../../protocol/core/perform.ts";
import { createWorld } from "../../protocol/core/world.ts";
import { usePackages } from "../../protocol/packages.ts";
import { roster } from "../../protocol/status/verbs/roster.ts";

usePackages();
const { parts } = await perform(createWorld({ cwd: process.argv[2] as string }), roster, {});
console.log(JSON.stringify({ parts: parts.length }));
