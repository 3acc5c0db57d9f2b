/** The icons, of Lucide; each beside a word that says the same. */
import * as lucide from "lucide";
import { type ComponentChild, h } from "preact";

const ICONS = {
  back: lucide.ArrowLeft,
  memory: lucide.Brain,
  check: lucide.Check,
  alert: lucide.CircleAlert,
  clock: lucide.Clock,
  copy: lucide.Copy,
  more: lucide.Ellipsis,
  artifacts: lucide.FileDiff,
  broken: lucide.FileWarning,
  now: lucide.Inbox,
  keys: lucide.Keyboard,
  lock: lucide.Lock,
  threads: lucide.MessagesSquare,
  office: lucide.Network,
  plus: lucide.Plus,
  search: lucide.Search,
  board: lucide.SquareKanban,
  usage: lucide.ChartColumn,
  logo: lucide.Waypoints,
  close: lucide.X,
} satisfies Record<string, lucide.IconNode>;

/** The name of an icon. */
export type IconName = keyof typeof ICONS;

/** An icon, 16 pixels wide, or 14. */
export const Icon = ({ name, small = false }: { name: IconName; small?: boolean }): ComponentChild =>
  h(
    "svg",
    { class: small ? "i s" : "i", viewBox: "0 0 24 24", "aria-hidden": "true" },
    ICONS[name].map(([tag, attributes]) => h(tag, attributes)),
  );
