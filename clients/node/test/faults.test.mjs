// Each way of breaking a connection, with the service behind it: a send is one message.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { once } from "node:events";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Atumpan } from "../dist/index.mjs";
import { faults, startLine } from "./support/line.mjs";
import { signUp } from "./support/service.mjs";

const sends = [];
let account;
let elsewhere;
let strangers = 0;

before(async () => {
  account = await signUp();
  elsewhere = createServer((_, answer) => (strangers++, answer.end())).listen(0, "127.0.0.1");
  await once(elsewhere, "listening");
});

after(() => elsewhere.close());

/** Numbers of messages by recipient, once all of them have their outcomes. */
const countMessages = async () => {
  for (;;) {
    const logs = [];
    for await (const log of account.session.deliveryLogs.list()) logs.push(log);
    if (logs.every(({ status }) => status === "DELIVERED")) {
      return logs.reduce((counts, { recipient }) => counts.set(recipient, (counts.get(recipient) ?? 0) + 1), new Map());
    }
    await sleep(200);
  }
};

const recipient = () => `+23324121${5000 + sends.length}`;

describe("one send over a line that breaks", { concurrency: 8 }, () => {
  for (const [name, fault] of Object.entries(faults)) {
    it(name, async () => {
      const { times = 1, requests = times + 1, messages = 1, error, waits = 0 } = fault;
      const line = await startLine(account.baseUrl, `http://127.0.0.1:${elsewhere.address().port}`);
      const client = new Atumpan({ apiKey: account.key, baseUrl: line.baseUrl, timeout: 4000, deadline: 30_000 });
      const to = recipient();
      const record = { name, to, messages };
      sends.push(record);
      line.breakBy(fault);
      const began = Date.now();
      try {
        const sent = await client.messages.send({ channel: "SMS", to, body: name });
        assert.equal(sent.recipient, to);
        record.outcome = "sent";
      } catch (thrown) {
        record.outcome = thrown.name;
        if (!error) throw thrown;
      } finally {
        line.close();
      }
      record.requests = line.seen.requests;
      assert.equal(record.outcome, error ?? "sent");
      assert.ok([requests].flat().includes(line.seen.requests), `${line.seen.requests} requests`);
      assert.ok(Date.now() - began >= waits, "the time that was asked for");
    });
  }

  it("a kept connection that is closed between two sends", async () => {
    const line = await startLine(account.baseUrl);
    const client = new Atumpan({ apiKey: account.key, baseUrl: line.baseUrl });
    line.breakBy({ ...faults["closed after the answer, without a word"], times: 2 });
    for (const which of ["first", "second"]) {
      const to = recipient();
      sends.push({ name: `kept connection, ${which}`, to, messages: 1, requests: 1, outcome: "sent" });
      await client.messages.send({ channel: "SMS", to, body: which });
    }
    line.close();
  });

  it("a refused connection, until the service is there", async () => {
    const line = await startLine(account.baseUrl);
    line.close();
    let tries = 0;
    const client = new Atumpan({
      apiKey: account.key,
      baseUrl: line.baseUrl,
      fetch: (url, init) => fetch(++tries < 3 ? url : url.replace(line.baseUrl, account.baseUrl), init),
    });
    const to = recipient();
    sends.push({ name: "refused twice", to, messages: 1, requests: 3, outcome: "sent" });
    await client.messages.send({ channel: "SMS", to, body: "Akwaaba!" });
    assert.equal(tries, 3);
  });
});

it("each of these sends is one message", async () => {
  const counts = await countMessages();
  const lines = sends.map(
    ({ name, to, requests, outcome }) => `${name} | ${requests} | ${counts.get(to) ?? 0} | ${outcome}`,
  );
  console.log(["fault | requests | messages | outcome", ...lines.sort()].join("\n"));
  assert.ok(sends.length > 40);
  for (const { name, to, messages } of sends) assert.equal(counts.get(to) ?? 0, messages, name);
});

it("no other host gets a request", () => assert.equal(strangers, 0));

it("a lost answer is told with the key, under which the same send is not done twice", async () => {
  const line = await startLine(account.baseUrl);
  line.breakBy({ ...faults["closed before the answer"], times: 9 });
  const client = new Atumpan({ apiKey: account.key, baseUrl: line.baseUrl, maxRetries: 0 });
  const message = { channel: "SMS", to: "+233241277777", body: "Akwaaba!" };
  const error = await client.messages.send(message).then(assert.fail, (thrown) => thrown);
  assert.equal(error.name, "ConnectionError");
  assert.equal(line.seen.requests, 1);
  line.close();
  await new Atumpan({ apiKey: account.key, baseUrl: account.baseUrl }).messages.send(message, {
    idempotencyKey: error.idempotencyKey,
  });
  assert.equal((await countMessages()).get(message.to), 1);
});

for (const [verb, call] of [
  ["DELETE", (client, id) => client.contacts.delete(id)],
  ["PATCH", (client, id) => client.contacts.update(id, { firstName: "Esi" })],
]) {
  it(`${verb} is not repeated after its bytes have left`, async () => {
    const { id } = await account.session.contacts.create({ phone: "0241234567" });
    const line = await startLine(account.baseUrl);
    line.breakBy(faults["closed before the answer"]);
    const { token, organizationId } = account;
    const client = new Atumpan({ token, organizationId, baseUrl: line.baseUrl });
    await assert.rejects(call(client, id), { name: "ConnectionError" });
    line.close();
    assert.equal(line.seen.requests, 1);
    await account.session.contacts.delete(id).catch(() => {});
  });
}

it("GET is repeated without a key", async () => {
  const line = await startLine(account.baseUrl);
  line.breakBy({ ...faults["closed amid the body of the answer"], times: 2 });
  const { token, organizationId } = account;
  const client = new Atumpan({ token, organizationId, baseUrl: line.baseUrl });
  assert.equal((await client.billing.getWallet()).currency, "GHS");
  line.close();
  assert.equal(line.seen.requests, 3);
});
