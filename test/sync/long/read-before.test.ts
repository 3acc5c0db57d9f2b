/** What is kept of a long `relay.yml`, so that a call need not read it as YAML: it spares time, and changes no answer. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { Config } from "../../../protocol/core/config/config.ts";
import { sha256 } from "../../../protocol/store/digest.ts";
import { homeWith, worldAt } from "../../rig/home.ts";
import { scratch } from "../../rig/scratch.ts";

interface Place {
  code: string;
  state: string;
}

/** More than is read quickly. */
const PARTS = 500;
const fileOf = ({ code }: Place): string => path.join(code, ".relay/relay.yml");
const edit = (place: Place, change: (text: string) => string): void =>
  fs.writeFileSync(fileOf(place), change(fs.readFileSync(fileOf(place), "utf8")));

/** A home whose `relay.yml` has so many parts, and a state folder of its own. */
async function homeOf(parts: number): Promise<Place> {
  const place = { code: await homeWith("web"), state: scratch() };
  const lines = Array.from({ length: parts }, (_, n) => `  p${n}:\n    about: "Module ${n}"\n    formerly: [old${n}]\n`);
  edit(place, (text) => text.replace(/^parts:\n/m, `parts:\n${lines.join("")}`));
  return place;
}

/** The configuration as a call by itself reads it. */
const read = ({ code, state }: Place): Config =>
  worldAt(code, { env: { XDG_STATE_HOME: state } })
    .home()
    .config();
const about = (place: Place, part = "p0"): string | undefined => read(place).parts.get(part)?.about;

/** The files of the state folder in which something is kept of a configuration. */
function keptIn({ state }: Place): string[] {
  const places = path.join(state, "relay/places");
  if (!fs.existsSync(places)) return [];
  return fs.readdirSync(places).flatMap((id) => {
    const file = path.join(places, id, "relay-yml.json");
    return fs.existsSync(file) ? [file] : [];
  });
}
const keptOf = (place: Place): string => keptIn(place)[0] as string;

/** Gives what is kept a purpose that the text does not have: whoever tells it did not read the text. */
function mark(place: Place): void {
  const kept = JSON.parse(fs.readFileSync(keptOf(place), "utf8"));
  kept.settings.parts.p0.about = "Kept";
  const digest = sha256(`${fs.readFileSync(fileOf(place), "utf8")}\0${JSON.stringify(kept.settings)}`);
  fs.writeFileSync(keptOf(place), JSON.stringify({ ...kept, digest }));
}

test("a long configuration is read once as YAML, and what was kept of it counts for exactly that text", async () => {
  const place = await homeOf(PARTS);
  const first = read(place);
  expect(first.parts.size).toBe(PARTS + 3);
  expect(keptIn(place)).toHaveLength(1);
  expect(read(place)).toEqual(first);

  mark(place);
  expect(about(place)).toBe("Kept");
  edit(place, (text) => `${text}# changed\n`);
  expect(read(place)).toEqual(first);
  expect(keptIn(place)).toHaveLength(1);
  expect(about(place)).toBe("Module 0");
});

test("while the file cannot be read, the last good one is not read as YAML again either", async () => {
  const place = await homeOf(PARTS);
  read(place);
  mark(place);
  edit(place, (text) => `${text}\nparts: [\n`);
  expect(about(place)).toBe("Kept");
  const world = worldAt(place.code, { env: { XDG_STATE_HOME: place.state } });
  expect(world.home().configFault()).toMatchObject({ code: "malformed_file", line: expect.any(Number) });
});
