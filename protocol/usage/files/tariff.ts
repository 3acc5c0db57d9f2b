/** How calls are counted here: by the days of the reader's zone, and at the prices of this home. spec/usage.md, "Prices". */

import type { Price } from "../../core/config/prices.ts";
import { once } from "../../core/format/schema.ts";
import { PRICES } from "../../core/templates.ts";
import type { World } from "../../core/world.ts";
import { sha256 } from "../../store/digest.ts";
import { parsePrices, pricing } from "../nouns/prices.ts";
import type { Tariff } from "../nouns/usage-cells.ts";

/** The prices of `relay.yml` go before those that Relay knows; a model that neither names is unknown. */
export function tariffOf(world: World): Tariff {
  const { prices } = world.home().config().usage;
  const known = once(() => pricing(parsePrices(PRICES)));
  const own = prices.length === 0 ? null : pricing(prices);
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return {
    sign: sha256([PRICES, JSON.stringify(prices satisfies readonly Price[]), timeZone, process.versions["tz"] ?? ""].join("\n")),
    dayOf: localDays(),
    costOf: (line) => own?.(line) ?? known()(line),
  };
}

/** The day of an instant in the reader's zone, `yyyy-mm-dd`; asked once for each quarter of an hour, because zones differ by quarters. */
function localDays(): (at: string) => string {
  const days = new Map<string, string>();
  const two = (n: number): string => String(n).padStart(2, "0");
  return (at) => {
    // `2026-01-31T09:3`: ten minutes, which lie in one quarter or touch two of them.
    const piece = at.slice(0, 15);
    const quarter = piece.endsWith("1") || piece.endsWith("4") ? at.slice(0, 16) : piece;
    let day = days.get(quarter);
    if (day === undefined) {
      const local = new Date(at);
      day = `${local.getFullYear()}-${two(local.getMonth() + 1)}-${two(local.getDate())}`;
      days.set(quarter, day);
    }
    return day;
  };
}
