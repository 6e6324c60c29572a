import { sender, type Send } from "./core.js";
import { extras, type ContactsExtras, type MessagesExtras } from "./extras.js";
import type { ContactsMethods, Groups, MessagesMethods } from "./generated/methods.js";
import type { ClientOptions, RequestOptions } from "./interface.js";
import { listOf } from "./list.js";
import { operations, type Operation } from "./operations.js";

type Method = (...parameters: unknown[]) => unknown;

// The envelope of an answer is for those who read bytes.
const open = (answer: unknown): unknown => {
  const { success, data } = (answer ?? {}) as { success?: unknown; data?: unknown };
  return success === true && data !== undefined ? data : answer;
};

// Identifiers come first, then the body, the query and the options, as far as an operation has them.
const methodOf = (send: Send, operation: Operation): Method => {
  const { path, kind } = operation;
  const count = path.split("*").length - 1;
  return (...parameters) => {
    const rest = parameters.slice(count);
    const call = {
      ...operation,
      ids: parameters.slice(0, count),
      body: /[bm]/.test(kind) ? rest.shift() : undefined,
      query: /[ql]/.test(kind) ? (rest.shift() as Record<string, unknown>) : undefined,
      options: rest.shift() as RequestOptions,
    };
    return kind.includes("l") ? listOf(send, call) : send(call).then(open);
  };
};

/** Client of a service. It holds no connection of its own, and is made once for a program. */
export class Atumpan {
  constructor(options: ClientOptions = {}) {
    const send = sender(options);
    const all = operations();
    const more: Record<string, object> = extras(send, all);
    for (const [group, methods] of Object.entries(all)) {
      const made = Object.entries(methods).map(([name, operation]) => [name, methodOf(send, operation)]);
      Object.assign(this, { [group]: { ...Object.fromEntries(made), ...more[group] } });
    }
  }
}

export interface Atumpan extends Omit<Groups, "messages" | "contacts"> {
  readonly messages: MessagesMethods & MessagesExtras;
  readonly contacts: ContactsMethods & ContactsExtras;
}
