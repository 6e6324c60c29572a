import { AtumpanError, ConnectionError, TimeoutError, errorOf } from "./errors.js";
import { VERSION } from "./generated/version.js";
import type { ClientOptions, Fetch, Logger, RequestOptions } from "./interface.js";
import type { Operation } from "./operations.js";

/** Request of an operation. */
export interface Call extends Operation {
  ids?: unknown[];
  query?: Record<string, unknown> | undefined;
  body?: unknown;
  options?: RequestOptions | undefined;
}

/** Sends one call. */
export type Send = (call: Call) => Promise<unknown>;

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/;
// Codes of errors after which no byte of the request can have left.
const NOT_SENT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused)$/;
const REPEATED = new Set([429, 502, 503, 504]);
// Seconds that the service may ask to wait.
const LONGEST_WAIT = 60;

const environment = (name: string): string | undefined =>
  (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env?.[name] || undefined;

const baseOf = (text = ""): string => {
  if (!URL.canParse(text)) throw new TypeError("baseUrl, or ATUMPAN_BASE_URL, must be the address of the service");
  const { protocol, hostname, origin, pathname, username, password } = new URL(text);
  const isSafe = protocol === "https:" || (protocol === "http:" && LOOPBACK.test(hostname));
  if (!isSafe || username || password) {
    throw new TypeError("baseUrl must begin with https://, except on this machine, and hold no password");
  }
  return origin + pathname.replace(/\/+$/, "");
};

const credentialsOf = (options: ClientOptions): Record<string, string> => {
  const { token, organizationId } = options;
  if (options.apiKey && token) throw new TypeError("apiKey and token exclude each other");
  const apiKey = options.apiKey ?? (token ? undefined : environment("ATUMPAN_API_KEY"));
  for (const [name, value] of Object.entries({ apiKey, token, organizationId })) {
    // Without the value: it may be a secret with a line break behind it.
    if (value !== undefined && !/^[\x21-\x7e]+$/.test(value)) throw new TypeError(`${name} holds a blank or no ASCII`);
  }
  if (apiKey) return { "X-API-Key": apiKey };
  return {
    ...(token && { Authorization: `Bearer ${token}` }),
    ...(organizationId && { "X-Organization-Id": organizationId }),
  };
};

const pathOf = ({ path, ids = [], query = {} }: Call): string => {
  let index = 0;
  const filled = path.replaceAll("*", () => {
    const id = ids[index++];
    // An empty part would name another path.
    if (typeof id !== "string" || /^\.{0,2}$/.test(id)) throw new TypeError(`${path}: * must be an identifier`);
    return encodeURIComponent(id);
  });
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    if (typeof value !== "object") parameters.append(name, String(value));
    else for (const [key, one] of Object.entries(value)) parameters.append(`${name}[${key}]`, String(one));
  }
  const text = parameters.toString();
  return text ? `${filled}?${text}` : filled;
};

// The bytes of a form have a random boundary, so they are made once for all attempts.
const encode = async ({ body, kind }: Call, headers: Headers): Promise<BodyInit | undefined> => {
  if (body === undefined) return undefined;
  if (!kind.includes("m")) {
    headers.set("content-type", "application/json");
    return JSON.stringify(body);
  }
  const form = new FormData();
  // The file is last: what says how to read it stands before it.
  const parts = Object.entries(body as Record<string, string | Blob | undefined>);
  parts.sort(([a], [b]) => Number(a === "file") - Number(b === "file"));
  for (const [name, value] of parts) if (value !== undefined) form.append(name, value);
  const encoded = new Response(form);
  headers.set("content-type", encoded.headers.get("content-type") as string);
  return encoded.arrayBuffer();
};

/** Runs `work` until it ends, the time is over, or the caller aborts. */
const within = async <T>(
  milliseconds: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const controller = new AbortController();
  const { signal } = controller;
  const abort = () => controller.abort(outer?.reason);
  // A `fetch` of the caller's may not look at its signal, so the race does not wait for it.
  const stopped = new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const message = `no answer within ${Math.round(milliseconds)} ms`;
  const timer = setTimeout(
    () => controller.abort(new TimeoutError({ code: "TIMED_OUT", message })),
    Math.min(milliseconds, 2 ** 31 - 1),
  );
  outer?.addEventListener("abort", abort);
  try {
    outer?.throwIfAborted();
    return await Promise.race([work(signal), stopped]);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener("abort", abort);
  }
};

/** Waits, and no longer than until the caller aborts. */
export const sleep = (milliseconds: number, signal?: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener("abort", end);
    if (signal?.aborted) end();
  });

const causeOf = (error: unknown): string => {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: { code?: unknown } };
  return String(cause?.code ?? code ?? "unknown");
};

const connectionError = (message: string, cause: unknown): ConnectionError =>
  new ConnectionError({ code: "CONNECTION_FAILED", message, cause });

const isRepeatable = (error: AtumpanError, isSafe: boolean): boolean => {
  if (error instanceof ConnectionError && NOT_SENT.test(causeOf(error.cause))) return true;
  if (!isSafe) return false;
  if (error.status === undefined) return true;
  // A conflict with a time is one that passes: the first attempt is still being worked on.
  return REPEATED.has(error.status) || (error.status === 409 && error.retryAfter !== undefined);
};

// The answer's own time, or half a second, doubled each time; in part by chance, so that clients spread.
const waitBefore = (attempt: number, retryAfter: number | undefined): number => {
  if (retryAfter !== undefined) return retryAfter * 1000 + Math.random() * 200;
  return Math.min(8000, 500 * 2 ** attempt) * (0.5 + Math.random() / 2);
};

const readAnswer = async (response: Response, kind: string): Promise<unknown> => {
  const { ok, status, headers } = response;
  if (!ok) {
    const isRedirect = status < 400;
    if (isRedirect) await response.body?.cancel();
    throw errorOf(status, headers, isRedirect ? "" : await response.text());
  }
  if (status === 204) return undefined;
  if (kind.includes("s")) return response.body;
  const text = await response.text();
  if (kind.includes("t") && !headers.get("content-type")?.includes("json")) return text;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw connectionError("the answer is not whole", cause);
  }
};

/** Makes the function that sends the calls of a client. */
export const sender = (options: ClientOptions): Send => {
  const base = baseOf(options.baseUrl ?? environment("ATUMPAN_BASE_URL"));
  const credentials = credentialsOf(options);
  const fetch: Fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
  const logger: Logger | undefined = options.logger;

  return async (call) => {
    const { verb, path, kind } = call;
    const own = call.options ?? {};
    const { signal } = own;
    const maxRetries = own.maxRetries ?? options.maxRetries ?? 2;
    const timeout = own.timeout ?? options.timeout ?? 30_000;
    const deadline = own.deadline ?? options.deadline ?? 120_000;
    const ends = Date.now() + deadline;
    const url = base + pathOf(call);
    const headers = new Headers({ accept: "application/json, */*;q=0.5", "user-agent": `atumpan-node/${VERSION}` });
    for (const [name, value] of Object.entries({ ...own.headers, ...credentials })) headers.set(name, value);
    const takesKey = kind.includes("k");
    const ownKey = (call.body as { idempotencyKey?: string } | undefined)?.idempotencyKey;
    const key = takesKey ? (ownKey ?? own.idempotencyKey ?? crypto.randomUUID()) : undefined;
    // The body's own key does the same, and may have any characters.
    if (key && !ownKey) headers.set("idempotency-key", key);
    const body = await encode(call, headers);

    for (let attempt = 0; ; attempt++) {
      const log = (message: string, fields: Record<string, unknown>) =>
        logger?.debug(message, { method: verb, path, attempt: attempt + 1, ...fields });
      log("request sent", {});
      let error: AtumpanError;
      try {
        return await within(Math.min(timeout, Math.max(0, ends - Date.now())), signal, async (signal) => {
          const init: RequestInit = { method: verb, headers, redirect: "manual", signal };
          if (body !== undefined) init.body = body;
          const began = Date.now();
          const response = await fetch(url, init);
          const requestId = response.headers.get("x-request-id");
          log("answer received", { status: response.status, requestId, milliseconds: Date.now() - began });
          return readAnswer(response, kind);
        });
      } catch (thrown) {
        if (signal?.aborted) throw signal.reason;
        error =
          thrown instanceof AtumpanError ? thrown : connectionError(`no whole answer came: ${causeOf(thrown)}`, thrown);
      }
      if (key) error.idempotencyKey = key;
      const wait = waitBefore(attempt, error.retryAfter);
      const isLast = attempt >= maxRetries || (error.retryAfter ?? 0) > LONGEST_WAIT || Date.now() + wait >= ends;
      if (isLast || !isRepeatable(error, verb === "GET" || takesKey)) throw error;
      log("request fails and is repeated", { code: error.code, milliseconds: Math.round(wait) });
      await sleep(wait, signal);
    }
  };
};
