/** The units of an office: the office itself, its projects, their workgroups. Each names its lead and its members. spec/office.md, "Office files". */
import * as z from "zod/mini";
import { FileError } from "../../core/format/file-error.ts";
import { expectation, LIMITS, once, text } from "../../core/format/schema.ts";
import { lineOf, plainOf, readBareYaml, WORDS_OF_MANY } from "../../core/format/yaml.ts";
import { nearest } from "../../core/names.ts";
import { agentProblem, fieldFault, LEAD, type Named, nameProblem, OFFICE_LEAD, slugOf, throwAll } from "./name.ts";

/** The kinds of units. */
export type UnitKind = "office" | "project" | "workgroup";

/** Somebody, or a unit, whom a unit's lead may give work to. */
export interface Member extends Named {
  kind: "project" | "workgroup" | "agent";
}

/** A project of an office, or a workgroup of a project; it need not be a member. */
export interface Known extends Named {
  /** Where a project lies in this repository. */
  path?: string | undefined;
  status?: string | undefined;
}

/** A unit, as its file says it. */
export interface Unit {
  kind: UnitKind;
  name: string;
  /** Empty where the file says nothing. */
  description: string;
  lead: Named;
  /** In the order of the file. */
  members: readonly Member[];
  known: readonly Known[];
  humans: { decider?: string | undefined; advisors: readonly string[]; inform: readonly string[] };
  /** Keys that this version does not know: they have no effect. */
  unknown: readonly { key: string; line: number; near: string | undefined }[];
}

const names = (description: string) => z.nullish(z.array(z.string()).check(z.describe(description)));
const described = () => ({
  name: z.string().check(z.describe("Name for people")),
  description: z.nullish(text(LIMITS.taskDescription, "What it is for; whoever may give it work reads this")),
  lead: z.string().check(z.describe("The agent that leads it")),
});
const either = (shape: z.core.$ZodType, key: string) => z.nullish(z.array(z.union([z.string(), shape], `a name, or a map with "${key}"`)));

/** The keys of each kind of file. */
const SHAPES = {
  office: once(() =>
    z.looseObject({
      ...described(),
      members: z.nullish(
        z.looseObject({ projects: names("Projects"), agents: names("Agents"), workgroups: names("Workgroups of the office") }),
      ),
      projects: either(z.looseObject({ name: z.string(), path: z.nullish(z.string()) }), "name"),
      humans: z.nullish(
        z.looseObject({ decider: z.nullish(z.string()), advisors: names("Who may be asked"), inform: names("Who is told") }),
      ),
    }),
  ),
  project: once(() =>
    z.looseObject({
      ...described(),
      members: z.nullish(z.looseObject({ workgroups: names("Workgroups"), agents: names("Agents") })),
      workgroups: either(z.looseObject({ ref: z.string(), status: z.nullish(z.string()) }), "ref"),
    }),
  ),
  workgroup: once(() => z.looseObject({ ...described(), members: z.nullish(z.looseObject({ agents: names("Agents") })) })),
};

type Values = Record<string, unknown>;
const isMap = (value: unknown): value is Values => typeof value === "object" && value !== null && !Array.isArray(value);
const at = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (inside, key) => (typeof inside === "object" && inside !== null ? (inside as Values)[key as string] : undefined),
    value,
  );

/**
 * Reads the file of a unit.
 * @throws FileError with everything that is wrong with it, each with its line, as `field: value: reason`
 */
export function parseUnit(kind: UnitKind, source: string): Unit {
  const { plain, lineAt } = valuesOf(source);
  if (!isMap(plain)) throw fieldFault(1, "file", plain ?? undefined, 'expected a map with "name" and "lead"');
  const parsed = SHAPES[kind]().safeParse(plain);
  const faults = (parsed.error?.issues ?? []).map((issue) => {
    const reason = issue.code === "invalid_union" ? issue.message : expectation(issue).replace("an object", "a map");
    return fieldFault(lineAt(issue.path), issue.path.join("."), at(plain, issue.path) ?? undefined, `expected ${reason}`);
  });
  const members = membersOf(plain, lineAt);
  const list = kind === "office" ? "projects" : "workgroups";
  const known = kind === "workgroup" ? [] : namedIn(at(plain, [list]), [list], lineAt);
  const lead = at(plain, ["lead"]);
  faults.push(...nameFaults(at(plain, ["name"]), "name", lineAt(["name"])), ...nameFaults(lead, "lead", lineAt(["lead"]), agentProblem));
  for (const { name, field, line } of [...members, ...known])
    faults.push(...nameFaults(name, field, line, field === "members.agents" ? agentProblem : nameProblem));
  for (const named of [...members, ...known].filter(({ slug }) => slug === LEAD))
    faults.push(fieldFault(named.line, named.field, named.name, `expected another name: "${LEAD}" is in the ids of leads`));
  for (const named of [...members, ...known].filter(({ field, slug }) => field.includes("projects") && slug === OFFICE_LEAD))
    faults.push(fieldFault(named.line, named.field, named.name, `expected another name: "${OFFICE_LEAD}" is the office itself`));
  const firsts = new Map<string, InField<Known>>();
  for (const named of [...members, ...known].filter(({ slug }) => slug !== "")) {
    const first = firsts.get(`${named.field} ${named.slug}`);
    if (first === undefined) firsts.set(`${named.field} ${named.slug}`, named);
    else faults.push(fieldFault(named.line, named.field, named.name, `expected each name once: line ${first.line} has ${first.name}`));
  }
  for (const named of members.filter(
    ({ field, slug }) => field === "members.agents" && typeof lead === "string" && slug !== "" && slug === slugOf(lead),
  ))
    faults.push(fieldFault(named.line, named.field, named.name, "expected members beside the lead, who is not a member"));
  for (const { path, line, field } of known)
    if (path !== undefined && /^[/\\~]|^[A-Za-z]:|(^|[/\\])\.\.([/\\]|$)/.test(path))
      faults.push(
        fieldFault(line, `${field}.path`, path, "expected a folder of this repository; where another one lies is each machine's"),
      );
  throwAll(faults.sort((a, b) => (a.line ?? 0) - (b.line ?? 0)));
  const { name, description, humans } = parsed.data as Values & { name: string; description?: string; humans?: Values };
  const people = (key: string): string[] => (humans?.[key] as string[] | null | undefined) ?? [];
  return {
    kind,
    name,
    description: (description ?? "").trim(),
    lead: { name: lead as string, slug: slugOf(lead as string), line: lineAt(["lead"]) },
    members: members.map(({ field: _field, ...member }) => member),
    known: known.map(({ field: _field, ...each }) => each),
    humans: {
      decider: (humans?.["decider"] as string | null | undefined) ?? undefined,
      advisors: people("advisors"),
      inform: people("inform"),
    },
    unknown: unknownKeys(kind, plain, lineAt),
  };
}

/** The line of a value, or of what holds it. */
type LineAt = (path: readonly PropertyKey[]) => number;

/** The values of a text. @throws FileError where it is not YAML, or YAML that could run, multiply or pretend */
function valuesOf(source: string): { plain: unknown; lineAt: LineAt } {
  try {
    const read = readBareYaml(source, 4 * WORDS_OF_MANY);
    return { plain: plainOf(read), lineAt: (path) => lineOf(read, path) ?? 1 };
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const line = error.line ?? 1;
    throw fieldFault(line, "yaml", source.split("\n")[line - 1]?.trim(), error.message);
  }
}

type InField<T> = T & { field: string };

const MEMBERS: readonly [key: string, kind: Member["kind"]][] = [
  ["projects", "project"],
  ["workgroups", "workgroup"],
  ["agents", "agent"],
];

/** The members in the order of the file: its lists, and the names of each. */
function membersOf(plain: Values, lineAt: LineAt): InField<Member>[] {
  const members = at(plain, ["members"]);
  if (!isMap(members)) return [];
  return Object.keys(members).flatMap((key) => {
    const kind = MEMBERS.find(([list]) => list === key)?.[1];
    return kind === undefined ? [] : namedIn(members[key], ["members", key], lineAt).map((named) => ({ ...named, kind }));
  });
}

/** The names of a list: texts, and maps that have one. What is neither is a fault that the schema finds. */
function namedIn(list: unknown, path: readonly string[], lineAt: LineAt): InField<Known>[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((each: unknown, index) => {
    const name = isMap(each) ? (each["name"] ?? each["ref"]) : each;
    if (typeof name !== "string") return [];
    const more = isMap(each) ? { path: each["path"], status: each["status"] } : {};
    const said = Object.fromEntries(Object.entries(more).filter(([, value]) => typeof value === "string"));
    return [{ name, slug: slugOf(name), line: lineAt([...path, index]), field: path.join("."), ...said }];
  });
}

/** What is wrong with a name; of what is no text the schema says it. */
function nameFaults(name: unknown, field: string, line: number, problemOf = nameProblem): FileError[] {
  const problem = typeof name === "string" ? problemOf(name) : null;
  return problem === null ? [] : [fieldFault(line, field, name, problem)];
}

/** Keys of the file and of its `members` and `humans` that this version does not know. */
function unknownKeys(kind: UnitKind, plain: Values, lineAt: LineAt): Unit["unknown"] {
  const shape = SHAPES[kind]().shape as Record<string, z.core.$ZodType>;
  const maps = ["members", "humans"].filter((key) => isMap(plain[key])).map((key) => [[key], shapeIn(shape[key])] as const);
  return [[[], shape] as const, ...maps].flatMap(([path, known]) =>
    Object.keys(at(plain, path) as Values)
      .filter((key) => !Object.hasOwn(known, key))
      .map((key) => ({ key: [...path, key].join("."), line: lineAt([...path, key]), near: nearest(key, Object.keys(known))[0] })),
  );
}

/** The fields of a schema, behind what makes it optional. */
function shapeIn(schema: z.core.$ZodType | undefined): object {
  const def = schema?._zod.def as { innerType?: z.core.$ZodType; shape?: object } | undefined;
  return def?.innerType === undefined ? (def?.shape ?? {}) : shapeIn(def.innerType);
}
