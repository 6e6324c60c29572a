// Answers from memory, and a client that gets them.
import assert from "node:assert/strict";
import { Atumpan } from "../../dist/index.mjs";

export const KEY = "ak_test_secret_3f9c";
export const baseUrl = "http://127.0.0.1:1";

export const json = (status, body, headers = {}) =>
  new Response(typeof body === "string" ? body : JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json", "x-request-id": "req-1", ...headers },
  });
export const refusal = (status, code, details = {}, headers = {}) =>
  json(status, { success: false, error: { code, message: "it is refused", details } }, headers);
export const lost = () => Promise.reject(new TypeError("fetch failed", { cause: { code: "ECONNRESET" } }));
export const refused = () => Promise.reject(new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } }));

/** A client whose requests get these answers, one after the other. */
export const clientOf = (answers, options = {}) => {
  const requests = [];
  const fetch = (url, init) => {
    requests.push({ url, ...init, headers: Object.fromEntries(new Headers(init.headers)) });
    const answer = answers[Math.min(requests.length, answers.length) - 1];
    return Promise.resolve(typeof answer === "function" ? answer(url, init) : answer.clone());
  };
  return { client: new Atumpan({ apiKey: KEY, baseUrl, fetch, ...options }), requests };
};

export const fails = async (promise) =>
  promise.then(
    () => assert.fail("it did not fail"),
    (error) => error,
  );
export const message = { channel: "SMS", to: "0241234567", body: "Akwaaba!" };
export const done = json(201, { success: true, data: { id: "1", status: "SENT", newField: [1], channel: "PIGEON" } });
