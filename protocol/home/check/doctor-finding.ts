/** The findings of `doctor`. spec/check.md, "doctor". */

/** A problem. `fix` repairs it when that is safe; `remedy` says what a person can do. */
export interface Finding {
  severity: "error" | "warning" | "note";
  code: string;
  path?: string | undefined;
  line?: number | undefined;
  problem: string;
  /** Of a finding that stands for others of its code: how many they are. */
  more?: number | undefined;
  remedy?: string | undefined;
  fix?: (() => void | Promise<void>) | undefined;
}
