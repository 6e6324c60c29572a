// Verification of webhooks: by known signatures, in frameworks, and of the service itself.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Atumpan, webhooks } from "../dist/index.mjs";
import { signUp } from "./support/service.mjs";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const OTHER = `whsec_${btoa("another secret of 24 byte")}`;
const BODY = JSON.stringify({
  id: "evt_1",
  event: "message.status.updated",
  createdAt: "",
  organizationId: "",
  data: { status: "SENT" },
});

const reasonOf = (promise) =>
  promise.then(
    () => "none",
    ({ name, reason }) => `${name} ${reason}`.replace("WebhookVerificationError ", ""),
  );

describe("a signature", () => {
  // https://docs.svix.com/receiving/verifying-payloads/how-manual
  it("is that of Standard Webhooks", async () => {
    const headers = await webhooks.sign('{"test": 2432232314}', SECRET, {
      id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
      timestamp: 1614265330,
    });
    assert.equal(headers["webhook-signature"], "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  });

  it("is taken in all kinds of bodies and headers", async () => {
    const headers = await webhooks.sign(BODY, SECRET);
    for (const body of [
      BODY,
      Buffer.from(BODY),
      new TextEncoder().encode(BODY),
      new TextEncoder().encode(BODY).buffer,
    ]) {
      assert.equal((await webhooks.verify(body, headers, SECRET)).data.status, "SENT");
    }
    const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));
    for (const form of [new Headers(headers), upper])
      assert.equal((await webhooks.verify(BODY, form, SECRET)).id, "evt_1");
  });

  it("is taken with either secret during a rotation", async () => {
    const former = await webhooks.sign(BODY, OTHER);
    const present = await webhooks.sign(BODY, SECRET, { timestamp: Number(former["webhook-timestamp"]) });
    const both = { ...present, "webhook-signature": `${present["webhook-signature"]} ${former["webhook-signature"]}` };
    for (const secret of [SECRET, OTHER, [SECRET, OTHER], [OTHER, SECRET]]) await webhooks.verify(BODY, both, secret);
    await webhooks.verify(BODY, former, [SECRET, OTHER]);
    assert.equal(await reasonOf(webhooks.verify(BODY, former, [SECRET])), "SIGNATURE");
  });

  it("is refused with the reason", async () => {
    const headers = await webhooks.sign(BODY, SECRET);
    for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"]) {
      assert.equal(await reasonOf(webhooks.verify(BODY, { ...headers, [name]: undefined }, SECRET)), "HEADER_MISSING");
    }
    assert.equal(await reasonOf(webhooks.verify(JSON.parse(BODY), headers, SECRET)), "BODY_PARSED");
    assert.equal(await reasonOf(webhooks.verify(undefined, headers, SECRET)), "BODY_PARSED");
    assert.equal(await reasonOf(webhooks.verify(`${BODY} `, headers, SECRET)), "SIGNATURE");
    assert.equal(await reasonOf(webhooks.verify(BODY, headers, OTHER)), "SIGNATURE");
    for (const signature of ["v1,", "v1,%", "v1a,x", "none"]) {
      assert.equal(
        await reasonOf(webhooks.verify(BODY, { ...headers, "webhook-signature": signature }, SECRET)),
        "SIGNATURE",
      );
    }
    for (const seconds of [-301, 301]) {
      const timestamp = Math.floor(Date.now() / 1000) + seconds;
      assert.equal(
        await reasonOf(webhooks.verify(BODY, await webhooks.sign(BODY, SECRET, { timestamp }), SECRET)),
        "CLOCK",
      );
    }
    const moved = { ...headers, "webhook-timestamp": String(Number(headers["webhook-timestamp"]) + 1) };
    assert.equal(await reasonOf(webhooks.verify(BODY, moved, SECRET)), "SIGNATURE");
    await assert.rejects(
      webhooks.verify(BODY, headers, "whsec_%%"),
      (error) => error instanceof TypeError && !error.message.includes("%%"),
    );
  });
});

describe("the service's webhooks", () => {
  let account;
  before(async () => (account = await signUp()));

  it("are verified, before and after a rotation", async () => {
    const calls = [];
    const receiver = createServer(async (request, answer) => {
      const parts = [];
      for await (const part of request) parts.push(part);
      calls.push({ body: Buffer.concat(parts), headers: request.headers });
      answer.writeHead(204).end();
    }).listen(0, "127.0.0.1");
    await once(receiver, "listening");
    const { id, secret } = await account.session.webhookEndpoints.create({
      url: `http://127.0.0.1:${receiver.address().port}/`,
      events: ["message.status.updated"],
    });
    // An endpoint gets what happens from one second after it was made.
    await sleep(1100);
    const client = new Atumpan({ apiKey: account.key, baseUrl: account.baseUrl });
    const until = async (count) => {
      for (let tries = 0; calls.length < count && tries < 100; tries++) await sleep(100);
      assert.ok(calls.length >= count, `${calls.length} calls`);
    };
    await client.messages.send({ channel: "SMS", to: "0241234567", body: "Akwaaba!" });
    await until(2);
    const rotated = await account.session.webhookEndpoints.rotateSecret(id);
    const before = calls.length;
    await client.messages.send({ channel: "SMS", to: "0241234567", body: "Akwaaba!" });
    await until(before + 2);
    receiver.close();
    for (const { body, headers } of calls) {
      const event = await webhooks.verify(body, headers, secret);
      assert.equal(event.event, "message.status.updated");
      assert.equal(event.organizationId, account.organizationId);
      const signed = await webhooks.sign(body, secret, {
        id: headers["webhook-id"],
        timestamp: headers["webhook-timestamp"],
      });
      assert.ok(headers["webhook-signature"].split(" ").includes(signed["webhook-signature"]));
    }
    const { body, headers } = calls.at(-1);
    assert.equal((await webhooks.verify(body, headers, rotated.secret)).data.recipient, "+233241234567");
    assert.equal((await webhooks.sign(body, rotated.secret))["x-service-signature"], headers["x-service-signature"]);
  });
});
