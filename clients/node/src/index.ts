export { Atumpan } from "./client.js";
export {
  AtumpanError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  InsufficientBalanceError,
  NotFoundError,
  PermissionError,
  RateLimitedError,
  ServerError,
  TimeoutError,
  ValidationError,
} from "./errors.js";
export { webhooks, WebhookVerificationError } from "./webhooks.js";
export type { SignOptions, WebhookFault, WebhookHeaders, WebhookOptions } from "./webhooks.js";
export type {
  AcceptedMessage,
  BulkFailure,
  BulkOutcome,
  BulkSettings,
  FileContent,
  ImportOptions,
  Message,
  WaitOptions,
} from "./extras.js";
export type { ClientOptions, Fetch, Limits, List, Logger, Page, RequestOptions } from "./interface.js";
export type * from "./generated/events.js";
export type * from "./generated/methods.js";
export type * from "./generated/types.js";
