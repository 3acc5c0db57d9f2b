/** The frame: where one can go, whether the page is live, and the view that is chosen. */
import type { ComponentChildren } from "preact";
import { useEffect, useErrorBoundary } from "preact/hooks";
import { Button, Empty, Key } from "../part/bits.tsx";
import { Icon } from "../part/icon.tsx";
import { withMarks } from "../part/unseen.ts";
import { ExportStrip } from "../record/export-strip.tsx";
import { exported } from "../record/exported.ts";
import { moment } from "../record/moment.ts";
import { TimeStrip } from "../record/time-strip.tsx";
import { about } from "../state/about.ts";
import { areLettersHeld, IN_RAIL, isHelpShown, letters } from "../state/keys.ts";
import { link } from "../state/live.ts";
import { noticeMail } from "../state/notify.ts";
import { isOffered } from "../state/offered.ts";
import { addressOf, route } from "../state/route.ts";
import { toast } from "../state/use-act.ts";
import { useAnswer } from "../state/use-answer.ts";
import { Help } from "./help.tsx";
import { HomeName } from "./homes.tsx";
import { IN_TABS, VIEWS, type View } from "./views.tsx";

/** The keys of each view, at its foot. */
const KEYS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  now: { r: "reply", e: "ack", c: "new message" },
  threads: { "↵": "open", r: "reply", e: "ack", x: "close, reopen" },
  board: { "↵": "open", c: "new task", e: "edit", m: "move", a: "assign", Esc: "close the task" },
  artifacts: { "↵": "open" },
  memory: { "↵": "open" },
  office: { "↵": "open", r: "answer", Esc: "close" },
  record: exported === null ? { "↵": "the page as of then", d: "compare with" } : {},
  search: { "↵": "open" },
};
/** Those that act only where somebody offers what they do. */
const OFFERED = new Set(["r", "e", "c", "x", "m", "a", "d"]);
const PLACE_KEYS = IN_RAIL.map((name) => name[0]).join(" ");

const LINK_WORDS = { live: "Live", away: "Offline", lost: "Link needed" };

export function Shell() {
  const { view: asked, chosen } = route.value;
  const name = Object.hasOwn(VIEWS, asked) ? asked : "now";
  const view = VIEWS[name] as View;
  const inbox = useAnswer("inbox", { limit: 1 });
  const status = useAnswer("status", {});
  const unread = inbox.data?.unread ?? 0;
  const broken = status.data?.problems?.length ?? 0;
  useEffect(() => {
    const before = moment.value === null ? (unread > 0 ? `(${unread}) ` : "") : "Earlier: ";
    document.title = withMarks(`${before}${view.words} · ${about.value.name} · Relay`);
  }, [unread, view.words, moment.value === null]);
  const told = moment.value === null ? inbox.data : undefined;
  useEffect(() => {
    if (told !== undefined) noticeMail(told.messages[0]?.at ?? "", told.unread, about.value.name);
  }, [told === undefined, told?.messages[0]?.messageId, told?.unread]);
  const isMore = !IN_TABS.includes(name);
  const places = [...IN_RAIL, "more"].map((each) => (
    <a
      key={each}
      class={`nav${IN_TABS.includes(each) ? "" : " wide"}${each === "more" ? " narrow" : ""}${each === "more" && isMore ? " on" : ""}`}
      href={addressOf(each)}
      aria-current={VIEWS[each] === view ? "page" : undefined}
    >
      <Icon name={VIEWS[each]?.icon ?? "now"} />
      <span>{VIEWS[each]?.words}</span>
      {each === "now" && unread > 0 && (
        <span class="count hot">
          {unread}
          <span class="vh"> unread</span>
        </span>
      )}
    </a>
  ));
  return (
    <>
      <nav class="rail" aria-label="Views">
        <a class="skip" href={location.hash || "#/now"} onClick={() => document.getElementById("main")?.focus()}>
          Skip to content
        </a>
        <HomeName />
        <div class="places">{places}</div>
        <div class="foot">
          {broken > 0 && (
            <a class="row warn" href={addressOf("broken")}>
              <Icon name="broken" small />
              {broken === 1 ? "1 file cannot be read" : `${broken} files cannot be read`}
            </a>
          )}
          <span>
            {about.value.readOnly ? "Read only" : "You write as"} {!about.value.readOnly && <b>{about.value.part}</b>}
          </span>
          {exported === null && (
            <span class={link.value === "live" && moment.value === null ? "live" : "live warn"} role="status">
              {link.value === "live" && moment.value !== null ? "An earlier moment" : LINK_WORDS[link.value]}
            </span>
          )}
        </div>
      </nav>
      <div class="page">
        <header class="top">
          <h1 class="cut">{view.words}</h1>
          <span class="grow" />
          {exported === null && (
            <a class="find" href={addressOf("search")} aria-label="Search the home">
              <Icon name="search" small />
              <span>Search</span>
              <Key>/</Key>
            </a>
          )}
        </header>
        <ExportStrip />
        {exported === null && link.value !== "live" && <Away />}
        {moment.value !== null && <TimeStrip />}
        <main id="main" tabIndex={-1}>
          <Guarded key={name}>{view.show()}</Guarded>
        </main>
        <footer class="keys">
          <span role="status" class="warn">
            {areLettersHeld.value && "The field that you typed in went away, so letters do nothing now. Esc: they act again."}
          </span>
          {letters.value && (
            <span>
              <Key>j</Key> <Key>k</Key> next, previous
            </span>
          )}
          {Object.entries(KEYS[name] ?? {})
            .filter(([key]) => (key === "Esc" ? chosen !== "" : !OFFERED.has(key) || (letters.value && isOffered(key))))
            .map(([key, words]) => (
              <span key={key}>
                <Key>{key}</Key> {words}
              </span>
            ))}
          {letters.value && (
            <span>
              <Key>g</Key> then <Key>{PLACE_KEYS}</Key> views
            </span>
          )}
          <button type="button" class="bare last" onClick={() => (isHelpShown.value = true)}>
            {letters.value ? <Key>?</Key> : null} all keys
          </button>
        </footer>
      </div>
      {toast.value !== null && (
        <p class="toast" role="status">
          {toast.value.words} <a href={toast.value.href}>Show it</a>
          {toast.value.undo !== undefined && (
            <Button kind="small" run={toast.value.undo}>
              Undo
            </Button>
          )}
        </p>
      )}
      {isHelpShown.value && <Help />}
    </>
  );
}

/** A view that fails says so, and the others work. */
function Guarded({ children }: { children: ComponentChildren }): ComponentChildren {
  const [error, forget] = useErrorBoundary();
  return error === undefined ? (
    children
  ) : (
    <Empty icon="alert" title="This view could not be shown">
      <p class="t2">{String((error as Error).message ?? error)}</p>
      <Button run={forget}>Try again</Button>
    </Empty>
  );
}

/** What is known of the home is as old as the last answer. */
const Away = () => (
  <p class="note">
    <Icon name="alert" small />
    {link.value === "lost" ? (
      <span>
        This browser has to open the link again: <code>relay dashboard</code> prints it. Drafts are kept.
      </span>
    ) : (
      <span>
        The server does not answer. What you see is as of before; agents go on, drafts are kept, and the page tries again by itself.
      </span>
    )}
  </p>
);
