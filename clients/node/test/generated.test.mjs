// What is generated is true to the document.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { Atumpan } from "../dist/index.mjs";
import { methodsOf, read, root } from "../scripts/document.mjs";

test("generated files do not differ from the document", () => {
  const run = spawnSync(process.execPath, ["scripts/generate.mjs", "--check"], { cwd: root, encoding: "utf8" });
  assert.equal(run.status, 0, run.stderr);
});

test("each operation of the document has a method, which makes its request", async () => {
  const requests = [];
  const fetch = (url, { method, headers }) => {
    requests.push({ verb: method, url, key: new Headers(headers).get("idempotency-key") });
    return Promise.resolve(new Response('{"success":true,"data":[],"pagination":{}}'));
  };
  const client = new Atumpan({ apiKey: "k", baseUrl: "https://example.com", fetch });
  const methods = methodsOf(read());
  assert.ok(methods.length > 150);
  assert.equal(
    new Set(methods.map((it) => `${it.group}.${it.method}`)).size,
    methods.length,
    "two methods with one name",
  );
  for (const { group, method, verb, path, ids, takesKey } of methods) {
    const name = `${group}.${method}`;
    assert.equal(typeof client[group]?.[method], "function", name);
    const result = client[group][method](
      ...(name === "messages.sendBulk" ? [[{}]] : ids.map((_, index) => `id${index}`)),
    );
    await (typeof result.page === "function" ? result.page() : result);
    const request = requests.pop();
    let index = 0;
    assert.equal(
      `${request.verb} ${request.url}`,
      `${verb} https://example.com${path.replace(/\{\w+\}/g, () => `id${index++}`)}`,
    );
    assert.equal(request.key !== null, takesKey, `${name}: key`);
  }
});

test("each operation with a list has one", () => {
  const client = new Atumpan({ apiKey: "k", baseUrl: "https://example.com" });
  for (const { group, method, ids, pagination } of methodsOf(read())) {
    if (!pagination) continue;
    const list = client[group][method](...ids.map(() => "1"));
    assert.equal(typeof list[Symbol.asyncIterator], "function", `${group}.${method}`);
  }
});
