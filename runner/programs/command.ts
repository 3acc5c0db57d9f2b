/** Any command of this machine's as the program of an agent: its input is its prompt and the envelope, and what it prints is its final text. */

import type { Prepared, Program } from "../../protocol/agents/hosts/program.ts";
import { TOKEN_VARIABLE } from "../../protocol/core/names.ts";

/** The program. */
export const command: Program = {
  command: null,
  isPlain: true,

  prepare({ program, envelope, prompt, env, server, position, context, resumes, newSession }): Prepared {
    const session = resumes ?? newSession;
    const { [TOKEN_VARIABLE]: token, RELAY_HOME: home } = server.env;
    return {
      argv: program,
      env: {
        ...env,
        ...(token === undefined ? {} : { [TOKEN_VARIABLE]: token }),
        ...(home === undefined ? {} : { RELAY_HOME: home }),
        RELAY_PART: position,
        RELAY_CONTEXT: context,
        RELAY_SESSION: session,
        ...(resumes === null ? {} : { RELAY_RESUME: "1" }),
      },
      // A session that goes on was told it already.
      files: { stdin: resumes === null && prompt.trim() !== "" ? `${prompt.trim()}\n\n${envelope}` : envelope },
      session,
    };
  },

  read: (reading) => reading,
};
