// Measures the package beside other clients: bytes installed, bytes in a bundle, and time to load.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { root } from "./document.mjs";

const OTHERS = { stripe: "23.1.0", twilio: "6.2.0", resend: "6.38.0", svix: "2.5.0" };
const ONE_METHOD = {
  atumpan: `import { Atumpan } from "atumpan"; new Atumpan().messages.send({});`,
  stripe: `import Stripe from "stripe"; new Stripe("sk").customers.create({});`,
  twilio: `import twilio from "twilio"; twilio("AC1", "x").messages.create({});`,
  resend: `import { Resend } from "resend"; new Resend("re").emails.send({});`,
  svix: `import { Svix } from "svix"; new Svix("sk").message.create("app", {});`,
};

const run = (program, parameters, cwd) => {
  const done = spawnSync(program, parameters, { cwd, encoding: "utf8" });
  if (done.status !== 0) throw new Error(`${program} ${parameters.join(" ")}: ${done.stderr}`);
  return done.stdout;
};

const bytesOf = (path) => {
  const status = statSync(path);
  return status.isDirectory()
    ? readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0)
    : status.size;
};

const bundleOf = async (name, folder) => {
  const { outputFiles } = await build({
    stdin: { contents: ONE_METHOD[name], resolveDir: folder },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "node",
    write: false,
    logLevel: "error",
  });
  return gzipSync(outputFiles[0].contents, { level: 9 }).length;
};

const loadOf = (name, folder) => {
  const script = `const began = performance.now(); await import("${name}"); console.log(performance.now() - began);`;
  writeFileSync(join(folder, "load.mjs"), script);
  const times = Array.from({ length: 9 }, () => Number(run(process.execPath, ["load.mjs"], folder)));
  return times.sort((a, b) => a - b)[4];
};

const folder = mkdtempSync(join(tmpdir(), "atumpan-measure-"));
try {
  const [packed] = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", folder], root).replace(/^[^[]*/, ""));
  const sources = { atumpan: join(folder, packed.filename) };
  for (const [name, version] of Object.entries(OTHERS)) sources[name] = `${name}@${version}`;
  console.log("client | installed kB | packages | bundle kB gzip | import ms (median of 9)");
  for (const [name, source] of Object.entries(sources)) {
    const place = join(folder, name);
    mkdirSync(place);
    writeFileSync(join(place, "package.json"), "{}");
    run("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel", "error", source], place);
    const modules = join(place, "node_modules");
    const packages = readdirSync(modules).filter((entry) => !entry.startsWith(".")).length;
    const bundle = await bundleOf(name, place);
    const figures = [
      Math.round(bytesOf(modules) / 1000),
      packages,
      (bundle / 1000).toFixed(1),
      loadOf(name, place).toFixed(1),
    ];
    console.log(`${name} | ${figures.join(" | ")}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
