// Starts the service for tests, with a database of its own, and stops it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { root } from "../../scripts/document.mjs";
import { Atumpan } from "../../dist/index.mjs";

const programOf = () => {
  if (process.env.ATUMPAN_PROGRAM) return process.env.ATUMPAN_PROGRAM;
  const built = ["debug", "release"].map((profile) => `${root}../../target/${profile}/atumpan`).filter(existsSync);
  built.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  if (built.length === 0) throw new Error("build the service first, or name its program in ATUMPAN_PROGRAM");
  return built[0];
};

/** Returns a port that nobody listens on. */
export const freePort = async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
};

/** Starts the program and waits until it is ready. */
export const startService = async () => {
  const folder = mkdtempSync(join(tmpdir(), "atumpan-node-"));
  // The database may run as another user.
  chmodSync(folder, 0o755);
  const listen = `127.0.0.1:${await freePort()}`;
  const log = join(folder, "log");
  const output = openSync(log, "w");
  const child = spawn(programOf(), [], {
    cwd: folder,
    stdio: ["ignore", output, output],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      ATUMPAN_LISTEN: listen,
      ATUMPAN_DATA_DIR: join(folder, "data"),
      ATUMPAN_RATE_LIMITS: "off",
    },
  });
  const baseUrl = `http://${listen}`;
  const stop = async () => {
    if (child.exitCode === null) {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  for (let tries = 0; tries < 600; tries++) {
    const answer = await fetch(`${baseUrl}/health/ready`).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer?.ok) return { baseUrl, stop };
    if (child.exitCode !== null) break;
    await sleep(100);
  }
  const lines = readFileSync(log, "utf8");
  await stop();
  throw new Error(`the service does not start:\n${lines}`);
};

let users = 0;

/** Registers a user with an organization, and returns clients of its session and of its two keys. */
export const signUp = async (baseUrl = process.env.ATUMPAN_TEST_URL) => {
  const { token, organization } = await new Atumpan({ baseUrl }).authentication.register({
    email: `ama.${process.pid}.${Date.now()}.${users++}@example.com`,
    password: "correct horse battery",
    firstName: "Ama",
    lastName: "Mensah",
    organizationName: "Kente Online",
  });
  const session = new Atumpan({ baseUrl, token, organizationId: organization.id });
  const { key } = await session.apiKeys.create({ name: "Tests" });
  const live = await session.apiKeys.create({ name: "Shop", isSandbox: false });
  return { baseUrl, token, organizationId: organization.id, session, key, liveKey: live.key };
};
