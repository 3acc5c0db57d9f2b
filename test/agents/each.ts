/** After each test with real agents: end what it started. */
import { afterEach } from "vitest";
import { closeStages } from "./stage.ts";

afterEach(closeStages);
