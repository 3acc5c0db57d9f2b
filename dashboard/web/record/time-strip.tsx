/** Says on every view that the page shows an earlier moment, and moves along the records. */
import { useEffect, useRef, useState } from "preact/hooks";
import { Button, Key, Refused } from "../part/bits.tsx";
import { Icon } from "../part/icon.tsx";
import { span } from "../state/time.ts";
import { useLine } from "./line.ts";
import { type Entry, moment, recordOf, showMoment } from "./moment.ts";

/** Who drags along the line passes many records: the page follows when the hand rests. */
const REST_MS = 60;

const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const short = new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeStyle: "short" });

export function TimeStrip() {
  const now = moment.value ?? { commit: "", at: null };
  const [dragged, setDragged] = useState<string | null>(null);
  const [isDown, setDown] = useState(false);
  const { entries, place, hasMore, why } = useLine(now.commit, isDown);
  // One drag is one step, however often the hand rests.
  const isDragging = useRef(false);
  useEffect(() => {
    if (dragged === null) return;
    const rest = setTimeout(() => {
      setDragged(null);
      if (dragged !== now.commit) showMoment(dragged, isDragging.current);
      isDragging.current = true;
    }, REST_MS);
    return () => clearTimeout(rest);
  }, [dragged]);
  const shown = recordOf(dragged ?? now.commit);
  const last = entries.length - 1;
  const thumb = dragged === null ? place : entries.findIndex(({ commit }) => commit === dragged);
  const [before, after] = place === -1 ? [] : [entries[place + 1], entries[place - 1]];
  const time = shown === undefined ? "An earlier moment" : whole.format(Date.parse(shown.at));
  return (
    <section class="past" aria-label="The moment that is shown">
      <div class="row">
        <Icon name="clock" small />
        <strong class="nowrap" title={shown?.at}>
          {time}
        </strong>
        <span class="t2 cut">
          {shown !== undefined && `${span(Date.now() - Date.parse(shown.at))} ago · `}
          <code>{(shown ?? now).commit.slice(0, 7)}</code>
          {shown !== undefined && ` · ${shown.subject.replace(/^relay: /, "")}`}
        </span>
        <span class="grow" />
        <Button
          kind=""
          data-key="ArrowLeft"
          aria-disabled={before === undefined}
          disabled={before === undefined && !hasMore}
          run={() => before !== undefined && showMoment(before.commit)}
        >
          <Key>←</Key> Before
        </Button>
        <Button
          kind=""
          data-key="ArrowRight"
          aria-disabled={after === undefined}
          disabled={after === undefined && (place !== -1 || !hasMore)}
          run={() => after !== undefined && showMoment(after.commit)}
        >
          After <Key>→</Key>
        </Button>
        <Button kind="primary" run={() => showMoment(null)}>
          Back to live <Key>Esc</Key>
        </Button>
      </div>
      <Refused why={why} />
      {entries.length > 1 && (
        <div class="line-of-time">
          <span class="sm t2 nowrap">{short.format(Date.parse((entries[last] as Entry).at))}</span>
          <input
            type="range"
            min={0}
            max={last}
            value={thumb === -1 ? 0 : last - thumb}
            disabled={place === -1 && !hasMore}
            aria-label="Moment"
            aria-valuetext={`${time}, commit ${(shown ?? now).commit.slice(0, 7)}`}
            onInput={({ currentTarget: { value } }) => {
              setDragged(entries[last - Number(value)]?.commit ?? null);
              setDown(true);
            }}
            onChange={() => {
              isDragging.current = false;
              setDown(false);
            }}
            onBlur={() => setDown(false)}
          />
          <span class="sm t2 nowrap">{short.format(Date.parse((entries[0] as Entry).at))}</span>
        </div>
      )}
      <p class="sm">
        The home as it was then, read only. Commits do not hold presence, wakes, fetched marks, typing or running turns: they are unknown
        here.
      </p>
    </section>
  );
}
