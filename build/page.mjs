/** Builds what a browser loads of the dashboard: one script and one style sheet, and nothing from elsewhere. */
import { copyFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";

const SOURCES = "dashboard/web";

/** @param outdir the folder that gets the files */
export async function buildPage(outdir) {
  await build({
    entryPoints: { app: `${SOURCES}/main.tsx`, style: `${SOURCES}/style/app.css` },
    outdir,
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    alias: { entities: `./${SOURCES}/part/entities.ts` },
    legalComments: "linked",
    logLevel: "warning",
  });
  for (const file of ["index.html", "icon.svg"]) copyFileSync(`${SOURCES}/${file}`, path.join(outdir, file));
}
