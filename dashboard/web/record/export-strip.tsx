/** Says of an exported page what it is: one moment, of which nothing can be written. */
import { Icon } from "../part/icon.tsx";
import { exported } from "./exported.ts";

const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

export const ExportStrip = () =>
  exported === null ? null : (
    <section class="past" aria-label="The moment that is shown">
      <p>
        <Icon name="clock" small /> <strong title={exported.at}>{whole.format(Date.parse(exported.at))}</strong>{" "}
        {exported.commit === null ? "The home as it was then" : `Commit ${exported.commit.slice(0, 7)}`}, exported as a file. It does not
        change, and nothing can be written. To search the home: <code>relay search "words"</code>.
        {exported.leftOut.length > 0 && ` Left out: ${exported.leftOut.join("; ")}.`}
      </p>
    </section>
  );
