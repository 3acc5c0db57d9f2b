/** Taking back what a commit did to settings of `relay.yml`. spec/trust.md, "Undo". */
import { mostBytesAt } from "../../objects/check/check-files.ts";
import { type SettingChange, settingChanges, settingWords } from "../../objects/config/setting-changes.ts";
import { replaceFile } from "../../store/replace.ts";
import type { World } from "../../world.ts";
import { holdSettings } from "../held-settings.ts";
import { noteHere } from "../note-origins.ts";
import { NotUndone, type Undone } from "./undo-commit.ts";
import { withEarlier } from "./undo-tasks.ts";

/**
 * The earlier values of settings, of those that have the pushed ones still; comments and all else stay. An earlier value may have come
 * by a push too, so it counts as if it came.
 */
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
    const text = withEarlier(content, back);
    holdSettings(world, text, world.home().config());
    return text;
  });
  if (back.length > 0) noteHere(world, [path]);
  if (since > 0) throw new NotUndone(`${since} of its settings were changed later; \`git show\` in .relay shows the earlier text`);
  return back.length === 0 ? null : `set ${settingWords(back.map(({ key, was, is }) => ({ key, was: is, is: was })))} in ${path}`;
}
