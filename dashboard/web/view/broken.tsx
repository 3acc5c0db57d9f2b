/** Files that cannot be read: everything else works, and these are named with what is wrong. */
import { Command, Empty, Refused } from "../part/bits.tsx";
import { useAnswer } from "../state/use-answer.ts";

export function Broken() {
  const { data, failure } = useAnswer("status", {});
  const problems = data?.problems ?? [];
  return (
    <section class="pane" aria-label="Broken files">
      <Refused why={failure?.error} />
      {data !== undefined && problems.length === 0 && <Empty icon="check" title="Every file can be read" />}
      {problems.length > 0 && (
        <>
          <p class="hint t2">These files are passed over; everything else works. Correct them by hand, or ask what can be repaired:</p>
          <div class="hint">
            <Command text="relay doctor" />
          </div>
          <ul>
            {problems.map(({ path, line, problem }) => (
              <li class="chg one" key={`${path}:${line} ${problem}`}>
                <code>{line === undefined ? path : `${path}:${line}`}</code>
                <span>{problem}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
