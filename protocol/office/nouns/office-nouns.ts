/** The files of an office as files of a home. spec/office.md, "Office files". */
import { FILE_BYTES } from "../../core/format/schema.ts";
import { defineNoun } from "../../core/noun/noun.ts";
import type { Edited, Effects } from "../../core/noun/noun-effects.ts";
import { parseAgentFile } from "./agent-file.ts";
import { fileSlug } from "./name.ts";
import { locateOrg, ORG, type OrgPlace, orgPath, parseOrgFile } from "./org-files.ts";
import { parseUnit } from "./unit.ts";

type Where<Kind extends OrgPlace["kind"]> = Omit<Extract<OrgPlace, { kind: Kind }>, "kind">;

/** What a push did by a file of the office: it changed one, or brought one, which may name who is started. */
type OfficeDid = Edited | { kind: "office"; file: string };

/** Where anything is wrong with an office nobody of it gives work to anybody: that nobody can read a file is told also of one that a push began. */
const effects: Effects<object, OfficeDid> = {
  reads: "all",
  of({ path, before, after }) {
    if (before !== null) return [{ kind: "edited" }];
    parseOrgFile(locateOrg(path) as OrgPlace, after);
    return [{ kind: "office", file: path }];
  },
  words: ({ file }) => `added ${file} to the office`,
};

/** What the files of an office have in common; of which kind one is, its path says. */
const ofOrg = <const Kind extends OrgPlace["kind"]>(kind: Kind) =>
  ({
    kind,
    words: ["office file", "office files"],
    at: ORG,
    section: "spec/office.md, Office files",
    path: (where: Where<Kind>): string => orgPath({ kind, ...where } as OrgPlace),
    locate(path: string): Where<Kind> | null {
      const place = locateOrg(path);
      if (place?.kind !== kind) return null;
      const { kind: _kind, ...where } = place;
      return where as Where<Kind>;
    },
    limit: FILE_BYTES.team,
    effects,
    guard: "kept",
    isEdited: true,
  }) as const;

/** The office itself. */
export const office = defineNoun({ ...ofOrg("office"), expected: "an office", parse: (source) => parseUnit("office", source) });

/** A project of the office. */
export const project = defineNoun({ ...ofOrg("project"), expected: "a project", parse: (source) => parseUnit("project", source) });

/** A workgroup, of a project or of the whole office. */
export const workgroup = defineNoun({
  ...ofOrg("workgroup"),
  expected: "a workgroup",
  parse: (source) => parseUnit("workgroup", source),
});

/** An agent of the office. */
export const officeAgent = defineNoun({
  ...ofOrg("agent"),
  section: "spec/office.md, Agent files",
  expected: "an agent",
  parse: (source, { agent }) => parseAgentFile(source, fileSlug(agent) as string),
});
