/** Small pieces that every view uses. */
import type { ComponentChildren } from "preact";
import { nowMs, shortTime, span } from "../state/time.ts";
import { Icon, type IconName } from "./icon.tsx";

/** Two letters for a part. */
export const Avatar = ({ name, you = false }: { name: string; you?: boolean }) => (
  <span class={you ? "avatar you" : "avatar"} aria-hidden="true">
    {[...(name.split("/").at(-1) ?? name)].slice(0, 2).join("")}
  </span>
);

/** A short word about something. */
export const Chip = ({ tone = "", children }: { tone?: "" | "acc" | "ok" | "warn" | "bad"; children: ComponentChildren }) => (
  <span class={`chip ${tone}`}>{children}</span>
);

/** Where something came from; nothing for what was written on this machine. @param origin as an answer says it */
export const Origin = ({ origin }: { origin: string | undefined }) =>
  origin === undefined ? null : <Chip tone="warn">{origin === "unknown" ? "origin unknown" : origin}</Chip>;

/** An instant, whole in its title. @param at ISO 8601 */
export const At = ({ at }: { at: string }) => (
  <time class="sm t3 when nowrap" dateTime={at} title={at}>
    {shortTime(Date.parse(at))}
  </time>
);

/** For how long something is so. @param at ISO 8601 */
export const Since = ({ at }: { at: string }) => (
  <time dateTime={at} title={at}>
    {span(nowMs.value - Date.parse(at))}
  </time>
);

/** How far a message came to one recipient: five steps and a word. */
const STEPS = ["stored", "noticed", "fetched", "acked", "replied"];
export function Receipt({ part, state, origin }: { part: string; state: string; origin?: string | undefined }) {
  const step = Math.max(1, STEPS.indexOf(state) + 1);
  return (
    <span class={step >= 4 ? "rc done" : "rc"}>
      <i class={`n${step}`} aria-hidden="true" />
      {part}: {state} <Origin origin={origin} />
    </span>
  );
}

/** Why something was not done, where it was tried. */
export const Refused = ({ why }: { why: string | undefined }) =>
  why === undefined ? null : (
    <p class="why" role="alert">
      <Icon name="alert" small />
      <span>{why}</span>
    </p>
  );

/** What a view says where it has nothing to show. */
export const Empty = ({ icon, title, children }: { icon: IconName; title: string; children?: ComponentChildren }) => (
  <div class="empty">
    <Icon name={icon} />
    <h2>{title}</h2>
    {children}
  </div>
);

/** A command to copy. */
export const Command = ({ text }: { text: string }) => (
  <span class="cmd">
    <code>{text}</code>
    <button type="button" class="btn quiet icon" aria-label={`Copy ${text}`} onClick={() => void navigator.clipboard?.writeText(text)}>
      <Icon name="copy" small />
    </button>
  </span>
);

/** A key of the keyboard. */
export const Key = ({ children }: { children: ComponentChildren }) => (
  <span class="key" aria-hidden="true">
    {children}
  </span>
);

/** The state of a thread in a word. */
export const StatusChip = ({ status }: { status: string }) =>
  status === "open" ? null : <Chip tone={status === "holding" ? "warn" : ""}>{status}</Chip>;
