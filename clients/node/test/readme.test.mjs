// The blocks of the README, each as a program of its own.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { webhooks } from "../dist/index.mjs";
import { root } from "../scripts/document.mjs";
import { freePort, signUp } from "./support/service.mjs";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const text = readFileSync(`${root}README.md`, "utf8");
const blocks = [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].map(([, language, code]) => ({ language, code }));
const programs = blocks.filter(({ language }) => language === "js").map(({ code }) => code);
const find = (word) => programs.find((code) => code.includes(word));

let folder;
let env;

before(async () => {
  // Inside of the package, so that its name and the frameworks are found.
  folder = mkdtempSync(`${root}test/.readme-`);
  const account = await signUp();
  await account.session.events.create({
    name: "Ready",
    slug: "order.ready",
    channelPriority: ["SMS"],
    templateId: await template(account.session),
  });
  env = {
    ...process.env,
    ATUMPAN_API_KEY: account.key,
    ATUMPAN_BASE_URL: account.baseUrl,
    ATUMPAN_TOKEN: account.token,
    ATUMPAN_ORGANIZATION: account.organizationId,
    WEBHOOK_SECRET: SECRET,
  };
});

after(() => rmSync(folder, { recursive: true, force: true }));

const template = async (session) =>
  (await session.templates.create({ name: "Ready", channel: "SMS", body: "Your order of today is ready." })).id;

/** Runs a program to its end, and returns what it printed. */
const start = (code, more = {}) => {
  const name = `program-${Math.random()}.mjs`;
  writeFileSync(join(folder, name), code);
  const child = spawn(process.execPath, [name], { cwd: folder, env: { ...env, ...more } });
  let output = "";
  child.stdout.on("data", (part) => (output += part));
  child.stderr.on("data", (part) => (output += part));
  const ended = new Promise((resolve) => child.on("exit", (status) => resolve({ status, output })));
  return { child, ended, output: () => output };
};

const runs = async (word, expected) => {
  const { status, output } = await start(find(word)).ended;
  assert.equal(status, 0, output);
  assert.match(output, expected);
};

describe("README", { concurrency: 2 }, () => {
  it("sends a first message, in six lines", async () => {
    await runs("waitUntilFinal", /^DELIVERED\n$/);
    const lines = find("waitUntilFinal")
      .split("\n")
      .filter((line) => line.trim() !== "");
    assert.ok(lines.length <= 6);
  });
  it("sends many", () => runs("sendBulk", /^QUEUED\n$/));
  it("lists", () => runs("events.list", /^order\.ready\n$/));
  it("imports and exports", () => runs("createReadStream", /\n?1\n$/));
  it("tells errors apart", () => runs("InsufficientBalanceError, RateLimitedError", /is not a valid phone number/));
  it("tests a program", () => runs("FakeService", /^$/));

  for (const framework of ["express", "Fastify"]) {
    it(`receives webhooks with ${framework}`, async () => {
      const port = String(await freePort());
      const { child, ended, output } = start(find(`import ${framework}`), { PORT: port });
      const url = `http://127.0.0.1:${port}/webhooks`;
      const event = { id: "1", event: "message.status.updated", data: { recipient: "+233241234567", status: "SENT" } };
      const body = JSON.stringify(event, undefined, 1);
      const headers = await webhooks.sign(body, SECRET);
      const post = (more) => fetch(url, { method: "POST", body, headers: { ...headers, ...more } });
      let answer;
      for (let tries = 0; !answer && tries < 100; tries++) {
        answer = await post().catch(() => sleep(50));
      }
      assert.equal(answer?.status, 204, output());
      const forged = await post({ "webhook-signature": "v1,AAAA" });
      assert.deepEqual([forged.status, await forged.text()], [401, "SIGNATURE"]);
      child.kill();
      await ended;
      assert.equal(output(), "+233241234567 SENT\n");
    });
  }

  it("receives webhooks in a worker", async () => {
    const code = find("export default").replace("export default", "const worker =");
    const body = JSON.stringify({ id: "1", event: "wallet.low", data: {} });
    const headers = await webhooks.sign(body, SECRET);
    const call = `new Request("http://localhost", { method: "POST", body: ${JSON.stringify(body)}, headers: ${JSON.stringify(headers)} })`;
    const { status, output } = await start(`${code}
      const { status } = await worker.fetch(${call}, process.env);
      console.log(status);`).ended;
    assert.equal(status, 0, output);
    assert.equal(output, "wallet.low\n204\n");
  });

  it("has no other block", () => {
    assert.equal(programs.length, 9);
    const shells = blocks.filter(({ language }) => language === "sh").map(({ code }) => code);
    assert.equal(shells.length + programs.length, blocks.length);
    // The package is installed by package.test.mjs; the others are the scripts of package.json.
    const { scripts } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
    for (const [, name] of shells.join("").matchAll(/npm (?:run )?(test|generate|measure)/g)) assert.ok(scripts[name]);
  });
});
