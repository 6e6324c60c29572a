// Builds dist: one file for each kind of module, and the types.
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { build } from "esbuild";
import { root } from "./document.mjs";

const ENTRIES = ["index", "testing"];

rmSync(`${root}dist`, { recursive: true, force: true });
for (const [format, extension] of [
  ["esm", ".mjs"],
  ["cjs", ".js"],
]) {
  await build({
    entryPoints: ENTRIES.map((entry) => `${root}src/${entry}.ts`),
    outdir: `${root}dist`,
    outExtension: { ".js": extension },
    bundle: true,
    format,
    target: "es2022",
    platform: "neutral",
  });
}
const types = spawnSync(`${root}node_modules/.bin/tsc`, ["-p", root], { stdio: "inherit" });
for (const entry of ENTRIES) {
  for (const extension of ["d.ts", "d.mts"]) {
    writeFileSync(`${root}dist/${entry}.${extension}`, `export * from "./types/${entry}.js";\n`);
  }
}
process.exitCode = types.status ?? 1;
