/** A choice of a few, of which one is taken. */
interface SegmentsProps<T extends string> {
  label: string;
  value: T;
  choices: readonly (readonly [value: T, words: string])[];
  pick: (value: T) => void;
}

export const Segments = <T extends string>({ label, value, choices, pick }: SegmentsProps<T>) => (
  <fieldset class="seg fit" aria-label={label}>
    {choices.map(([each, words]) => (
      <button key={each} type="button" data-choice={each} aria-pressed={each === value} onClick={() => pick(each)}>
        {words}
      </button>
    ))}
  </fieldset>
);
