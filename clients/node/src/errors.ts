/** Facts of an error. */
export interface ErrorFacts {
  code: string;
  message: string;
  status?: number;
  requestId?: string | undefined;
  details?: Record<string, unknown>;
  retryAfter?: number | undefined;
  cause?: unknown;
}

/** Error of a call. Its classes tell the kinds apart, `code` tells the reason. */
export class AtumpanError extends Error {
  override name = "AtumpanError";
  /** Stable name of the reason, for programs. */
  declare readonly code: string;
  /** Status of the answer; absent if there was none. */
  declare readonly status: number | undefined;
  /** Identifier of the request, to name when the problem is reported. */
  declare readonly requestId: string | undefined;
  /** Further facts, by code. */
  declare readonly details: Record<string, unknown>;
  /** Seconds after which the service asks to try again. */
  declare readonly retryAfter: number | undefined;
  /** Key of the call. With it, and the same arguments, the call can be repeated and does its work once. */
  declare idempotencyKey?: string;

  constructor({ message, cause, ...facts }: ErrorFacts) {
    super(`${facts.code}: ${message}`, cause === undefined ? undefined : { cause });
    Object.assign(this, { details: {} }, facts);
  }
}

/** The credentials are missing, wrong, or of the wrong kind (401). */
export class AuthenticationError extends AtumpanError {
  override name = "AuthenticationError";
}

/** The credentials do not allow this (403). */
export class PermissionError extends AtumpanError {
  override name = "PermissionError";
}

/** There is no such thing (404). */
export class NotFoundError extends AtumpanError {
  override name = "NotFoundError";
}

/** The state of the thing, or the key of another call, does not allow this (409, 422). */
export class ConflictError extends AtumpanError {
  override name = "ConflictError";
}

/** The request is not as it must be (400 and other 4xx). */
export class ValidationError extends AtumpanError {
  override name = "ValidationError";

  /** Faults by the path of the field, such as `messages.3.to`. */
  get fieldErrors(): Record<string, string[]> {
    return (this.details["fieldErrors"] ?? {}) as Record<string, string[]>;
  }
}

/** The wallet, or the limit of spending, does not suffice (402). */
export class InsufficientBalanceError extends AtumpanError {
  override name = "InsufficientBalanceError";
}

/** There were too many requests (429). */
export class RateLimitedError extends AtumpanError {
  override name = "RateLimitedError";
}

/** The service, or what stands before it, failed (5xx), or redirects. */
export class ServerError extends AtumpanError {
  override name = "ServerError";
}

/** No whole answer came. */
export class ConnectionError extends AtumpanError {
  override name = "ConnectionError";
}

/** No whole answer came in time. */
export class TimeoutError extends AtumpanError {
  override name = "TimeoutError";
}

const CLASSES: Record<number, typeof AtumpanError> = {
  401: AuthenticationError,
  402: InsufficientBalanceError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  422: ConflictError,
  429: RateLimitedError,
};

// Seconds, or the time of an HTTP date.
const secondsOf = (value: string | null): number | undefined => {
  if (!value) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
};

/** Makes the error of an answer with the given status. */
export const errorOf = (status: number, headers: Headers, text: string): AtumpanError => {
  let error: Partial<ErrorFacts> = {};
  try {
    error = (JSON.parse(text) as { error?: Partial<ErrorFacts> }).error ?? error;
  } catch {
    // What stands before the service answers as it likes.
  }
  const kind = CLASSES[status] ?? (status >= 400 && status < 500 ? ValidationError : ServerError);
  return new kind({
    code: error.code ?? `HTTP_${status}`,
    message: error.message ?? `the answer has status ${status}`,
    details: error.details ?? {},
    status,
    requestId: headers.get("x-request-id") ?? undefined,
    retryAfter: secondsOf(headers.get("retry-after")),
  });
};
