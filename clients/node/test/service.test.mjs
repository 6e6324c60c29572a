// The client against the service.
import assert from "node:assert/strict";
import { createReadStream, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, test } from "node:test";
import {
  Atumpan,
  AuthenticationError,
  ConflictError,
  InsufficientBalanceError,
  NotFoundError,
  ValidationError,
} from "../dist/index.mjs";
import { signUp } from "./support/service.mjs";

let account;
let client;

before(async () => {
  account = await signUp();
  client = new Atumpan({ apiKey: account.key, baseUrl: account.baseUrl });
});

test("a message is sent, waited for and found in the log", async () => {
  const message = await client.messages.send({ channel: "SMS", to: "0241234567", body: "Akwaaba!" });
  assert.equal(message.recipient, "+233241234567");
  const final = await client.messages.waitUntilFinal(message.id, { timeout: 10_000 });
  assert.equal(final.status, "DELIVERED");
  const found = [];
  for await (const log of account.session.deliveryLogs.list({ status: "DELIVERED" })) found.push(log.id);
  assert.ok(found.includes(message.id));
  const { data, pagination } = await account.session.deliveryLogs.list({ limit: 1 }).page();
  assert.equal(data.length, 1);
  assert.equal(pagination.limit, 1);
});

test("the same key sends once, and another request under it is a conflict", async () => {
  const message = { channel: "SMS", to: "0241234568", body: "Akwaaba!" };
  const options = { idempotencyKey: "order-17" };
  const [first, second] = await Promise.all([
    client.messages.send(message, options),
    client.messages.send(message, options),
  ]);
  assert.equal(first.id, second.id);
  await assert.rejects(client.messages.send({ ...message, body: "Yoo" }, options), (error) => {
    assert.ok(error instanceof ConflictError);
    assert.equal(error.code, "IDEMPOTENCY_KEY_REUSED");
    return true;
  });
});

test("a bulk of any size is sent in the caller's order", async () => {
  const messages = Array.from({ length: 230 }, (_, index) => ({
    channel: "SMS",
    to: `02412${String(index).padStart(5, "0")}`,
    body: `Order ${index}`,
  }));
  const result = await client.messages.sendBulk(messages, { async: true });
  assert.deepEqual(result.failures, []);
  assert.deepEqual(
    result.messages.map(({ body }) => body),
    messages.map(({ body }) => body),
  );
  messages[150].to = "nobody";
  const mixed = await client.messages.sendBulk(messages, { async: true });
  const { index, error } = mixed.failures[50];
  assert.deepEqual([mixed.failures.length, index, Object.keys(error.fieldErrors)], [100, 150, ["messages.150.to"]]);
  assert.equal(mixed.messages.filter(Boolean).length, 130);
});

test("errors are told by their classes", async () => {
  await assert.rejects(client.messages.send({ channel: "SMS", to: "", body: "" }), (error) => {
    assert.ok(error instanceof ValidationError);
    assert.deepEqual(Object.keys(error.fieldErrors).sort(), ["body", "to"]);
    assert.match(error.requestId, /^[0-9a-f-]{36}$/);
    return true;
  });
  await assert.rejects(client.messages.get("019a5b8e-6c2f-7d10-a4c3-e5f708192a3b"), NotFoundError);
  const stranger = new Atumpan({ apiKey: "ak_unknown", baseUrl: account.baseUrl });
  await assert.rejects(stranger.messages.get("x"), AuthenticationError);
  const shop = new Atumpan({ apiKey: account.liveKey, baseUrl: account.baseUrl });
  const dear = Array.from({ length: 100 }, () => ({ channel: "VOICE", to: "0241234567", body: "long ".repeat(300) }));
  await assert.rejects(
    async () => {
      for (let round = 0; round < 20; round++) await shop.messages.sendBulk(dear, { async: true });
    },
    (error) => error instanceof InsufficientBalanceError && error.details.currency === "GHS",
  );
});

test("a file is imported from text, a Blob or a stream, with progress", async () => {
  const text = "name,phone,town\nKofi,0241234567,Kumasi\nYaw,2.33244E+11,Tema\n";
  const path = join(mkdtempSync(join(tmpdir(), "atumpan-import-")), "customers.csv");
  writeFileSync(path, text);
  const states = [];
  const imported = await account.session.contacts.import(createReadStream(path), {
    fileName: "customers.csv",
    mapping: { town: "attributes.Town" },
    onProgress: ({ status }) => states.push(status),
  });
  assert.deepEqual(
    [imported.status, imported.fileName, imported.created, imported.failed],
    ["COMPLETED", "customers.csv", 1, 1],
  );
  assert.equal(states.at(-1), "COMPLETED");
  for (const file of [text, new Blob([text]), Buffer.from(text)]) {
    const again = await account.session.contacts.import(file);
    assert.equal(again.updated, 1);
  }
  const begun = await account.session.contacts.import(text, { wait: 0 });
  assert.notEqual(begun.status, "COMPLETED");
  const { data } = await account.session.contacts.list({ search: "Kofi" }).page();
  assert.equal(data[0].phone, "+233241234567");
});

test("the log is exported as a stream", async () => {
  let text = "";
  const decoder = new TextDecoder();
  for await (const part of await account.session.deliveryLogs.export({ channel: "SMS" }))
    text += decoder.decode(part, { stream: true });
  assert.match(text, /^[\w,]+\r?\n/);
  assert.match(text, /\+233241234567/);
});

test("answers without an envelope are read as well", async () => {
  const guest = new Atumpan({ baseUrl: account.baseUrl });
  assert.equal((await guest.health.getReadiness()).status, "ok");
  assert.match(await guest.health.getMetrics(), /^# /);
});
