/** Any command of this machine's as the program of an agent: its input is the envelope, and what it prints is its final text. */
import { type Prepared, type Program, TOKEN } from "./program.ts";

/** The program. */
export const command: Program = {
  command: null,
  variables: [],
  isPlain: true,

  prepare({ program, envelope, env, server, position, context, resumes, newSession }): Prepared {
    const session = resumes ?? newSession;
    const { [TOKEN]: token, RELAY_HOME: home } = server.env;
    return {
      argv: program,
      env: {
        ...env,
        ...(token === undefined ? {} : { [TOKEN]: token }),
        ...(home === undefined ? {} : { RELAY_HOME: home }),
        RELAY_PART: position,
        RELAY_CONTEXT: context,
        RELAY_SESSION: session,
        ...(resumes === null ? {} : { RELAY_RESUME: "1" }),
      },
      files: { stdin: envelope },
      session,
    };
  },

  read: (reading) => reading,
};
