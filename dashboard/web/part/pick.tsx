/** A choice of many, of which one is taken. */
interface PickProps {
  id?: string;
  /** What it is called, where no label stands beside it. */
  label?: string;
  value: string;
  /** Values, each once; or values with their words. */
  choices: readonly (string | readonly [value: string, words: string])[];
  /** What no choice is called; without it, one is always taken. */
  any?: string | undefined;
  pick: (value: string) => void;
  /** The letter that gives it the focus. */
  focusKey?: string;
}

export const Pick = ({ id, label, value, choices, any, pick, focusKey }: PickProps) => (
  <select
    class="pick"
    id={id}
    aria-label={label}
    data-focus-key={focusKey}
    value={value}
    onChange={({ currentTarget: field }) => {
      pick(field.value);
      // What only adds something shows no choice again.
      field.value = value;
    }}
  >
    {any !== undefined && <option value="">{any}</option>}
    {[...new Map(choices.map((each) => (typeof each === "string" ? [each, each] : each)))].map(([each, words]) => (
      <option key={each} value={each}>
        {words}
      </option>
    ))}
  </select>
);
