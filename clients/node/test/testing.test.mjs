// The service in memory, as users test their own programs with it.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  Atumpan,
  ConflictError,
  ConnectionError,
  InsufficientBalanceError,
  NotFoundError,
  RateLimitedError,
  TimeoutError,
} from "../dist/index.mjs";
import { FakeService } from "../dist/testing.mjs";

const message = { channel: "SMS", to: "0241234567", body: "Akwaaba!" };
const begin = (options) => {
  const fake = new FakeService();
  return { fake, client: new Atumpan({ apiKey: "test", baseUrl: "http://localhost", fetch: fake.fetch, ...options }) };
};

test("what is sent can be looked at, and has an outcome", async () => {
  const { fake, client } = begin();
  const sent = await client.messages.send(message);
  assert.equal(sent.status, "SENT");
  assert.equal((await client.messages.waitUntilFinal(sent.id)).status, "DELIVERED");
  assert.equal((await client.messages.waitUntilFinal(sent.internalMessageId)).status, "DELIVERED");
  const failed = await client.messages.send({ ...message, to: "0240000000" });
  assert.equal((await client.messages.waitUntilFinal(failed.id)).status, "FAILED");
  assert.deepEqual(
    fake.messages.map(({ body }) => body),
    ["Akwaaba!", "Akwaaba!"],
  );
  assert.equal(fake.requests[0].method, "messages.send");
  const { messages } = await client.messages.sendBulk(
    Array.from({ length: 120 }, () => message),
    { async: true },
  );
  assert.deepEqual([messages.length, messages[119].status, fake.messages.length], [120, "QUEUED", 122]);
  await client.events.trigger({ event: "order.ready", to: "0241234567" });
  assert.equal(fake.messages.length, 123);
});

test("the same key sends once", async () => {
  const { fake, client } = begin();
  const first = await client.messages.send(message, { idempotencyKey: "a" });
  assert.equal((await client.messages.send(message, { idempotencyKey: "a" })).id, first.id);
  assert.equal((await client.messages.send({ ...message, idempotencyKey: "a" })).id, first.id);
  assert.equal(fake.messages.length, 1);
});

test("it fails in each way that it is told to", async () => {
  const { fake, client } = begin({ maxRetries: 0, timeout: 50 });
  for (const [way, kind] of [
    ["connection", ConnectionError],
    ["timeout", TimeoutError],
    [429, RateLimitedError],
    [{ status: 402, code: "INSUFFICIENT_BALANCE", details: { required: 1 } }, InsufficientBalanceError],
    [{ status: 409, code: "EVENT_INACTIVE" }, ConflictError],
  ]) {
    fake.failNext(way);
    await assert.rejects(client.messages.send(message), kind);
  }
  assert.equal(fake.messages.length, 0);
  fake.failNext("lost-answer");
  await assert.rejects(client.messages.send(message), ConnectionError);
  assert.equal(fake.messages.length, 1);
});

test("a lost answer is repeated and sends once", async () => {
  const { fake, client } = begin();
  fake.failNext("connection", "lost-answer");
  await client.messages.send(message);
  assert.equal(fake.requests.length, 3);
  assert.equal(fake.messages.length, 1);
});

test("other methods answer what they are given", async () => {
  const { fake, client } = begin();
  await assert.rejects(client.contacts.get("1"), NotFoundError);
  fake.answer("contacts.get", { id: "1", firstName: "Ama" }).answer("contacts.list", [{ id: "1" }, { id: "2" }]);
  assert.equal((await client.contacts.get("1")).firstName, "Ama");
  const ids = [];
  for await (const { id } of client.contacts.list({ search: "A" })) ids.push(id);
  assert.deepEqual(ids, ["1", "2"]);
  assert.equal(fake.requests.at(-1).query.search, "A");
});
