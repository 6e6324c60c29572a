// Starts the service, and runs the tests of the built package; or those of the files that are named.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { root } from "./document.mjs";

const run = (program, parameters, env = {}) =>
  spawnSync(program, parameters, { cwd: root, stdio: "inherit", env: { ...process.env, ...env } }).status ?? 1;

const { startService } = await import("../test/support/service.mjs");
const service = await startService();
try {
  const named = process.argv.slice(2);
  const all = readdirSync(`${root}test`).filter((name) => name.endsWith(".test.mjs"));
  const files = (named.length > 0 ? named.map((name) => `${name}.test.mjs`) : all).map((name) => `test/${name}`);
  process.exitCode = run(process.execPath, ["--test", ...files], { ATUMPAN_TEST_URL: service.baseUrl });
} finally {
  await service.stop();
}
