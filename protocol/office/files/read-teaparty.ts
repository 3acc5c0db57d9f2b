/** The files of a TeaParty tree, which lies anywhere on this machine: read, and never changed. spec/office.md, "Importing". */
import fs from "node:fs";
import path from "node:path";
import { realFolder } from "../../core/home/find-home.ts";
import { refuse } from "../../core/refusal.ts";
import { readUserFile } from "../../store/beside/user-file.ts";
import type { TeapartyFolder } from "../nouns/from-teaparty.ts";

/** Where the office's own file may lie, from the folder that was named. */
const OFFICES = ["teaparty.yaml", "management/teaparty.yaml", ".teaparty/management/teaparty.yaml", ".teaparty/teaparty.yaml"];
/** Where a project's may, from the top of its repository. */
const PROJECTS = [".teaparty/project/project.yaml", ".teaparty/project.yaml"];
/** Files of settings, of a folder and of each agent. */
const SETTINGS = ["settings.yaml", "settings.yml", "settings.json", "settings.local.yaml", "settings.local.json"];
/** Entries of a folder at the most. */
const ENTRIES_MOST = 2_000;

/** A tree that was found: the folder of its office, and how to come by that of a project. */
export interface TeapartyTree {
  office: TeapartyFolder;
  projectAt(project: { path: string; config: string | undefined }): TeapartyFolder | null;
}

/** Finds the tree at a folder. @throws Refusal `invalid_argument` where there is none, `malformed_file` */
export function findTeaparty(folder: string): TeapartyTree {
  const at = OFFICES.map((file) => path.join(folder, file)).find(isFile);
  if (at === undefined)
    throw refuse("invalid_argument", {
      argument: "folder",
      expected: `a folder with ${OFFICES.join(" or ")}`,
      given: folder,
      example: "../teaparty",
    });
  const top = topOf(path.dirname(at));
  return {
    office: folderOf(top, path.dirname(at), "teaparty.yaml"),
    projectAt({ path: given, config }) {
      const root = path.resolve(top, given);
      const found = [...(config === undefined ? [] : [config]), ...PROJECTS].map((file) => path.resolve(root, file)).find(isFile);
      return found === undefined ? null : folderOf(top, path.dirname(found), path.basename(found));
    },
  };
}

/** The repository that a folder of TeaParty's belongs to. */
function topOf(folder: string): string {
  const at = folder.split(path.sep).lastIndexOf(".teaparty");
  return at === -1 ? folder : folder.split(path.sep).slice(0, at).join(path.sep) || path.sep;
}

/** The texts of a folder: its own file, its workgroups, its agents. @throws Refusal `malformed_file` */
function folderOf(top: string, folder: string, own: string): TeapartyFolder {
  const names = (within: string): string[] => {
    const at = path.join(folder, within);
    return fs.existsSync(at) ? fs.readdirSync(at).sort().slice(0, ENTRIES_MOST) : [];
  };
  const workgroups = names("workgroups").map((name) => `workgroups/${name}`);
  const agents = names("agents").map((name) => `agents/${name}/agent.md`);
  const texts = new Map<string, string>();
  const others: string[] = [];
  const settings = ["", ...names("agents").map((name) => `agents/${name}/`)].flatMap((at) => SETTINGS.map((name) => at + name));
  const read = new Set([own, ...workgroups.filter((each) => /\.ya?ml$/.test(each)), ...agents, ...settings]);
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true }).slice(0, ENTRIES_MOST)) {
    const at = path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join("/");
    if (!entry.isDirectory() && !read.has(at)) others.push(at);
  }
  for (const name of read) {
    const at = path.join(folder, name);
    if (isFile(at) && ![top, folder].some((each) => realFolder(at).startsWith(realFolder(each) + path.sep)))
      // It may have come with the tree, and the text behind it would go into the home, and with it to the remote.
      throw refuse("malformed_file", { path: at, problem: "a link that leads out of the tree" });
    const text = isFile(at) ? readUserFile(at) : null;
    if (text !== null) texts.set(name === own && own !== "teaparty.yaml" ? "project.yaml" : name, text);
  }
  return { name: path.relative(top, folder).split(path.sep).join("/") || ".", texts, others: others.sort() };
}

const isFile = (at: string): boolean => fs.statSync(at, { throwIfNoEntry: false })?.isFile() === true;
