// Methods that are more than one request, with answers from memory.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { clientOf, fails, json, message, refusal } from "./support/answers.mjs";

describe("bulks", () => {
  const messages = Array.from({ length: 450 }, (_, index) => ({ ...message, body: String(index) }));

  it("are cut into hundreds, four at a time, and answered in order", async () => {
    let running = 0;
    let most = 0;
    const { client, requests } = clientOf([
      async (_, { body }) => {
        most = Math.max(most, ++running);
        const { messages: part } = JSON.parse(body);
        await new Promise((resolve) => setTimeout(resolve, 50 - Number(part[0].body) / 10));
        running--;
        return json(202, { success: true, data: part });
      },
    ]);
    const { messages: logs, failures } = await client.messages.sendBulk(
      messages,
      { async: true },
      { idempotencyKey: "sale" },
    );
    assert.deepEqual(logs, messages);
    assert.deepEqual([failures, most, requests.length], [[], 4, 5]);
    assert.deepEqual(
      requests.map(({ headers }) => headers["idempotency-key"]).sort(),
      [1, 2, 3, 4, 5].map((part) => `sale-${part}`),
    );
    assert.equal(JSON.parse(requests[0].body).async, true);
  });

  it("tell what failed by its place in the caller's list", async () => {
    const { client } = clientOf([
      (_, { body }) => {
        const { messages: part } = JSON.parse(body);
        if (part[0].body !== "200") return json(202, { success: true, data: part });
        const error = {
          code: "VALIDATION_ERROR",
          message: "`messages.7.to` is wrong",
          details: { fieldErrors: { "messages.7.to": ["no"] } },
        };
        return json(400, { success: false, error });
      },
    ]);
    const { messages: logs, failures } = await client.messages.sendBulk(messages);
    assert.equal(logs.filter(Boolean).length, 350);
    assert.equal(logs[207], undefined);
    assert.deepEqual(
      failures.map(({ index }) => index),
      Array.from({ length: 100 }, (_, place) => 200 + place),
    );
    const { error } = failures[7];
    assert.deepEqual(error.fieldErrors, { "messages.207.to": ["no"] });
    assert.match(error.message, /messages\.207\.to/);
  });

  it("accept in part what may be accepted in part", async () => {
    const { client } = clientOf([
      (_, { body }) => {
        const part = JSON.parse(body).messages.map((item) => ({ ...item, id: item.body }));
        if (part[0].body === "100") part[37] = { id: null, status: "FAILED", fieldErrors: { to: ["no"] } };
        return json(202, { success: true, data: part });
      },
    ]);
    const { messages: logs, failures } = await client.messages.sendBulk(messages, { partial: true });
    assert.equal(logs.filter(Boolean).length, 449);
    assert.equal(logs[137], undefined);
    const [{ index, error }] = failures;
    assert.deepEqual([failures.length, index, error.name], [1, 137, "ValidationError"]);
    assert.deepEqual(error.fieldErrors, { "messages.137.to": ["no"] });
  });

  it("throw where nothing was accepted, and ask nothing where nothing is to be sent", async () => {
    const { client, requests } = clientOf([refusal(402, "INSUFFICIENT_BALANCE")]);
    assert.deepEqual(await client.messages.sendBulk([]), { messages: [], failures: [] });
    assert.equal(requests.length, 0);
    assert.equal((await fails(client.messages.sendBulk(messages))).name, "InsufficientBalanceError");
  });
});

describe("waiting", () => {
  it("ends with the outcome, or with the time", async () => {
    const state = (status) => json(200, { success: true, data: { status } });
    const { client, requests } = clientOf([state("QUEUED"), state("SENT"), state("FAILED")]);
    assert.equal((await client.messages.waitUntilFinal("1")).status, "FAILED");
    assert.equal(requests.length, 3);
    const other = clientOf([state("SENT")]);
    const error = await fails(other.client.messages.waitUntilFinal("1", { timeout: 500 }));
    assert.deepEqual([error.name, error.details], ["TimeoutError", { status: "SENT" }]);
  });
});
