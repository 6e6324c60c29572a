// Rules of requests, retries and errors, with answers from memory.
import assert from "node:assert/strict";
import { inspect } from "node:util";
import { describe, it } from "node:test";
import * as atumpan from "../dist/index.mjs";
import { KEY, baseUrl, clientOf, done, fails, json, lost, message, refusal, refused } from "./support/answers.mjs";

const { Atumpan } = atumpan;

describe("retries", { concurrency: true }, () => {
  it("all attempts have the same key, which the client makes", async () => {
    const { client, requests } = clientOf([lost, refusal(503, "SERVICE_UNAVAILABLE"), done]);
    await client.messages.send(message);
    const keys = requests.map(({ headers }) => headers["idempotency-key"]);
    assert.equal(keys.length, 3);
    assert.match(keys[0], /^[0-9a-f-]{36}$/);
    assert.equal(new Set(keys).size, 1);
    assert.equal(new Set(requests.map(({ body }) => body)).size, 1);
  });

  it("the caller's key is used, in the options or in the body", async () => {
    const { client, requests } = clientOf([done]);
    await client.messages.send(message, { idempotencyKey: "order-1" });
    await client.messages.send({ ...message, idempotencyKey: "order-2" });
    assert.equal(requests[0].headers["idempotency-key"], "order-1");
    assert.equal(requests[1].headers["idempotency-key"], undefined);
    assert.match(requests[1].body, /"idempotencyKey":"order-2"/);
  });

  it("maxRetries: 0 makes one request", async () => {
    for (const answer of [lost, refusal(503, "SERVICE_UNAVAILABLE"), refusal(429, "RATE_LIMITED")]) {
      const { client, requests } = clientOf([answer], { maxRetries: 0 });
      await fails(client.messages.send(message));
      assert.equal(requests.length, 1);
    }
  });

  it("the default is two, and a call may have its own number", async () => {
    const { client, requests } = clientOf([lost]);
    await fails(client.messages.send(message));
    assert.equal(requests.length, 3);
    await fails(client.messages.send(message, { maxRetries: 1 }));
    assert.equal(requests.length, 5);
    await fails(client.messages.send(message, { maxRetries: undefined }));
    assert.equal(requests.length, 8);
  });

  it("what is refused for good is not repeated", async () => {
    for (const status of [400, 401, 402, 403, 404, 409, 413, 422, 500]) {
      const { client, requests } = clientOf([refusal(status, "X")]);
      await fails(client.messages.send(message));
      assert.equal(requests.length, 1, String(status));
    }
  });

  it("a conflict that passes is waited for: the first attempt is still at work", async () => {
    const { client, requests } = clientOf([
      lost,
      refusal(409, "IDEMPOTENCY_IN_PROGRESS", {}, { "retry-after": "1" }),
      done,
    ]);
    assert.equal((await client.messages.send(message)).id, "1");
    assert.equal(requests.length, 3);
  });

  it("Retry-After is obeyed up to a minute, and told beyond", async () => {
    const { client, requests } = clientOf([refusal(429, "RATE_LIMITED", {}, { "retry-after": "61" })]);
    const error = await fails(client.messages.send(message));
    assert.equal(error.retryAfter, 61);
    assert.equal(requests.length, 1);
  });

  it("nothing is waited for beyond the deadline", async () => {
    const { client, requests } = clientOf([refusal(503, "SERVICE_UNAVAILABLE", {}, { "retry-after": "5" })], {
      deadline: 1000,
    });
    const began = Date.now();
    await fails(client.messages.send(message));
    assert.equal(requests.length, 1);
    assert.ok(Date.now() - began < 900);
  });

  const silent = () => new Promise(() => {});
  it("a time-out counts for each attempt, and a deadline for all", async () => {
    const { client, requests } = clientOf([silent, silent, done], { timeout: 60 });
    await client.messages.send(message);
    assert.equal(requests.length, 3);
    const other = clientOf([silent], { timeout: 60_000, deadline: 100 });
    const error = await fails(other.client.messages.send(message));
    assert.ok(error instanceof atumpan.TimeoutError);
    assert.equal(other.requests.length, 1);
  });

  it("what neither reads nor has a key is repeated only where no byte has left", async () => {
    for (const call of [(client) => client.contacts.delete("1"), (client) => client.contacts.update("1", {})]) {
      for (const answer of [lost, refusal(503, "X"), refusal(429, "X")]) {
        const { client, requests } = clientOf([answer]);
        await fails(call(client));
        assert.equal(requests.length, 1);
      }
      const { client, requests } = clientOf([refused]);
      await fails(call(client));
      assert.equal(requests.length, 3);
    }
  });

  it("an abort ends the call with its reason", async () => {
    const controller = new AbortController();
    const { client, requests } = clientOf([silent]);
    setTimeout(() => controller.abort(new Error("enough")), 20);
    assert.equal((await fails(client.messages.send(message, { signal: controller.signal }))).message, "enough");
    assert.equal((await fails(client.messages.send(message, { signal: controller.signal }))).message, "enough");
    assert.equal(requests.length, 1);
    const waiting = new AbortController();
    const other = clientOf([lost]);
    setTimeout(() => waiting.abort(new Error("enough")), 20);
    assert.equal((await fails(other.client.messages.send(message, { signal: waiting.signal }))).message, "enough");
    assert.equal(other.requests.length, 1);
  });
});

describe("errors", () => {
  for (const [status, kind] of [
    [400, "ValidationError"],
    [401, "AuthenticationError"],
    [402, "InsufficientBalanceError"],
    [403, "PermissionError"],
    [404, "NotFoundError"],
    [405, "ValidationError"],
    [409, "ConflictError"],
    [413, "ValidationError"],
    [415, "ValidationError"],
    [422, "ConflictError"],
    [429, "RateLimitedError"],
    [500, "ServerError"],
    [503, "ServerError"],
  ]) {
    it(`${status} is a ${kind}, whatever its code`, async () => {
      const { client } = clientOf([refusal(status, "CODE_OF_TOMORROW", { a: 1 })], { maxRetries: 0 });
      const error = await fails(client.messages.send(message));
      assert.ok(error instanceof atumpan[kind]);
      assert.ok(error instanceof atumpan.AtumpanError);
      assert.equal(error.name, kind);
      const { code, requestId, details } = error;
      assert.deepEqual([error.status, code, requestId, details], [status, "CODE_OF_TOMORROW", "req-1", { a: 1 }]);
    });
  }

  it("an answer without an envelope is an error of its status", async () => {
    const { client } = clientOf([json(502, "<html>", { "content-type": "text/html" })], { maxRetries: 0 });
    const error = await fails(client.messages.send(message));
    assert.deepEqual([error.name, error.code, error.status], ["ServerError", "HTTP_502", 502]);
  });

  it("faults of fields are told by their paths", async () => {
    const { client } = clientOf([refusal(400, "VALIDATION_ERROR", { fieldErrors: { to: ["is required"] } })]);
    assert.deepEqual((await fails(client.messages.send(message))).fieldErrors, { to: ["is required"] });
  });
});

describe("secrets", () => {
  it("are in no error, no line and no picture of a client", async () => {
    const lines = [];
    const logger = { debug: (...parts) => lines.push(parts) };
    const { client } = clientOf([lost, refusal(400, "X")], { logger });
    const error = await fails(client.messages.send(message));
    const session = new Atumpan({ token: KEY, organizationId: "o", baseUrl, fetch: lost, maxRetries: 0 });
    const other = await fails(session.authentication.login({ email: "a@b.c", password: KEY }));
    const seen = inspect([client, session, error, other, lines], { depth: 20, showHidden: true });
    assert.ok(!seen.includes(KEY));
    assert.ok(!JSON.stringify([client, error, lines]).includes(KEY));
    assert.ok(!`${error.stack}${other.stack}`.includes(KEY));
    assert.ok(lines.length > 2);
    assert.ok(!inspect(lines, { depth: 20 }).includes("Akwaaba"));
  });

  it("are not shown by a key with a line break behind it", () => {
    assert.throws(
      () => new Atumpan({ apiKey: `${KEY}\n`, baseUrl }),
      (error) => !error.message.includes(KEY),
    );
  });

  it("leave the machine by https only, but for loopback", () => {
    for (const address of [
      "http://example.com",
      "http://10.0.0.1",
      "http://localhost.example.com",
      "ftp://localhost",
      "http://u:p@localhost",
      "x",
    ]) {
      assert.throws(() => new Atumpan({ apiKey: KEY, baseUrl: address }), TypeError, address);
    }
    for (const address of [
      "https://example.com/api/",
      "http://localhost:8080",
      "http://127.0.0.9",
      "http://[::1]:8080",
      "http://a.localhost",
    ]) {
      new Atumpan({ apiKey: KEY, baseUrl: address });
    }
  });

  it("go to no other host: redirects are not followed", async () => {
    const { client, requests } = clientOf([
      new Response(null, { status: 307, headers: { location: "https://evil.example" } }),
    ]);
    const error = await fails(client.messages.send(message));
    assert.deepEqual([error.name, error.code], ["ServerError", "HTTP_307"]);
    assert.equal(requests.length, 1);
    assert.equal(requests[0].redirect, "manual");
  });
});

describe("requests", () => {
  it("name the program and its version, and nothing about the machine", async () => {
    const { client, requests } = clientOf([done]);
    await client.messages.send(message);
    const { "idempotency-key": _, ...headers } = requests[0].headers;
    assert.deepEqual(headers, {
      accept: "application/json, */*;q=0.5",
      "content-type": "application/json",
      "user-agent": headers["user-agent"],
      "x-api-key": KEY,
    });
    assert.match(headers["user-agent"], /^atumpan-node\/\d+\.\d+\.\d+$/);
  });

  it("take key and address from the environment", async () => {
    Object.assign(process.env, { ATUMPAN_API_KEY: "ak_env", ATUMPAN_BASE_URL: "https://example.com/v1/" });
    const { client, requests } = clientOf([done], { apiKey: undefined, baseUrl: undefined });
    await client.messages.get("1");
    const session = clientOf([done], { apiKey: undefined, token: "t", organizationId: "o" });
    await session.client.messages.get("1");
    delete process.env.ATUMPAN_API_KEY;
    delete process.env.ATUMPAN_BASE_URL;
    assert.equal(requests[0].url, "https://example.com/v1/messages/1");
    assert.equal(requests[0].headers["x-api-key"], "ak_env");
    const { authorization, "x-organization-id": organization, "x-api-key": key } = session.requests[0].headers;
    assert.deepEqual([authorization, organization, key], ["Bearer t", "o", undefined]);
    assert.throws(() => new Atumpan({ apiKey: KEY }), /baseUrl, or ATUMPAN_BASE_URL/);
  });

  it("never go to another path than the method's", async () => {
    const { client, requests } = clientOf([done]);
    for (const id of ["", ".", "..", undefined, null, 7]) await assert.rejects(client.contacts.delete(id), TypeError);
    await client.contacts.get("a/../b?c#d");
    assert.equal(requests.length, 1);
    assert.equal(requests[0].url, `${baseUrl}/contacts/a%2F..%2Fb%3Fc%23d`);
  });

  it("hold filters, also those with a key", async () => {
    const { client, requests } = clientOf([json(200, { success: true, data: [], pagination: {} })]);
    await client.deliveryLogs.list({ status: "FAILED", channel: undefined, metadata: { order: "4 7" } }).page();
    assert.equal(requests[0].url, `${baseUrl}/delivery-logs?status=FAILED&metadata%5Border%5D=4+7`);
  });

  it("of forms have the same bytes in each attempt, and the file last", async () => {
    const { client, requests } = clientOf([refused, json(201, { success: true, data: { id: "1" } })]);
    await client.imports.importContacts({ file: new Blob(["phone\n"]), mapping: "{}" });
    const [first, second] = requests.map(({ body }) => Buffer.from(body).toString());
    assert.equal(first, second);
    assert.ok(first.indexOf('name="mapping"') < first.indexOf('name="file"'));
    assert.equal(requests[0].headers["content-type"], requests[1].headers["content-type"]);
  });
});

describe("answers", () => {
  it("keep fields and values that this version does not know", async () => {
    const { client } = clientOf([done]);
    assert.deepEqual(await client.messages.send(message), {
      id: "1",
      status: "SENT",
      newField: [1],
      channel: "PIGEON",
    });
  });

  it("may be empty", async () => {
    const { client } = clientOf([new Response(null, { status: 204 })]);
    assert.equal(await client.organizations.leave(), undefined);
  });

  it("of lists are read page by page, and no more than is asked for", async () => {
    const page = (url) => {
      const number = Number(new URL(url).searchParams.get("page"));
      return json(200, {
        success: true,
        data: [number * 2, number * 2 + 1],
        pagination: { page: number, totalPages: 3 },
      });
    };
    const { client, requests } = clientOf([page]);
    const all = [];
    for await (const item of client.suppression.list()) all.push(item);
    assert.deepEqual(all, [2, 3, 4, 5, 6, 7]);
    assert.equal(requests.length, 3);
    for await (const item of client.suppression.list({ page: 2, limit: 5 })) if (item === 4) break;
    assert.equal(requests.length, 4);
    assert.equal(requests[3].url, `${baseUrl}/compliance/suppression?page=2&limit=5`);
    await client.suppression.list().page();
    assert.equal(requests[4].url, `${baseUrl}/compliance/suppression`);
  });

  it("of lists are read by their cursor where they have one, over empty parts too", async () => {
    const parts = { "": ["a", "x"], x: [null, "y"], y: ["b", null] };
    const { client, requests } = clientOf([
      (url) => {
        const [item, nextCursor] = parts[new URL(url).searchParams.get("after")];
        return json(200, { success: true, data: item ? [item] : [], pagination: { limit: 100, nextCursor } });
      },
    ]);
    const all = [];
    for await (const item of client.requests.listRefusedRequests({ status: "404" })) all.push(item);
    assert.deepEqual(all, ["a", "b"]);
    assert.match(requests[1].url, /status=404&limit=100&after=x$|status=404.*after=x/);
  });
});
