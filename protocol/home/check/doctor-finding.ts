/** What looking a home over finds. spec/check.md, "doctor". */

/** Something that is not as it should be. `fix` puts it right when that is safe; `remedy` says what a person can do. */
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
