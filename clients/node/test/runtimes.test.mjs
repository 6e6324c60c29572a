// Other programs that run JavaScript: the first message, and the check of a webhook.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { root } from "../scripts/document.mjs";
import { signUp } from "./support/service.mjs";

const RUNTIMES = {
  bun: ["run", "program.mjs"],
  deno: ["run", "--no-prompt", "--allow-net", "--allow-env", "program.mjs"],
};
const PROGRAM = `import { Atumpan, NotFoundError, webhooks } from "atumpan";
import { FakeService } from "atumpan/testing";
const client = new Atumpan();
const message = await client.messages.send({ channel: "SMS", to: "0241234567", body: "Akwaaba!" });
const { status } = await client.messages.waitUntilFinal(message.id, { timeout: 10_000 });
const missing = await client.messages.get("019a5b8e-6c2f-7d10-a4c3-e5f708192a3b").catch((error) => error);
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const event = await webhooks.verify('{"event":"wallet.low"}', await webhooks.sign('{"event":"wallet.low"}', secret), secret);
const fake = new FakeService().failNext("lost-answer");
await new Atumpan({ apiKey: "k", fetch: fake.fetch }).messages.send({ channel: "SMS", to: "0241234567", body: "Once" });
const refused = await new Atumpan({ baseUrl: "http://127.0.0.1:9" }).contacts.delete("1").catch((error) => error);
const counts = [fake.requests.length, fake.messages.length];
console.log(JSON.stringify([status, missing instanceof NotFoundError, event.event, counts, refused.code]));
`;

let folder;
let environment;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "atumpan-runtimes-"));
  const home = join(folder, "node_modules", "atumpan");
  mkdirSync(home, { recursive: true });
  for (const name of ["dist", "package.json"]) cpSync(join(root, name), join(home, name), { recursive: true });
  writeFileSync(join(folder, "package.json"), "{}");
  writeFileSync(join(folder, "program.mjs"), PROGRAM);
  const account = await signUp();
  environment = { ATUMPAN_API_KEY: account.key, ATUMPAN_BASE_URL: account.baseUrl };
});

after(() => rmSync(folder, { recursive: true, force: true }));

for (const [runtime, parameters] of Object.entries(RUNTIMES)) {
  const isThere = spawnSync(runtime, ["--version"]).status === 0;
  // Those who run the long tests must have them.
  const skip = isThere || process.env.LONG_TESTS ? false : `${runtime} is not installed`;
  test(`a message is sent with ${runtime}`, { skip }, () => {
    const env = { ...process.env, ...environment, NO_COLOR: "1" };
    const done = spawnSync(runtime, parameters, { cwd: folder, env, encoding: "utf8" });
    assert.equal(done.status, 0, `${done.error ?? ""}${done.stdout}${done.stderr}`);
    assert.equal(done.stdout, '["DELIVERED",true,"wallet.low",[2,1],"CONNECTION_FAILED"]\n');
  });
}
