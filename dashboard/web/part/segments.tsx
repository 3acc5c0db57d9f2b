/** A choice of a few, of which one is taken. */
interface SegmentsProps<T extends string> {
  label: string;
  value: T;
  /** The words of each. */
  choices: Readonly<Record<T, string>>;
  pick: (value: T) => void;
  /** The letter that gives the first of them the focus. */
  focusKey?: string;
}

export const Segments = <T extends string>({ label, value, choices, pick, focusKey }: SegmentsProps<T>) => (
  <fieldset class="seg" aria-label={label}>
    {(Object.entries(choices) as [T, string][]).map(([each, words], at) => (
      <button
        key={each}
        type="button"
        data-choice={each}
        data-focus-key={at === 0 ? focusKey : undefined}
        aria-pressed={each === value}
        onClick={() => pick(each)}
      >
        {words}
      </button>
    ))}
  </fieldset>
);
