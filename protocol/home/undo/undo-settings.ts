/** Taking back what a commit did to settings of `relay.yml`. spec/trust.md, "Undo". */

import { editConfig, ownConfig } from "../../objects/config/config.ts";
import { type SettingChange, settingChanges, settingWords } from "../../objects/config/setting-changes.ts";
import { FileError } from "../../objects/format/file-error.ts";
import { mostBytesAt } from "../../objects/tree/broken.ts";
import { replaceFile } from "../../store/write/replace.ts";
import type { World } from "../../world.ts";
import { noteHere } from "../note-origins.ts";
import { NotUndone, type Undone } from "./undo-commit.ts";

/** The earlier values of settings, of those that have the pushed ones still; comments and all else stay. */
export async function undoSettings(world: World, path: string, settings: readonly SettingChange[]): Promise<Undone> {
  const back: SettingChange[] = [];
  let since = 0;
  await replaceFile(world.home().store, path, mostBytesAt(path), (content) => {
    back.length = 0;
    if (content === null) return null;
    const now = settingChanges("{}", content);
    const valueAt = (key: readonly string[]): unknown => now.find((each) => each.key.join("\0") === key.join("\0"))?.is;
    const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
    back.push(...settings.filter(({ key, is }) => same(valueAt(key), is)));
    since = settings.filter(({ key, is, was }) => !same(valueAt(key), is) && !same(valueAt(key), was)).length;
    if (back.length === 0) return null;
    return withEarlier(content, back);
  });
  if (back.length > 0) noteHere(world, [path]);
  if (since > 0) throw new NotUndone(`${since} of its settings were changed later; \`git show\` in .relay shows the earlier text`);
  return back.length === 0 ? null : `set ${settingWords(back.map(({ key, was, is }) => ({ key, was: is, is: was })))} in ${path}`;
}

/** A text with the earlier values of settings. @throws NotUndone where no home of its own repository can have them */
export function withEarlier(content: string, back: readonly SettingChange[]): string {
  // What is taken out goes first: in its place a map may stand that was a value, or a value that was a map.
  const ordered = [...back.filter(({ was }) => was === undefined), ...back.filter(({ was }) => was !== undefined)];
  try {
    const text = ordered.reduce((now, { key, was }) => editConfig(now, { kind: "set", key, value: was }), content);
    if (ownConfig(text) !== null) return text;
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
  }
  throw new NotUndone("its earlier settings are not valid; `git show` in .relay shows the earlier text");
}
