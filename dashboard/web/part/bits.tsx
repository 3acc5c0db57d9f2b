/** Small pieces that every view uses. */
import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import { exported } from "../record/exported.ts";
import { about } from "../state/about.ts";
import { addressOf, WRITE } from "../state/route.ts";
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
      <i style={{ "--n": step }} aria-hidden="true" />
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

/** The way to the form of a new message. */
export const WriteLink = ({ words }: { words: string }) =>
  about.value.readOnly ? null : (
    <a class="btn small" href={addressOf("now", WRITE)}>
      {words}
    </a>
  );

/** The way back from what is chosen to its list, where it takes the place of the list. */
export const Back = ({ view, chosen, words }: { view: string; chosen?: string; words: string }) => (
  <a class="btn quiet icon back" href={addressOf(view, chosen)} aria-label={words}>
    <Icon name="back" small />
  </a>
);

interface ButtonProps extends ButtonHTMLAttributes {
  /** Its classes beside `btn`: `small`, `primary`, `quiet`, `icon`, `danger`. */
  kind?: string;
  /** The letter that presses it, which stands on it. */
  letter?: string;
  /** What it is a part of: while that goes on it waits, and it takes no double click, for by then another row may lie under the hand. */
  act?: { isBusy: boolean };
  run: () => void;
}

/** A button that does something, once a click. */
export const Button = ({ kind = "small", letter, act, run, children, ...rest }: ButtonProps) => (
  <button
    type="button"
    class={`btn ${kind}`}
    data-key={letter}
    aria-disabled={act?.isBusy}
    onClick={(event) => (act !== undefined && event.detail > 1) || run()}
    {...rest}
  >
    {children}
    {letter !== undefined && <Key>{letter}</Key>}
  </button>
);

interface RowLinkProps {
  /** Its class. */
  kind: string;
  to: string;
  isChosen?: boolean;
  children: ComponentChildren;
}

/** A row, or a card, that the keys come to and that leads to what it is of. */
export const RowLink = ({ kind, to, isChosen = false, children }: RowLinkProps) => (
  <a class={isChosen ? `${kind} sel` : kind} data-row href={to} aria-current={isChosen ? "true" : undefined}>
    {children}
  </a>
);

/** Makes visible what somebody came for. */
export const scrolledTo = (row: HTMLElement | null): void => row?.scrollIntoView({ block: "nearest" });

interface EntryProps {
  /** What it is called, for who does not see it. */
  label: string;
  from: string;
  isYou: boolean;
  /** ISO 8601. */
  at: string;
  isUnread?: boolean;
  /** What stands beside the name. */
  beside: ComponentChildren;
  children: ComponentChildren;
}

/** Something that was said: by whom, when, and what. */
export const Entry = ({ label, from, isYou, at, isUnread = false, beside, children }: EntryProps) => (
  <article class={isUnread ? "msg sel" : "msg"} aria-label={label}>
    <Avatar name={from} you={isYou} />
    <div class="grow">
      <div class="row">
        <span class="who cut">{from}</span>
        {beside}
        <span class="grow" />
        <At at={at} />
      </div>
      {children}
    </div>
  </article>
);

interface AskCardProps {
  label?: string;
  from: string;
  isChosen: boolean;
  /** What stands beside the name, and at the end of that line. */
  words: ComponentChildren;
  end: ComponentChildren;
  /** What is asked. */
  children: ComponentChildren;
  /** The field of the answer. */
  answer: ComponentChildren;
}

/** What somebody asks of the person, with the answer below. */
export const AskCard = ({ label, from, isChosen, words, end, children, answer }: AskCardProps) => (
  <article class={isChosen ? "ask sel" : "ask"} aria-label={label}>
    <header>
      <Avatar name={from} />
      <span class="who cut">{from}</span>
      {words}
      <span class="grow" />
      {end}
    </header>
    <div class="q">{children}</div>
    {answer}
  </article>
);

/** A command to copy. */
export const Command = ({ text }: { text: string }) => (
  <span class="cmd">
    <code>{text}</code>
    <Button kind="quiet icon" aria-label={`Copy ${text}`} run={() => void navigator.clipboard?.writeText(text)}>
      <Icon name="copy" small />
    </Button>
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

/** Says in an exported page, where a reader would look for it, what only the home has. @param what a sentence's beginning, of many @param command what prints them in the home */
export const NotInFile = ({ what, command }: { what: string; command: string }) =>
  exported === null ? null : (
    <p class="hint sm t3">
      {what} are not in this file. In the home: <code>{command}</code>
    </p>
  );
