/** The icons, of Lucide; each beside a word that says the same. */

import {
  ArrowLeft,
  Brain,
  ChartColumn,
  Check,
  CircleAlert,
  Clock,
  Copy,
  Ellipsis,
  FileDiff,
  FileWarning,
  type IconNode,
  Inbox,
  Keyboard,
  Lock,
  MessagesSquare,
  Network,
  Plus,
  Search,
  SquareKanban,
  Waypoints,
  X,
} from "lucide";
import { type ComponentChild, h } from "preact";

const ICONS = {
  back: ArrowLeft,
  memory: Brain,
  check: Check,
  alert: CircleAlert,
  clock: Clock,
  copy: Copy,
  more: Ellipsis,
  artifacts: FileDiff,
  broken: FileWarning,
  now: Inbox,
  keys: Keyboard,
  lock: Lock,
  threads: MessagesSquare,
  office: Network,
  plus: Plus,
  search: Search,
  board: SquareKanban,
  usage: ChartColumn,
  logo: Waypoints,
  close: X,
} satisfies Record<string, IconNode>;

/** The name of an icon. */
export type IconName = keyof typeof ICONS;

/** An icon, 16 pixels wide, or 14. */
export const Icon = ({ name, small = false }: { name: IconName; small?: boolean }): ComponentChild =>
  h(
    "svg",
    { class: small ? "i s" : "i", viewBox: "0 0 24 24", "aria-hidden": "true" },
    ICONS[name].map(([tag, attributes]) => h(tag, attributes)),
  );
