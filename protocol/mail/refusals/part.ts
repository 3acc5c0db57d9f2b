/** Refusals about parts. */
import { many } from "../../core/format/many.ts";
import { placeWords } from "../../core/format/shell-word.ts";
import { EXIT, entry, giveWork, nearestHint, quote, quoteAll } from "../../core/refusals/entry.ts";

/** What people call all parts. */
const EVERYBODY = /^@?(?:all|everyone|everybody|team|any|anyone)$/i;

/** Code → the exit code of a refusal, and its sentence by its data. */
export const PART_REFUSALS = {
  bad_part: entry(
    EXIT.usage,
    (d: { given: unknown; problem: string }) =>
      `${quote(d.given)} is not a part id: ${d.problem}. Expected one to three segments, joined by "/". ` +
      'A segment has 1 to 64 letters, digits, "_" or "-", and begins with a letter or digit. Example: "web" or "shop/api/tests".',
  ),
  unknown_part: entry(
    EXIT.notFound,
    (d: { given: string[]; nearest: string[]; inTurn?: boolean | undefined; became?: string | undefined }, { on }) =>
      d.became !== undefined
        ? `no such part: ${quoteAll(d.given)}. \`relay.yml\` calls it ${quote(d.became)} now, which was another part of this copy, so who was bound to ${quoteAll(d.given)} here is not ${quote(d.became)}. ` +
          `If that is right, say the new name: \`relay part here ${placeWords([d.became])}\`, or RELAY_PART=${d.became}. Else take it back: \`relay undo\`.`
        : `no such part: ${quoteAll(d.given)}.${nearestHint(d.nearest)} ` +
          (d.inTurn === true ? `${giveWork(d.given[0] ?? "developer", on)} ` : "") +
          (d.given.some((name) => EVERYBODY.test(name)) ? 'To reach everybody, use "*". ' : "") +
          (d.given[0]?.startsWith("@") === true
            ? `A name with "@" is a group, and those stand in \`relay.yml\`, below \`groups:\`. ${on("`roster`", "`relay roster`")} lists all parts.`
            : `${on("`roster`", "`relay roster`")} lists all parts, and \`relay part add ${placeWords([d.given[0] ?? "web"])}\` adds one.`),
  ),
  part_exists: entry(EXIT.refused, (d: { given: string; existing: string }) =>
    d.given === d.existing
      ? `part ${quote(d.given)} exists already. Choose another id.`
      : `${quote(d.given)} differs from the existing part ${quote(d.existing)} only in case, as a whole or before a "/". Choose an id that differs in more.`,
  ),
  part_has_mail: entry(
    EXIT.refused,
    (d: { part: string; unread: number }) =>
      `part ${quote(d.part)} has ${many(d.unread, "unread message")}. Ack them first, or remove the part with \`relay part remove --force ${placeWords([d.part])}\`. ` +
      "The messages stay in their threads.",
  ),
  part_protected: entry(EXIT.refused, (d: { part: string; reason: string }) => `cannot change part ${quote(d.part)}: ${d.reason}.`),
  part_contradicted: entry(
    EXIT.refused,
    (d: { environment: string; worktree: string }) =>
      `RELAY_PART says that you are ${quote(d.environment)}, but this worktree is part ${quote(d.worktree)}. One of the two is out of date, so nothing was done. ` +
      "Unset RELAY_PART (`unset RELAY_PART`) and start the agent again. " +
      `Or make the worktree that part: \`relay part here ${placeWords([d.environment])}\`.`,
  ),
  too_many_subscriptions: entry(
    EXIT.refused,
    (d: { most: number }) =>
      `this client watches ${d.most} resources, the most that it may. Unsubscribe from one first. \`inbox\` and \`threads\` show everything.`,
  ),
};
