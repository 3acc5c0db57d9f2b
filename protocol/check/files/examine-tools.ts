/** Checks whether other tools that work on the project pass the home by. spec/check.md, "doctor". */
import fs from "node:fs";
import path from "node:path";
import { orElse } from "../../core/format/file-error.ts";
import { type Finding, found } from "../../core/format/finding.ts";
import { HOME_FOLDER } from "../../core/home/find-home.ts";
import type { World } from "../../core/world.ts";
import { TOOL_FILES } from "../../git/home/repository.ts";
import { exists } from "../../store/read/facts.ts";
import { readPlainText } from "../../store/read/plain-file.ts";
import { publish } from "../../store/write/publish.ts";

/** A program that sends a whole folder somewhere: the files that say that a project uses it, and the one that says what it leaves out. */
interface Sender {
  program: string;
  usedBy: RegExp;
  ignores: string;
}
const SENDERS: readonly Sender[] = [
  // A build that is described in such a folder has the whole project as its context.
  {
    program: "docker build",
    usedBy:
      /^((\.?docker|\.?devcontainer|containers?|build|ci|deploy|infra|ops)\/)?((Dockerfile|Containerfile)(\..+)?|.+\.Dockerfile|(docker-)?compose(\..+)?\.ya?ml|fly\.toml)$/,
    ignores: ".dockerignore",
  },
  { program: "vsce package", usedBy: /^\.vscodeignore$/, ignores: ".vscodeignore" },
  { program: "gcloud", usedBy: /^(app\.yaml|cloudbuild\.yaml|\.gcloudignore)$/, ignores: ".gcloudignore" },
  { program: "vercel", usedBy: /^(vercel\.json|\.vercelignore)$/, ignores: ".vercelignore" },
  { program: "eb deploy", usedBy: /^(\.ebignore|\.elasticbeanstalk)$/, ignores: ".ebignore" },
  { program: "cf push", usedBy: /^\.cfignore$/, ignores: ".cfignore" },
  { program: "railway up", usedBy: /^railway\.(json|toml)$/, ignores: ".railwayignore" },
  { program: "serverless deploy", usedBy: /^serverless\.ya?ml$/, ignores: "serverless.yml" },
];
/** Folders in which no build of the project lies. */
const PASSED_OVER = new Set([".git", "node_modules", HOME_FOLDER]);

/** Lines that leave the home out. */
const LEAVES_OUT = new RegExp(`^(?:\\s*-\\s*["']?!)?/?(?:\\*\\*/)?\\${HOME_FOLDER}(?:/|/\\*\\*)?["']?\\s*$|^\\*\\s*$|^\\.\\*\\s*$`, "m");

/** Finds files that keep tools off the home and are missing, and programs that would send it along. */
export function* examineTools(world: World): Generator<Finding> {
  const { store } = world.home();
  for (const [name, text] of Object.entries(TOOL_FILES)) {
    const problem = "without it a tool that packs or formats the project takes the home's files too";
    if (!exists(store, name)) yield found("tool_file", problem, { path: name, fix: () => void publish(store, name, text) });
  }
  const top = path.dirname(store.root);
  const namesIn = (folder: string): string[] => orElse([], () => fs.readdirSync(path.join(top, folder)));
  const names = namesIn("").flatMap((name) => [name, ...(PASSED_OVER.has(name) ? [] : namesIn(name).map((each) => `${name}/${each}`))]);
  for (const { program, usedBy, ignores } of SENDERS) {
    if (!names.some((name) => usedBy.test(name))) continue;
    if (LEAVES_OUT.test(orElse("", () => readPlainText(path.join(top, ignores))))) continue;
    const line = ignores.endsWith(".yml") ? `- "!${HOME_FOLDER}/**" below package, patterns,` : HOME_FOLDER;
    const remedy = `Add a line ${line} to ${ignores} of the project`;
    yield found("sent_along", `${program} sends ${HOME_FOLDER} along, with its mail: ${ignores} does not leave it out`, { remedy });
  }
}
