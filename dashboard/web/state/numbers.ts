/** Numbers as a reader sees them: in the reader's language. */
const whole = new Intl.NumberFormat();
const short = new Intl.NumberFormat(undefined, { notation: "compact", maximumSignificantDigits: 3 });
const dollars = new Intl.NumberFormat(undefined, { style: "currency", currency: "USD", currencyDisplay: "narrowSymbol" });
const cents = new Intl.NumberFormat(undefined, {
  style: "currency",
  currency: "USD",
  currencyDisplay: "narrowSymbol",
  maximumSignificantDigits: 2,
});

/** A number in full: `26,380,393`. */
export const inFull = (n: number): string => whole.format(n);
/** A number in short: `26.4M`. */
export const inShort = (n: number): string => short.format(n);
/** US dollars: `$91.45`, and of less than a cent `$0.0042`. */
export const asDollars = (usd: number): string => (usd > 0 && usd < 0.01 ? cents : dollars).format(usd);
