/** The packages of others, as the command takes them: each bundled alone, with what Relay uses of it. */
import { createRequire, isBuiltin } from "node:module";
import path from "node:path";
import { build } from "esbuild";

const require = createRequire(import.meta.url);

/** What holds wherever packages are bundled: these for the command, and all that the library is made of. */
export const bundling = {
  bundle: true,
  minify: true,
  platform: "node",
  target: "node20.19",
  loader: { ".md": "text", ".yml": "text", ".service": "text" },
  // The packages' entries for Node are CommonJS, which takes longer to start, or cannot be bundled; these are the same as modules.
  alias: {
    yaml: path.resolve("node_modules/yaml/browser/index.js"),
    "jsonc-parser": path.resolve("node_modules/jsonc-parser/lib/esm/main.js"),
  },
  plugins: [{ name: "leave out", setup: leaveOut }],
  legalComments: "linked",
  logLevel: "warning",
};

/** What holds for code that the command is made of: CommonJS, because no code of modules can be kept compiled. */
export const asCommonJs = {
  ...bundling,
  format: "cjs",
  charset: "ascii",
  plugins: [...bundling.plugins, { name: "node's own", setup: nodesOwn }],
};

/**
 * A package as CommonJS, and the licences that its code has to show.
 * @param name what is imported; several parts of one package have a blank between them
 * @param taken the names that are taken from it
 */
export async function packaged(name, taken) {
  const parts = name.split(" ");
  const contents =
    parts.length === 1 ? `export { ${taken.join(", ")} } from "${name}";` : parts.map((part) => `export * from "${part}";`).join("\n");
  const stdin = { contents, resolveDir: path.resolve("."), sourcefile: `${name}.js` };
  const { outputFiles } = await build({ ...asCommonJs, stdin, outfile: "package.js", write: false });
  const text = (end) => outputFiles.find((file) => file.path.endsWith(end))?.text ?? "";
  return { text: text("package.js").replace(/^\/\*!.*LEGAL\.txt \*\/$/m, ""), licences: text(".LEGAL.txt") };
}

/**
 * What packages load and Relay never uses: gray-matter's YAML parser (`protocol/core/format/frontmatter.ts` gives it another),
 * Node's module for child processes in commander, for commands that are programs of their own, and the MCP SDK's validator
 * (`mcp/no-validator.ts`). And signal-exit, by which
 * proper-lockfile removes its locks: it would take every signal of the process, and of a program that uses the library, and end it
 * once nobody else listens. A lock that is left is taken from its holder, who is gone (`protocol/store/lock.ts`).
 */
function leaveOut({ onResolve, onLoad }) {
  onResolve({ filter: /^js-yaml$/ }, () => ({ path: "js-yaml", namespace: "left-out" }));
  onResolve({ filter: /\/ajv-provider\.js$/ }, () => ({ path: "ajv", namespace: "left-out" }));
  onResolve({ filter: /^signal-exit$/ }, () => ({ path: "signal-exit", namespace: "deaf" }));
  onLoad({ filter: /./, namespace: "deaf" }, () => ({ contents: "module.exports = () => () => {};" }));
  onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
    importer.includes("commander") ? { path: "child_process", namespace: "left-out" } : undefined,
  );
  onLoad({ filter: /./, namespace: "left-out" }, ({ path: name }) => ({
    contents: `exports.safeLoad = exports.safeDump = exports.spawn = exports.AjvJsonSchemaValidator = () => { throw new Error("${name} is left out"); };`,
  }));
}

/**
 * Node's own modules, each taken once. esbuild would copy all that such a module exports, for every file that imports it,
 * and a tenth of the start would go into that.
 */
function nodesOwn({ onResolve, onLoad }) {
  onResolve({ filter: /./ }, ({ path: name, kind }) =>
    kind === "import-statement" && isBuiltin(name) ? { path: name, namespace: "node", sideEffects: false } : undefined,
  );
  onLoad({ filter: /./, namespace: "node" }, ({ path: name }) => {
    const exported = Object.keys(require(name)).filter((key) => /^[A-Za-z_]\w*$/.test(key) && key !== "default");
    const lines = exported.map((key) => `const own_${key} = /* @__PURE__ */ get("${key}"); export { own_${key} as ${key} };`);
    return {
      contents: `const own = require("${name}"); const get = (key) => own[key]; export default own; ${lines.join("\n")}`,
    };
  });
}
