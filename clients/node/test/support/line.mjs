// A line between client and service that breaks in many ways. Each fault is made for the first requests that
// come; what comes after them passes.
import { once } from "node:events";
import { connect, createServer } from "node:net";

const answer = (status, headers = {}, body = "") =>
  [
    `HTTP/1.1 ${status}`,
    ...Object.entries({ "content-length": Buffer.byteLength(body), ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    "",
    body,
  ].join("\r\n");

const halves = (raw) => {
  const end = raw.indexOf("\r\n\r\n") + 4;
  return { head: raw.subarray(0, end).toString("latin1"), body: raw.subarray(end) };
};

const withHeader = (raw, name, value) => {
  const { head, body } = halves(raw);
  const lines = head
    .trimEnd()
    .split("\r\n")
    .filter((line) => !line.toLowerCase().startsWith(`${name}:`));
  return Buffer.concat([
    Buffer.from([...lines, ...(value === undefined ? [] : [`${name}: ${value}`]), "", ""].join("\r\n")),
    body,
  ]);
};

const half = (raw) => raw.subarray(0, raw.length - Math.floor(halves(raw).body.length / 2));

/**
 * Faults by name. `early` is what happens before the request was read whole, `late` what happens to it: it gets
 * the socket, and `pass`, which hands the request to the service and returns the raw answer.
 */
export const faults = {
  "closed when it is opened": { early: { at: 0, act: (socket) => socket.end() } },
  "reset when it is opened": { early: { at: 0, act: (socket) => socket.resetAndDestroy() } },
  "closed amid the head of the request": { early: { at: 20, act: (socket) => socket.destroy() } },
  "closed amid the body of the request": { early: { at: "body", act: (socket) => socket.destroy() } },
  "reset amid the body of the request": { early: { at: "body", act: (socket) => socket.resetAndDestroy() } },
  "silent from the beginning": { early: { at: 0, act: (socket) => socket.pause() } },
  "closed after the request, which is lost": { late: (socket) => socket.end() },
  "reset after the request, which is lost": { late: (socket) => socket.resetAndDestroy() },
  "silent after the request, which is lost": { late: () => {} },
  "closed before the answer": { late: async (socket, pass) => (await pass(), socket.end()) },
  "reset before the answer": { late: async (socket, pass) => (await pass(), socket.resetAndDestroy()) },
  "silent instead of the answer": { late: async (socket, pass) => void (await pass()) },
  "closed amid the status line": { late: async (socket, pass) => socket.end((await pass()).subarray(0, 7)) },
  "closed amid the head of the answer": { late: async (socket, pass) => socket.end((await pass()).subarray(0, 60)) },
  "closed after the head of the answer": { late: async (socket, pass) => socket.end(halves(await pass()).head) },
  "closed amid the body of the answer": { late: async (socket, pass) => socket.end(half(await pass())) },
  "reset amid the body of the answer": {
    late: async (socket, pass) =>
      socket.write(half(await pass()), () => setTimeout(() => socket.resetAndDestroy(), 50)),
  },
  "silent amid the body of the answer": { late: async (socket, pass) => socket.write(half(await pass())) },
  "answer that is shorter than its length": {
    late: async (socket, pass) => {
      const raw = await pass();
      socket.end(withHeader(raw, "content-length", halves(raw).body.length + 10));
    },
  },
  "answer that is longer than its length": {
    late: async (socket, pass) => {
      const raw = await pass();
      socket.end(withHeader(raw, "content-length", Math.floor(halves(raw).body.length / 2)));
    },
  },
  // What is whole may be taken, or asked for again.
  "answer in chunks without the last one": {
    requests: [1, 2],
    late: async (socket, pass) => {
      const { head, body } = halves(
        withHeader(withHeader(await pass(), "content-length"), "transfer-encoding", "chunked"),
      );
      socket.end(`${head}${body.length.toString(16)}\r\n${body}\r\n`);
    },
  },
  "answer in chunks of a wrong size": {
    late: async (socket, pass) => {
      const { head, body } = halves(
        withHeader(withHeader(await pass(), "content-length"), "transfer-encoding", "chunked"),
      );
      socket.end(`${head}zz\r\n${body}\r\n0\r\n\r\n`);
    },
  },
  "noise instead of HTTP": { late: async (socket, pass) => (await pass(), socket.end("\x15\x03\x01\x00\x02\x02\x46")) },
  "empty answer 200": { late: async (socket, pass) => (await pass(), socket.end(answer("200 OK"))) },
  "page of a hotel instead of the answer": {
    late: async (socket, pass) => (
      await pass(),
      socket.end(answer("200 OK", { "content-type": "text/html" }, "<html>Sign in</html>"))
    ),
  },
  "slow answer, but in time": {
    requests: 1,
    late: async (socket, pass) => {
      const raw = await pass();
      for (let at = 0; at < raw.length; at += 200) {
        socket.write(raw.subarray(at, at + 200));
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  },
  "answer that is too slow": {
    late: async (socket, pass) => {
      const raw = await pass();
      for (let at = 0; at < raw.length && !socket.destroyed; at += 1) {
        socket.write(raw.subarray(at, at + 1));
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
  },
  "closed after the answer, without a word": {
    requests: 1,
    late: async (socket, pass) =>
      socket.write(withHeader(await pass(), "connection", "keep-alive"), () => socket.end()),
  },
  "429 without a time": { late: (socket) => socket.end(answer("429 Too Many Requests")) },
  "429 with a time": {
    late: (socket) => socket.end(answer("429 Too Many Requests", { "retry-after": 1 })),
    waits: 1000,
  },
  "429 with a date": {
    late: (socket) =>
      socket.end(answer("429 Too Many Requests", { "retry-after": new Date(Date.now() + 2000).toUTCString() })),
    waits: 900,
  },
  "429 for an hour": {
    requests: 1,
    messages: 0,
    error: "RateLimitedError",
    late: (socket) => socket.end(answer("429 Too Many Requests", { "retry-after": 3600 })),
  },
  "502 of a proxy": {
    late: (socket) => socket.end(answer("502 Bad Gateway", { "content-type": "text/html" }, "<html>")),
  },
  "503 without a time": { late: (socket) => socket.end(answer("503 Service Unavailable")) },
  "503 with a time": {
    late: (socket) => socket.end(answer("503 Service Unavailable", { "retry-after": 1 })),
    waits: 1000,
  },
  "504 of a proxy, after the message was made": {
    late: async (socket, pass) => (await pass(), socket.end(answer("504 Gateway Timeout"))),
  },
  "two lost answers one after the other": {
    times: 2,
    requests: 3,
    late: async (socket, pass) => (await pass(), socket.destroy()),
  },
  "request that the line repeats by itself": {
    requests: 1,
    late: async (socket, pass) => {
      const [first] = await Promise.all([pass(), pass()]);
      // One of the two may be told that the other is at work.
      socket.end(first.includes(" 409 ") ? await pass() : first);
    },
  },
  "301 to another host": { requests: 1, messages: 0, error: "ServerError", redirects: 301 },
  "302 to another host": { requests: 1, messages: 0, error: "ServerError", redirects: 302 },
  "307 to another host": { requests: 1, messages: 0, error: "ServerError", redirects: 307 },
  "308 to another host": { requests: 1, messages: 0, error: "ServerError", redirects: 308 },
};

const lengthOf = (head) => Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0);

/** Starts a line to a service. */
export const startLine = async (target, elsewhere) => {
  const { hostname, port } = new URL(target);
  let fault;
  let left = 0;
  const seen = { connections: 0, requests: 0 };
  const sockets = new Set();

  const pass = (request) =>
    new Promise((resolve, reject) => {
      const upstream = connect(Number(port), hostname);
      const parts = [];
      upstream.on("data", (part) => parts.push(part));
      upstream.on("end", () => resolve(Buffer.concat(parts)));
      upstream.on("error", reject);
      upstream.write(withHeader(withHeader(request, "connection", "close"), "accept-encoding"));
    });

  const handle = async (socket, request) => {
    seen.requests++;
    if (fault && left > 0) {
      left--;
      if (fault.redirects)
        return socket.end(answer(`${fault.redirects} Redirect`, { location: `${elsewhere}/messages/send` }));
      return fault.late(socket, () => pass(request));
    }
    socket.end(await pass(request));
  };

  const server = createServer((socket) => {
    seen.connections++;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    let request = Buffer.alloc(0);
    const early = fault?.early && left > 0 ? fault.early : undefined;
    if (early) left--;
    // A connection counts as a request where the request is never read whole.
    if (early) seen.requests++;
    if (early?.at === 0) return early.act(socket);
    socket.on("data", (part) => {
      request = Buffer.concat([request, part]);
      const end = request.indexOf("\r\n\r\n");
      if (early) {
        const isThere = early.at === "body" ? end >= 0 && request.length > end + 10 : request.length >= early.at;
        if (isThere) early.act(socket);
        return;
      }
      if (end < 0 || request.length < end + 4 + lengthOf(request.subarray(0, end).toString("latin1"))) return;
      const whole = request;
      request = Buffer.alloc(0);
      handle(socket, whole).catch(() => socket.destroy());
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  return {
    baseUrl: `http://127.0.0.1:${server.address().port}`,
    seen,
    /** Makes a fault for the next requests. */
    breakBy(next) {
      fault = next;
      left = next.times ?? 1;
      seen.requests = 0;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
};
