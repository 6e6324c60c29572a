import type { WebhookMessage } from "./generated/events.js";

/** Reason why a webhook was not verified. */
export type WebhookFault = "HEADER_MISSING" | "BODY_PARSED" | "SIGNATURE" | "CLOCK";

/** Webhook that is not verified; `reason` says what is wrong. */
export class WebhookVerificationError extends Error {
  override name = "WebhookVerificationError";
  constructor(
    readonly reason: WebhookFault,
    message: string,
  ) {
    super(message);
  }
}

/** Headers of a request, as frameworks have them. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

/** Bounds of a verification, and facts of a signature. */
export interface WebhookOptions {
  /** Seconds that the clocks may differ; 300 if absent. */
  tolerance?: number;
}
export interface SignOptions {
  id?: string;
  /** Seconds since 1970; now if absent. */
  timestamp?: number;
}

const utf8 = /* @__PURE__ */ new TextEncoder();

const bytesOf = (text: string) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
const base64Of = (bytes: ArrayBuffer) => btoa(String.fromCharCode(...new Uint8Array(bytes)));
const hexOf = (bytes: ArrayBuffer) =>
  [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

const keyOf = (bytes: Uint8Array, use: "sign" | "verify") =>
  crypto.subtle.importKey("raw", bytes as BufferSource, { name: "HMAC", hash: "SHA-256" }, false, [use]);

const secretOf = (secret: string): Uint8Array => {
  try {
    return bytesOf(secret.replace(/^whsec_/, ""));
  } catch {
    // Without the cause, which may show the secret.
    throw new TypeError("the secret is not one of a webhook endpoint: whsec_ and Base64");
  }
};

const bodyOf = (body: unknown): Uint8Array => {
  if (typeof body === "string") return utf8.encode(body);
  if (body instanceof Uint8Array) return body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  throw new WebhookVerificationError(
    "BODY_PARSED",
    "the body was parsed before: pass the bytes or the text as received, such as of express.raw()",
  );
};

const signed = (id: string, timestamp: string, body: Uint8Array): Uint8Array => {
  const head = utf8.encode(`${id}.${timestamp}.`);
  const all = new Uint8Array(head.length + body.length);
  all.set(head);
  all.set(body, head.length);
  return all;
};

const headerOf = (headers: WebhookHeaders, name: string): string => {
  let value: unknown;
  if (typeof (headers as Headers).get === "function") value = (headers as Headers).get(name);
  else for (const [key, one] of Object.entries(headers)) if (key.toLowerCase() === name) value = one;
  if (Array.isArray(value)) value = value[0];
  if (typeof value !== "string" || value === "") {
    throw new WebhookVerificationError("HEADER_MISSING", `the header ${name} is missing`);
  }
  return value;
};

const isSignedBy = async (secret: string, signatures: string[], content: Uint8Array): Promise<boolean> => {
  const key = await keyOf(secretOf(secret), "verify");
  for (const signature of signatures) {
    try {
      if (await crypto.subtle.verify("HMAC", key, bytesOf(signature) as BufferSource, content as BufferSource))
        return true;
    } catch {
      // What is no Base64 is no signature.
    }
  }
  return false;
};

/** Returns the event of a webhook whose signature is of one of the secrets, and whose time is now. */
const verify = async (
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { tolerance = 300 }: WebhookOptions = {},
): Promise<WebhookMessage> => {
  const body = bodyOf(rawBody);
  const id = headerOf(headers, "webhook-id");
  const timestamp = headerOf(headers, "webhook-timestamp");
  const signatures = headerOf(headers, "webhook-signature")
    .split(" ")
    .filter((signature) => signature.startsWith("v1,"))
    .map((signature) => signature.slice(3));
  const content = signed(id, timestamp, body);
  const secrets = typeof secret === "string" ? [secret] : secret;
  let isSigned = false;
  for (const one of secrets) isSigned ||= await isSignedBy(one, signatures, content);
  if (!isSigned) {
    throw new WebhookVerificationError(
      "SIGNATURE",
      "no signature is of this secret: it is another endpoint's, was rotated, or the body was changed",
    );
  }
  const seconds = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!(seconds <= tolerance)) {
    throw new WebhookVerificationError(
      "CLOCK",
      `the clock differs by ${Math.round(seconds)} s: it was sent long ago, or a clock is wrong`,
    );
  }
  return JSON.parse(new TextDecoder().decode(body)) as WebhookMessage;
};

/** Returns the headers with which the service would send the body, for tests of receivers. */
const sign = async (
  body: string | Uint8Array,
  secret: string,
  options: SignOptions = {},
): Promise<Record<string, string>> => {
  const bytes = bodyOf(body);
  let event: { id?: string; event?: string } = {};
  try {
    event = JSON.parse(new TextDecoder().decode(bytes)) as typeof event;
  } catch {
    // A body that is no JSON can be signed as well.
  }
  const id = options.id ?? event.id ?? crypto.randomUUID();
  const timestamp = String(options.timestamp ?? Math.floor(Date.now() / 1000));
  const standard = await crypto.subtle.sign(
    "HMAC",
    await keyOf(secretOf(secret), "sign"),
    signed(id, timestamp, bytes) as BufferSource,
  );
  const service = await crypto.subtle.sign("HMAC", await keyOf(utf8.encode(secret), "sign"), bytes as BufferSource);
  return {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${base64Of(standard)}`,
    "x-service-event": event.event ?? "",
    "x-service-signature": hexOf(service),
  };
};

/** Verification of what the service sends. */
export const webhooks = { verify, sign };
