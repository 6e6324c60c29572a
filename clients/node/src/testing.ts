// A service in memory, for tests of programs that send.
import type { DeliveryLog } from "./generated/types.js";
import { operations } from "./operations.js";

/** Request that the service got. */
export interface RecordedRequest {
  /** Name of the method, such as `messages.send`. */
  method: string;
  body: Record<string, unknown> | undefined;
  query: Record<string, string>;
  idempotencyKey: string | undefined;
}

/** Way to fail: a lost connection before or after the work, no answer, a status, or an error of the service. */
export type Failure =
  | "connection"
  | "lost-answer"
  | "timeout"
  | number
  | { status: number; code?: string; message?: string; details?: Record<string, unknown>; retryAfter?: number };

type Fields = Record<string, unknown>;
interface Answer {
  status: number;
  body: unknown;
}

// Patterns of paths with the names of their methods; those without placeholders are looked at first.
const routes = Object.entries(operations())
  .flatMap(([group, methods]) =>
    Object.entries(methods).map(([name, { verb, path }]) => ({
      name: `${group}.${name}`,
      verb,
      count: path.split("*").length,
      pattern: new RegExp(`^${path.replaceAll("*", "([^/]+)")}$`),
    })),
  )
  .sort((a, b) => a.count - b.count);

const success = (status: number, data: unknown): Answer => ({ status, body: { success: true, data } });
const failure = (status: number, code: string, message: string, details: Fields = {}): Answer => ({
  status,
  body: { success: false, error: { code, message, details } },
});

const outcomeOf = (to: string): string => {
  const who = to.split("@")[0] ?? "";
  return who.endsWith("0000") ? "FAILED" : who.endsWith("0001") ? "SENT" : "DELIVERED";
};

/** Service in memory. It accepts messages, keeps keys, and fails when it is told to. */
export class FakeService {
  /** Requests in their order, repeated ones as well. */
  readonly requests: RecordedRequest[] = [];
  /** Accepted messages, oldest first. */
  readonly messages: DeliveryLog[] = [];
  readonly #failures: Failure[] = [];
  readonly #answers = new Map<string, unknown>();
  readonly #kept = new Map<string, Answer>();

  /** Pass it as `fetch` to a client. */
  readonly fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const { pathname, searchParams } = new URL(url);
    const route = routes.find(({ verb, pattern }) => verb === init.method && pattern.test(pathname));
    const ids = route?.pattern.exec(pathname)?.slice(1) ?? [];
    const body = typeof init.body === "string" ? (JSON.parse(init.body) as Fields) : undefined;
    const key = (body?.["idempotencyKey"] as string) ?? new Headers(init.headers).get("idempotency-key") ?? undefined;
    const method = route?.name ?? `${init.method} ${pathname}`;
    this.requests.push({ method, body, query: Object.fromEntries(searchParams), idempotencyKey: key });
    const planned = this.#failures.shift();
    if (planned !== undefined && planned !== "lost-answer") return fail(planned, init.signal);
    const kept = key && this.#kept.get(key);
    const answer = kept || this.#work(method, ids, body ?? {});
    if (key && answer.status < 300) this.#kept.set(key, answer);
    if (planned) throw new TypeError("fetch failed", { cause: { code: "ECONNRESET" } });
    return respond(answer);
  };

  /** Lets the next requests fail, one for each of the ways. */
  failNext(...ways: Failure[]): this {
    this.#failures.push(...ways);
    return this;
  }

  /** Lets a method, such as `contacts.get`, answer with this data from now on. */
  answer(method: string, data: unknown): this {
    this.#answers.set(method, data);
    return this;
  }

  #work(method: string, ids: string[], body: Fields): Answer {
    if (this.#answers.has(method)) return answerOf(this.#answers.get(method));
    switch (method) {
      case "messages.send":
      case "events.trigger":
        return success(body["async"] ? 202 : 201, this.#accept(body));
      case "messages.sendBulk": {
        const items = body["messages"] as Fields[];
        return success(
          body["async"] ? 202 : 201,
          items.map((item) => this.#accept({ ...body, ...item })),
        );
      }
      case "messages.get": {
        const message = this.messages.find(
          ({ id, internalMessageId }) => id === ids[0] || internalMessageId === ids[0],
        );
        if (message) return success(200, message);
      }
    }
    return failure(404, "NOT_FOUND", `the fake service has no answer to ${method}: give one with answer()`);
  }

  // The answer has the first state; who reads the message finds the outcome.
  #accept(body: Fields): DeliveryLog {
    const id = crypto.randomUUID();
    const to = String(body["to"] ?? "");
    const isFailed = outcomeOf(to) === "FAILED";
    const log = {
      id,
      internalMessageId: `msg_${id.replaceAll("-", "")}`,
      channel: body["channel"] ?? "SMS",
      category: body["category"] ?? "TRANSACTIONAL",
      recipient: to,
      body: body["body"] ?? "",
      subject: body["subject"] ?? null,
      status: outcomeOf(to),
      cost: 0,
      errorCode: isFailed ? "UNDELIVERED" : null,
      errorMessage: isFailed ? "not delivered" : null,
      isSandbox: true,
      refunded: isFailed,
      createdAt: new Date().toISOString(),
    } as unknown as DeliveryLog;
    this.messages.push(log);
    return { ...log, status: body["async"] ? "QUEUED" : "SENT", errorCode: null, errorMessage: null };
  }
}

const answerOf = (data: unknown): Answer =>
  Array.isArray(data)
    ? {
        status: 200,
        body: {
          success: true,
          data,
          pagination: { page: 1, limit: 100, total: data.length, totalPages: 1, nextCursor: null },
        },
      }
    : success(200, data);

const respond = ({ status, body }: Answer, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json", "x-request-id": crypto.randomUUID(), ...headers },
  });

const fail = async (way: Failure, signal: AbortSignal | null | undefined): Promise<Response> => {
  if (way === "connection" || way === "lost-answer") {
    throw new TypeError("fetch failed", { cause: { code: "ECONNRESET" } });
  }
  if (way === "timeout") {
    return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
  }
  const { status, code, message, details, retryAfter } =
    typeof way === "number" ? ({ status: way } as Exclude<Failure, string | number>) : way;
  return respond(
    failure(status, code ?? `HTTP_${status}`, message ?? "told to fail", details),
    retryAfter === undefined ? {} : { "retry-after": String(retryAfter) },
  );
};
