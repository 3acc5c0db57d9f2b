/** Bars of our own: columns for days, rows for everything else. The table beside them has the same numbers. */

/** A bar: what it is for, how long it is, and its number in words. */
export interface Bar {
  key: string;
  label: string;
  value: number;
  words: string;
}

interface ChartProps {
  /** The whole chart in a sentence. */
  sentence: string;
  bars: readonly Bar[];
}

const HEIGHT = 160;
/** So many labels fit below the columns. */
const LABELS = 14;
/** So many rows are shown; the table has the others. */
const ROWS = 12;

/** The smallest round number that is not less: what the axis ends with. */
export function roundUp(n: number): number {
  if (!(n > 0)) return 1;
  const unit = 10 ** Math.floor(Math.log10(n));
  return ([1, 2, 4, 5, 10].find((each) => each * unit >= n) ?? 10) * unit;
}

/** A column for each day. @param wordsOf a number on the axis */
export function Columns({ sentence, bars, wordsOf }: ChartProps & { wordsOf: (n: number) => string }) {
  const top = roundUp(Math.max(...bars.map(({ value }) => value)));
  const width = 100 / bars.length;
  const each = Math.ceil(bars.length / LABELS);
  return (
    <div class="plot">
      <div class="yax" aria-hidden="true">
        {[1, 0.5, 0].map((share) => (
          <span key={share}>{wordsOf(top * share)}</span>
        ))}
      </div>
      <svg class="columns" viewBox={`0 0 100 ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={sentence}>
        {[0, 0.5, 1].map((share) => (
          <line key={share} x1="0" x2="100" y1={HEIGHT * share} y2={HEIGHT * share} />
        ))}
        {bars.map(({ key, label, value, words }, at) => (
          <rect
            key={key}
            x={(at + 0.2) * width}
            width={width * 0.6}
            y={HEIGHT * (1 - value / top)}
            height={value > 0 ? Math.max(1, (HEIGHT * value) / top) : 0}
          >
            <title>{`${label}: ${words}`}</title>
          </rect>
        ))}
      </svg>
      <div class="xax" aria-hidden="true">
        <div class="ticks">
          {bars
            .map(({ key, label }, at) => ({ key, label, at }))
            .filter(({ at }) => at % each === 0)
            .map(({ key, label, at }) => (
              <span key={key} style={{ left: `${(at + 0.5) * width}%` }}>
                {label}
              </span>
            ))}
        </div>
      </div>
    </div>
  );
}

/** A row for each, the longest first. */
export function Rows({ sentence, bars }: ChartProps) {
  const longest = [...bars].sort((a, b) => b.value - a.value).slice(0, ROWS);
  const top = Math.max(...longest.map(({ value }) => value)) || 1;
  return (
    <div class="bars" role="img" aria-label={sentence}>
      {longest.map(({ key, label, value, words }) => (
        <div key={key} class="pair" aria-hidden="true">
          <span class="cut" title={label}>
            {label}
          </span>
          <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
            <rect width={value > 0 ? Math.max(0.3, (100 * value) / top) : 0} height="10" />
          </svg>
          <span class="num">{words}</span>
        </div>
      ))}
    </div>
  );
}
