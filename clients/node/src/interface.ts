/** Receives lines about requests and answers, without bodies and credentials. `console` is one. */
export interface Logger {
  debug(message: string, fields: Record<string, unknown>): void;
}

/** Function that makes requests, with the interface of the global `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Bounds of a call. */
export interface Limits {
  /** Milliseconds that each attempt may take; 30,000 if absent. */
  timeout?: number | undefined;
  /** Milliseconds that all attempts together may take; 120,000 if absent. */
  deadline?: number | undefined;
  /** Number of attempts after the first; 2 if absent, and 0 makes one request. */
  maxRetries?: number | undefined;
}

/** Options of a client. */
export interface ClientOptions extends Limits {
  /** API key; the variable `ATUMPAN_API_KEY` if there is neither key nor token. */
  apiKey?: string | undefined;
  /** Token of a session, instead of a key. */
  token?: string | undefined;
  /** Organization in which the session acts. */
  organizationId?: string | undefined;
  /** Address of the service; the variable `ATUMPAN_BASE_URL` if absent. */
  baseUrl?: string | undefined;
  /** Makes the requests instead of the global `fetch`. */
  fetch?: Fetch | undefined;
  /** Gets a line for each attempt, at debug level. */
  logger?: Logger | undefined;
}

/** Options of one call. */
export interface RequestOptions extends Limits {
  /** Key under which the service does this once; made by the client where the operation takes one. */
  idempotencyKey?: string | undefined;
  /** Ends the call when it is aborted. */
  signal?: AbortSignal | undefined;
  /** Further headers. */
  headers?: Record<string, string> | undefined;
}

/** Part of a list. */
export interface Page<Item, Position = unknown> {
  data: Item[];
  pagination: Position;
}

/** List of a service, which is read while it is iterated. */
export interface List<Item, Position = unknown> extends AsyncIterable<Item> {
  /** Returns one part of the list: the one that the query names, or the first. */
  page(): Promise<Page<Item, Position>>;
}
