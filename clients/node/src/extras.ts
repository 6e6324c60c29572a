// Methods that are more than one request.
import { sleep, type Call, type Send } from "./core.js";
import { type AtumpanError, TimeoutError, ValidationError } from "./errors.js";
import type { MessagesMethods, SendBulkAnswer } from "./generated/methods.js";
import type { Import, SendBulkRequest } from "./generated/types.js";
import type { RequestOptions } from "./interface.js";
import type { Operation } from "./operations.js";

const CHUNK = 100;
const AT_ONCE = 4;
const FINAL = new Set(["DELIVERED", "FAILED"]);

/** Options of waiting. */
export interface WaitOptions extends Pick<RequestOptions, "signal"> {
  /** Milliseconds to wait at most; 60,000 if absent. */
  timeout?: number | undefined;
}

/** Message, as it is told when it is read. */
export type Message = Awaited<ReturnType<MessagesMethods["get"]>>;

/** Settings of all messages of a bulk. */
export type BulkSettings = Omit<SendBulkRequest, "messages" | "idempotencyKey">;

/** Message that was not accepted, or of which that is not known after a broken connection. */
export interface BulkFailure {
  /** Place in the caller's list. */
  index: number;
  /** Error of the request that it was in; `fieldErrors` has paths such as `messages.137.to`. */
  error: unknown;
}

/** Outcome of a bulk. */
export interface BulkOutcome {
  /** Logs in the caller's order; undefined at the places of failures. */
  messages: Array<AcceptedMessage | undefined>;
  failures: BulkFailure[];
}

/** Log of a message that was accepted. */
export type AcceptedMessage = Exclude<SendBulkAnswer[number], { id: null }>;

/** Bytes of a file: a Blob or File, text, or what is read in parts, such as a stream of Node. */
export type FileContent = Blob | string | Uint8Array | AsyncIterable<Uint8Array | string>;

/** Options of an import. */
export interface ImportOptions extends RequestOptions {
  /** Name of the file; that of a File, or `contacts.csv`, if absent. */
  fileName?: string | undefined;
  /** Source of the consent of all contacts in the file. */
  consentSource?: string | undefined;
  /** Fields of the columns; null ignores a column. */
  mapping?: Record<string, string | null> | undefined;
  /** Is told how far the import is. */
  onProgress?: ((progress: Import) => void) | undefined;
  /** Milliseconds to wait for its end; 600,000 if absent, and 0 does not wait. */
  wait?: number | undefined;
}

/** Methods of messages beside those of the API. */
export interface MessagesExtras {
  /** Waits until a message is DELIVERED or FAILED, and returns it; throws TimeoutError if it takes too long. */
  waitUntilFinal(id: string, options?: WaitOptions): Promise<Message>;
  /**
   * Sends any number of messages, in requests of a hundred, of which four run at a time.
   *
   * Each request is accepted or refused as a whole, unless `partial` is true. `failures` names the places of what
   * was refused. Where every request fails, the first error is thrown.
   */
  sendBulk(
    messages: readonly SendBulkRequest["messages"][number][],
    settings?: BulkSettings,
    options?: RequestOptions,
  ): Promise<BulkOutcome>;
}

/** Methods of contacts beside those of the API. */
export interface ContactsExtras {
  /** Uploads a CSV file, and waits until all of its rows are processed. */
  import(file: FileContent, options?: ImportOptions): Promise<Import>;
}

// The operations that are called here; a test sees that the document has them.
interface ByGroup {
  messages: Record<"sendBulk" | "get", Operation>;
  imports: Record<"importContacts" | "getContactImport", Operation>;
}

const dataOf = async <T>(answer: Promise<unknown>): Promise<T> => ((await answer) as { data: T }).data;

// Asks again and again, at growing distances, until the answer is final or the time is over.
const poll = async <T>(
  send: Send,
  call: Omit<Call, "options">,
  isFinal: (state: T) => boolean,
  { timeout, signal }: { timeout: number; signal: AbortSignal | undefined },
): Promise<T> => {
  const ends = Date.now() + timeout;
  for (let wait = 200; ; wait = Math.min(wait * 1.5, 5000)) {
    const state = await dataOf<T>(send({ ...call, options: { deadline: ends - Date.now(), signal } }));
    if (isFinal(state)) return state;
    if (Date.now() + wait >= ends) {
      const { status } = state as { status?: string };
      throw new TimeoutError({
        code: "TIMED_OUT",
        message: `still ${status} after ${timeout} ms`,
        details: { status },
      });
    }
    await sleep(wait, signal);
  }
};

// Paths such as `messages.3.to` count from the beginning of the request, also in sentences.
const shift = (error: AtumpanError, index: number): void => {
  const moved = (text: string) => text.replace(/\bmessages\.(\d+)/g, (_, place) => `messages.${+place + index}`);
  const details: unknown = JSON.parse(moved(JSON.stringify(error.details ?? {})));
  Object.assign(error, { message: moved(error.message), details });
};

// With `partial` a wrong message has its faults at its place.
const refusalOf = (item: SendBulkAnswer[number], place: number): ValidationError | undefined => {
  if (item.id !== null) return undefined;
  const { fieldErrors = {} } = item as { fieldErrors?: Record<string, unknown> };
  const faults = Object.entries(fieldErrors).map(([path, texts]) => [`messages.${place}.${path}`, texts]);
  return new ValidationError({
    code: "VALIDATION_ERROR",
    message: `messages.${place} is invalid`,
    details: { fieldErrors: Object.fromEntries(faults) },
  });
};

const sendBulk =
  (send: Send, operation: Operation): MessagesExtras["sendBulk"] =>
  async (messages, settings = {}, options = {}) => {
    const accepted: BulkOutcome["messages"] = new Array(messages.length).fill(undefined);
    const failures: BulkFailure[] = [];
    const errors: unknown[] = [];
    const key = options.idempotencyKey ?? crypto.randomUUID();
    let next = 0;
    const sendPart = async (index: number) => {
      const part = messages.slice(index, index + CHUNK);
      try {
        const call = {
          ...operation,
          body: { ...settings, messages: part },
          // The same list under the same key is cut in the same way.
          options: { ...options, idempotencyKey: messages.length > CHUNK ? `${key}-${index / CHUNK + 1}` : key },
        };
        (await dataOf<SendBulkAnswer>(send(call))).forEach((item, place) => {
          const error = refusalOf(item, index + place);
          if (error) failures.push({ index: index + place, error });
          else accepted[index + place] = item as AcceptedMessage;
        });
      } catch (error) {
        if (options.signal?.aborted) throw error;
        shift(error as AtumpanError, index);
        errors[index / CHUNK] = error;
        part.forEach((_, place) => failures.push({ index: index + place, error }));
      }
    };
    const work = async () => {
      while (next < messages.length) await sendPart((next += CHUNK) - CHUNK);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    const count = Math.ceil(messages.length / CHUNK);
    if (count > 0 && Object.keys(errors).length === count) throw errors[0];
    return { messages: accepted, failures: failures.sort((a, b) => a.index - b.index) };
  };

const blobOf = async (file: FileContent): Promise<Blob> => {
  if (file instanceof Blob) return file;
  if (typeof file === "string" || file instanceof Uint8Array) return new Blob([file as BlobPart]);
  const parts: BlobPart[] = [];
  for await (const part of file) parts.push(part as BlobPart);
  return new Blob(parts);
};

const importContacts =
  (send: Send, begin: Operation, look: Operation): ContactsExtras["import"] =>
  async (file, { fileName, mapping, consentSource, onProgress, wait = 600_000, ...options } = {}) => {
    const blob = await blobOf(file);
    const named = new File([blob], fileName ?? (blob as File).name ?? "contacts.csv", { type: "text/csv" });
    const body = { consentSource, mapping: mapping && JSON.stringify(mapping), file: named };
    const begun = await dataOf<Import>(send({ ...begin, body, options }));
    onProgress?.(begun);
    if (wait === 0) return begun;
    return poll<Import>(
      send,
      { ...look, ids: [begun.id] },
      (state) => {
        onProgress?.(state);
        return state.status === "COMPLETED" || state.status === "FAILED";
      },
      { timeout: wait, signal: options.signal },
    );
  };

const waitUntilFinal =
  (send: Send, operation: Operation): MessagesExtras["waitUntilFinal"] =>
  (id, { timeout = 60_000, signal } = {}) =>
    poll<Message>(send, { ...operation, ids: [id] }, ({ status }) => FINAL.has(status), { timeout, signal });

/** The methods of this file for a client, by group. */
export const extras = (send: Send, operations: Record<string, Record<string, Operation>>) => {
  const { messages, imports } = operations as Record<string, Record<string, Operation>> & ByGroup;
  return {
    messages: {
      sendBulk: sendBulk(send, messages.sendBulk),
      waitUntilFinal: waitUntilFinal(send, messages.get),
    },
    contacts: { import: importContacts(send, imports.importContacts, imports.getContactImport) },
  };
};
