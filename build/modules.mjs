/**
 * The program as modules that are evaluated when something of them is first used, and not when they are named. What stands at the
 * top of a file stays where it is, and a start pays for what it touches.
 *
 * A module becomes a function of the piece that it lies in. What it imports is written as `(e[17]||m(17)).name`: what module 17
 * exports, evaluated first where nobody did so. `e` holds what each module exports, `m` evaluates, `t` holds the functions.
 */
import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import path from "node:path";
import { transform } from "esbuild";
import { digest, keptAnswer } from "./kept.mjs";

const TEXT = /\.(md|yml|service)$/;
const IMPORT = /^var (\w+) = (?:__toESM\()?require\("([^"]+)"\)(?:, 1)?\)?;$/gm;
const BARE_IMPORT = /^require\("([^"]+)"\);$/gm;
const LATE_IMPORT = /\bimport\("([^"]+)"\)/g;
const EXPORTS = /^var (\w+) = \{\};\n__export\(\1, \{\n([\s\S]*?)\n\}\);\nmodule\.exports = __toCommonJS\(\1\);\n/m;
const EXPORTED = /^ {2}(?:(\w+)|"([^"]+)"): \(\) => (.+?),?$/gm;
/** A table of what others export: each of its entries is looked up when it is used. */
const TABLE = /^const \w+ = \{\n(?: {2}\w+: \w+\.\w+,?\n)+\};$/gm;
const ENTRY = /^ {2}(\w+): (\w+\.\w+),?$/gm;
const NAMES_FOR_NODE = /^\/\/ Annotate the CommonJS export names for ESM import in node:\n[\s\S]*$/m;

/**
 * Every module that an entry reaches, by the name under which others import it.
 * @returns files with what they export and their text, and packages with the names that are taken from them
 */
export async function modulesFrom(entry, options) {
  const found = new Map();
  for (let names = [entry]; names.length > 0; ) {
    const modules = await Promise.all(
      names.map((name) => (path.isAbsolute(name) ? fileModule(name, options) : { name, imports: [], taken: new Set() })),
    );
    for (const module of modules) found.set(module.name, module);
    names = [...new Set(modules.flatMap(({ imports }) => imports.map(({ of }) => of)))].filter((name) => !found.has(name));
  }
  for (const { imports } of found.values()) for (const { of, names } of imports) for (const each of names) found.get(of).taken?.add(each);
  return found;
}

/** A file, taken apart: what it imports, its body without that, and what it exports as `[name, value]`. */
async function fileModule(name, options) {
  const source = readFileSync(name, "utf8");
  if (TEXT.test(name)) return { name, imports: [], body: "", exported: [["default", JSON.stringify(source)]] };
  const code = await transformed(source, { ...options, loader: "ts", format: "cjs", sourcefile: path.relative(".", name) });
  const [block = "", , listed = ""] = EXPORTS.exec(code) ?? [];
  const whole = code.slice(block === "" ? 0 : code.indexOf(block) + block.length).replace(NAMES_FOR_NODE, "");
  const said = [IMPORT, BARE_IMPORT, LATE_IMPORT].flatMap((form) => [...whole.matchAll(form)].map((match) => match.at(-1)));
  const ofSaid = nameOfImport(name, said);
  const body = whole
    .replace(IMPORT, "")
    .replace(TABLE, (table) => table.replace(ENTRY, "  get $1() { return $2; },"))
    .replace(BARE_IMPORT, (_line, each) => `${wordOf(ofSaid(each))};`)
    .replace(LATE_IMPORT, (_call, each) => `Promise.resolve().then(() => ${wordOf(ofSaid(each))})`);
  const left = /.*\brequire\(".*/.exec(body);
  if (left !== null) throw new Error(`${name}: an import of a form that the build does not know: ${left[0]}`);
  const locals = [...whole.matchAll(IMPORT)].map(([, local, each]) => {
    const names = [...body.matchAll(new RegExp(`\\b${local}\\.([\\w$]+)`, "g"))].map(([, used]) => used);
    return { local, of: ofSaid(each), said: each, names };
  });
  const others = [...BARE_IMPORT[Symbol.matchAll](whole), ...whole.matchAll(LATE_IMPORT)].map(([, each]) => ({
    local: null,
    of: ofSaid(each),
    said: each,
    names: lateNames(whole, each),
  }));
  const exported = [...listed.matchAll(EXPORTED)].map(([, plain, quoted, value]) => [plain ?? quoted, value]);
  return { name, imports: [...locals, ...others], body, exported };
}

/** The names that are taken from what is imported late. */
function lateNames(code, said) {
  const call = `await import\\("${said.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}"\\)`;
  const lists = [...code.matchAll(new RegExp(`\\{([^{}]*)\\} = ${call}`, "g"))].map(([, list]) => list);
  const alone = [...code.matchAll(new RegExp(`\\(${call}\\)\\.(\\w+)`, "g"))].map(([, name]) => name);
  return [...lists.flatMap((list) => list.split(",").map((item) => item.split(":")[0].trim())), ...alone];
}

/** The name of a module by what an import says. What one file takes from several parts of a package comes as one. */
function nameOfImport(file, all) {
  const packageOf = (said) =>
    said
      .split("/")
      .slice(0, said.startsWith("@") ? 2 : 1)
      .join("/");
  return (said) => {
    if (said.startsWith(".")) return path.resolve(path.dirname(file), said);
    if (isBuiltin(said)) return said;
    return [...new Set(all.filter((each) => !each.startsWith(".") && packageOf(each) === packageOf(said)))].sort().join(" ");
  };
}

/** Code as esbuild transforms it. */
const transformed = (source, options) => keptAnswer([source, options], async () => (await transform(source, options)).code);

const words = new Map();
/** A word that stands for what a module exports, until the modules have numbers: the same in every build. */
function wordOf(name) {
  if (!words.has(name)) words.set(name, `RELAY_MODULE_${digest(path.isAbsolute(name) ? path.relative(".", name) : name).slice(0, 16)}_`);
  return words.get(name);
}

/**
 * The function of a module, minified.
 * @param idOf gives the number of a module by its name
 * @param packaged gives the text of a package as CommonJS
 */
export async function functionOf({ name, imports, taken, body, exported }, idOf, packaged, options) {
  const id = idOf(name);
  if (isBuiltin(name)) return `_t_[${id}]=()=>{_e_[${id}]=require("${name.replace(/^node:/, "")}")};`;
  if (body === undefined)
    return `_t_[${id}]=()=>{const module={exports:{}};((module,exports)=>{${await packaged(name, [...taken])}\n})(module,module.exports);_e_[${id}]=module.exports};`;
  // What is assigned anew, or is another module's, is looked up each time.
  const isFixed = (value) => value.startsWith('"') || (/^\w+$/.test(value) && !new RegExp(`^let ${value}\\b`, "m").test(body));
  const entries = exported.map(([as, value]) => (isFixed(value) ? `${as}: ${value}` : `get ${as}() { return ${value}; }`));
  const define = Object.fromEntries(
    imports
      .filter(({ local }) => local !== null)
      .flatMap(({ local, of }) => [[local, wordOf(of)], ...(isBuiltin(of) ? [[`${local}.default`, wordOf(of)]] : [])]),
  );
  const whole = `RELAY_THIS = () => {"use strict";\n${body}\nRELAY_EXPORTS = {${entries.join(",\n")}};\n};`;
  const code = await transformed(whole, { ...options, loader: "js", minify: true, define: { ...options.define, ...define } });
  const ids = new Map([...words].map(([each, word]) => [word, each]));
  return code
    .trim()
    .replace("RELAY_THIS=", `_t_[${id}]=`)
    .replace("RELAY_EXPORTS=", `_e_[${id}]=`)
    .replace(/\bRELAY_MODULE_[0-9a-f]+_/g, (word) => `(_e_[${idOf(ids.get(word))}]||_m_(${idOf(ids.get(word))}))`);
}
