/** Checks whether other tools that work on the project pass the home by. spec/check.md, "doctor". */
import fs from "node:fs";
import path from "node:path";
import { orElse } from "../../objects/format/file-error.ts";
import { type Finding, found } from "../../objects/format/finding.ts";
import { exists } from "../../store/read/facts.ts";
import { readPlainText } from "../../store/read/plain-file.ts";
import { publish } from "../../store/write/publish.ts";
import type { World } from "../../world.ts";
import { HOME_FOLDER } from "../find-home.ts";
import { TOOL_FILES } from "../git/repository.ts";

/** A program that sends a whole folder somewhere: the files that say that a project uses it, and the one that says what it leaves out. */
interface Sender {
  program: string;
  usedBy: readonly string[];
  ignores: string;
}
const SENDERS: readonly Sender[] = [
  {
    program: "docker build",
    usedBy: ["Dockerfile", "Containerfile", "compose.yaml", "compose.yml", "docker-compose.yml"],
    ignores: ".dockerignore",
  },
  { program: "vsce package", usedBy: [".vscodeignore"], ignores: ".vscodeignore" },
  { program: "gcloud", usedBy: ["app.yaml", "cloudbuild.yaml", ".gcloudignore"], ignores: ".gcloudignore" },
  { program: "vercel", usedBy: ["vercel.json", ".vercelignore"], ignores: ".vercelignore" },
];

/** Lines that leave the home out. */
const LEAVES_OUT = new RegExp(`^/?(?:\\*\\*/)?\\${HOME_FOLDER}(?:/|/\\*\\*)?\\s*$|^\\*\\s*$|^\\.\\*\\s*$`, "m");

/** Finds files that keep tools off the home and are missing, and programs that would send it along. */
export function* examineTools(world: World): Generator<Finding> {
  const { store } = world.home();
  for (const [name, text] of Object.entries(TOOL_FILES)) {
    const problem = "without it a tool that packs or formats the project takes the home's files too";
    if (!exists(store, name)) yield found("tool_file", problem, { path: name, fix: () => void publish(store, name, text) });
  }
  const top = path.dirname(store.root);
  for (const { program, usedBy, ignores } of SENDERS) {
    if (!usedBy.some((name) => fs.existsSync(path.join(top, name)))) continue;
    if (LEAVES_OUT.test(orElse("", () => readPlainText(path.join(top, ignores))))) continue;
    const remedy = `Add a line ${HOME_FOLDER} to ${ignores} of the project`;
    yield found("sent_along", `${program} sends ${HOME_FOLDER} along, with its mail: ${ignores} does not leave it out`, { remedy });
  }
}
