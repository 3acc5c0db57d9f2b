/** Edits the text of `relay.yml` so that comments stay. SPEC.md, "relay.yml". */
import * as YAML from "yaml";
import { readEditableYaml } from "../format/yaml.ts";

/** One change of `relay.yml`. */
export type ConfigEdit =
  | { kind: "add"; part: string; about?: string | undefined }
  | { kind: "remove"; part: string }
  | { kind: "rename"; from: string; to: string }
  /** A part out of another that has its names as former ones; `main` where it is main in its place. */
  | { kind: "split"; from: string; part: string; about?: string | undefined; formerly: readonly string[]; main: boolean }
  | { kind: "main"; part: string };

/** Applies one change and leaves everything else, comments too, as it is; whether it is a configuration still is for who calls to find out. */
export function editText(source: string, edit: ConfigEdit): string {
  const { document } = readEditableYaml(source);
  switch (edit.kind) {
    case "add":
      // An empty map is written in one line by hand; a block reads better once it has entries.
      document.setIn(["parts", edit.part], document.createNode(edit.about === undefined ? {} : { about: edit.about }));
      break;
    case "remove":
      document.deleteIn(["parts", edit.part]);
      break;
    case "rename": {
      const parts = document.get("parts") as YAML.YAMLMap;
      const pair = parts.items.find((item) => String(YAML.isScalar(item.key) ? item.key.value : item.key) === edit.from);
      if (pair !== undefined) pair.key = document.createNode(edit.to);
      const before = (document.getIn(["parts", edit.to, "formerly"]) as YAML.YAMLSeq | undefined)?.toJSON() as string[] | undefined;
      const formerly = [...new Set([...(before ?? []), edit.from])].filter((name) => name !== edit.to);
      if (document.getIn(["parts", edit.to]) === null) document.setIn(["parts", edit.to], document.createNode({}));
      document.setIn(["parts", edit.to, "formerly"], document.createNode(formerly, { flow: true }));
      if (document.get("main") === edit.from) document.set("main", edit.to);
      break;
    }
    case "split": {
      const had = (document.getIn(["parts", edit.from, "formerly"]) as YAML.YAMLSeq | undefined)?.toJSON() as string[] | undefined;
      const left = (had ?? []).filter((name) => name !== edit.part && !edit.formerly.includes(name));
      if (left.length === 0) document.deleteIn(["parts", edit.from, "formerly"]);
      else document.setIn(["parts", edit.from, "formerly"], document.createNode(left, { flow: true }));
      document.setIn(["parts", edit.part], document.createNode(edit.about === undefined ? {} : { about: edit.about }));
      if (edit.formerly.length > 0) document.setIn(["parts", edit.part, "formerly"], document.createNode(edit.formerly, { flow: true }));
      if (edit.main) document.set("main", edit.part);
      break;
    }
    case "main":
      document.set("main", edit.part);
      break;
  }
  return document.toString({ lineWidth: 0 });
}
