import * as z from "zod/mini";
import type { Faults as FaultList } from "../../core/home/broken-files.ts";
import { defineOperation } from "../../core/operation.ts";
import { Faults, SessionId } from "../../core/shapes.ts";
import { withFaults } from "../../core/with-faults.ts";
import { listArtifacts } from "../files/artifacts.ts";
import { sessionToRead } from "../files/sessions.ts";
import { ArtifactAnswer, withAhead } from "./board-answers.ts";

/** Lists the artifacts of a session. */
export const list_artifacts = defineOperation({
  name: "list_artifacts",
  command: "artifact list",
  summary: "List artifacts, each by its latest version",
  effect: "read",
  identity: "optional",
  input: () => ({ session_id: SessionId }),
  output: () => ({ artifacts: z.array(ArtifactAnswer), warning: z.optional(z.string()), problems: Faults }),
  async run(world, input) {
    const { session, ...ended } = sessionToRead(world, input.session_id);
    const problems: FaultList = [];
    const artifacts = session === null ? [] : listArtifacts(world, session, problems);
    return withFaults({ artifacts: await withAhead(world, session ?? "", artifacts), ...ended }, problems);
  },
});
