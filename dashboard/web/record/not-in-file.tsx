/** Says in an exported page, where a reader would look for it, what only the home has. Live pages show nothing of it. */
import { exported } from "./exported.ts";

/** @param what a sentence's beginning, of many @param command what prints them in the home */
export const NotInFile = ({ what, command }: { what: string; command: string }) =>
  exported === null ? null : (
    <p class="hint sm t3">
      {what} are not in this file. In the home: <code>{command}</code>
    </p>
  );
