// Written by scripts/generate.mjs from docs/openapi.json.

import type {
  CampaignCompletedEvent,
  CampaignStartedEvent,
  ContactOptedOutEvent,
  ImportCompletedEvent,
  MessageStatusUpdatedEvent,
  TemplateApprovedEvent,
  TemplateRejectedEvent,
  TopUpCompletedEvent,
  WalletLowEvent,
} from "./types.js";

/** Event that a webhook tells of; `event` says which. */
export type WebhookMessage =
  | CampaignCompletedEvent
  | CampaignStartedEvent
  | ContactOptedOutEvent
  | ImportCompletedEvent
  | MessageStatusUpdatedEvent
  | TemplateApprovedEvent
  | TemplateRejectedEvent
  | TopUpCompletedEvent
  | WalletLowEvent;
