/** On a narrow page: the views that have no tab, and what stands at the foot of the rail elsewhere. */
import { RowLink } from "../part/bits.tsx";
import { Icon } from "../part/icon.tsx";
import { isHelpShown } from "../state/keys.ts";
import { addressOf } from "../state/route.ts";
import { HomeList } from "./homes.tsx";
import type { View } from "./views.tsx";

export const More = ({ views }: { views: readonly (readonly [name: string, view: View])[] }) => (
  <section class="pane" aria-label="More">
    <ul>
      {[...views, ["broken", { words: "Broken files", icon: "broken" }] as const].map(([name, { words, icon }]) => (
        <li key={name}>
          <RowLink kind="part two more" to={addressOf(name)}>
            <span class="row">
              <Icon name={icon} />
              {words}
            </span>
          </RowLink>
        </li>
      ))}
      <li>
        <button type="button" class="part two more bare" onClick={() => (isHelpShown.value = true)}>
          <span class="row">
            <Icon name="keys" />
            Keys and settings
          </span>
        </button>
      </li>
    </ul>
    <HomeList />
  </section>
);
