// Written by scripts/generate.mjs from docs/openapi.json.

/** The token of an invitation, and a new user if nobody is signed in. */
export type AcceptInvitationRequest = {
  /** The invited address, which is also the default. */
  email?: string;
  /** Given name. Required without a session. */
  firstName?: string;
  /** Family name. Required without a session. */
  lastName?: string;
  /** Required without a session. */
  password?: string;
  /** The token that was mailed. */
  token: string;
};

/** Accepted invitation, with the session that it began if it created an account. */
export type Acceptance = {
  /** Time at which the token expires. */
  expiresAt: Timestamp | null;
  /** Organization that the user belongs to from now on. */
  organization: Membership;
  /** Token of the session; null if the user was signed in. */
  token: string | null;
  user: User;
};

/** Subscription, with its period of availability. */
export type AdminPlan = {
  createdAt: Timestamp;
  /** The currency of the fee. */
  currency: string;
  /** Time until which it could be booked. */
  endedAt: Timestamp | null;
  /** Further features. */
  features: Array<string>;
  id: string;
  /** Number of messages included in a month. */
  includedMessages: number;
  /** True if it can be booked. */
  isActive: boolean;
  /** Monthly fee. */
  monthlyFee: number;
  name: string;
};

/** Price for one segment of a message, with its period of validity. */
export type AdminPricingRule = {
  channel: Channel;
  /** The recipients' country; null for any, `001` for numbers of none. */
  countryCode: string | null;
  /** Time from which it applies. */
  createdAt: Timestamp;
  /** The currency of the price. */
  currency: string;
  /** Time until which it applied. */
  endedAt: Timestamp | null;
  id: string;
  /** True if it is in force. */
  isActive: boolean;
  /** Organization with which it is agreed; null for all. */
  organizationId: string | null;
  /** The price of one segment. */
  unitPrice: number;
};

/** The messages that were accepted on one day. */
export type AnalyticsDay = {
  /** The day (UTC). */
  date: string;
  delivered: number;
  failed: number;
  sent: number;
  /** Payments for them, without refunds. */
  spend: number;
};

/** Last thirty days, compared with the thirty days before. */
export type AnalyticsOverview = {
  /** The currency of `spend`. */
  currency: string;
  /** All days, oldest first. */
  daily: Array<AnalyticsDay>;
  /** Number of these that reached their recipients. */
  delivered: number;
  /** Delivered ÷ (delivered + failed), from 0 to 1; null without either. */
  deliveryRate: number | null;
  /** Number of these that failed. */
  failed: number;
  /** The first day. */
  from: string;
  /** Number of messages accepted, whatever their outcome. */
  sent: number;
  /** Payments for the messages, without refunds. */
  spend: number;
  /** The last day, which is the present one. */
  to: string;
  trends: AnalyticsTrends;
};

/** Growth in per cent against the thirty days before; null if there were none. */
export type AnalyticsTrends = {
  deliveryRate: number | null;
  sent: number | null;
  spend: number | null;
};

/** An API key, without the key itself. */
export type ApiKey = {
  createdAt: Timestamp;
  /** The user who created it; null if that was not recorded. */
  createdBy: string | null;
  /** Time at which it expires; null for never. */
  expiresAt: Timestamp | null;
  id: string;
  /** True if it is a key of the sandbox, whose messages are only simulated. */
  isSandbox: boolean;
  /** Time of its last use, to five minutes. */
  lastUsedAt: Timestamp | null;
  /** Name that its owner gave it. */
  name: string;
  /** First characters of the key, for recognition. */
  prefix: string;
  /** Scopes of the key. */
  scopes: Array<Scope>;
};

/** Calls made with an API key on a day. */
export type ApiKeyDay = {
  /** Number of calls with a successful answer. */
  accepted: number;
  /** Day in UTC. */
  date: string;
  /** Number of calls that were answered with an error. */
  refused: number;
};

/** Rate limits of an API key, which all keys of the organization with the same mode share. */
export type ApiKeyLimits = {
  /** Messages; a message counts one for every started 16 kB. Null: not limited. */
  messages: RateUse | null;
  /** Requests that send no message. Null: not limited. */
  requests: RateUse | null;
};

/** Organization that owns an API key. */
export type ApiKeyOwner = {
  id: string;
  name: string;
};

/** Content that needs approval, and the decision about it. */
export type Approval = {
  comment: string | null;
  content: ApprovalContent;
  decidedAt: Timestamp | null;
  /** User who decided. */
  decidedBy: string | null;
  id: string;
  /** Issues that were found in it. */
  issues: Array<Issue>;
  /** Name that its organization gave it. */
  name: string;
  organizationId: string;
  requestedAt: Timestamp;
  /** User who requested the approval. */
  requestedBy: string;
  /** Identifier of the template, the campaign or the sender name. */
  resourceId: string;
  /** Risk score, 0 to 100. */
  riskScore: number;
  status: ApprovalStatus;
  type: ApprovalType;
};

/** Content to approve. */
export type ApprovalContent = {
  body: string;
  /** True if `body` is cut. Lists show the first 10,000 characters of a text. */
  bodyTruncated: boolean;
  /** True if values of any length may replace placeholders. */
  longVariables: boolean;
  subject: string | null;
  /**
   * Template that the vendor stores, which is sent instead. It belongs to the account
   * of the operator, and the approval gives it to the organization.
   */
  vendorTemplate: VendorTemplate | null;
};

/** The state of an approval. */
export type ApprovalStatus = 'PENDING' | 'APPROVED' | 'REJECTED';

/** The kind of content to approve. */
export type ApprovalType = 'TEMPLATE' | 'CAMPAIGN' | 'SENDER_NAME';

/** Attempt to hand a message to a provider. */
export type Attempt = {
  /** Time at which it ended; null until then. */
  endedAt: Timestamp | null;
  /** Reason for which it was not accepted. */
  errorCode: FailureCode | null;
  /** Outcome; null until it ended. */
  outcome: AttemptOutcome | null;
  provider: string;
  /** The provider's own identifier of the message. */
  providerMessageId: string | null;
  startedAt: Timestamp;
  /** The provider's own code for the reason. */
  vendorCode: string | null;
};

/** The outcome of an attempt to hand a message to a provider. */
export type AttemptOutcome = 'ACCEPTED' | 'REJECTED' | 'NOT_ACCEPTED' | 'UNKNOWN';

/** User who acted. */
export type AuditActor = {
  /** Shown to platform administrators only; null if the user is deleted. */
  email: string | null;
  id: string;
};

/** Action of an administrator. */
export type AuditLine = {
  /** Name of the action. */
  action: string;
  actor: AuditActor;
  at: Timestamp;
  /** Further details. */
  details: {
    [key: string]: unknown;
  };
  /** SHA-256 of the hash of the line before it and of its own content. */
  hash: string;
  id: string;
  /** True if it was done while acting as the organization. */
  impersonated: boolean;
  organizationId: string;
  /** `X-Request-Id` of the answer; null in lines from before it was recorded. */
  requestId: string | null;
  /** Identifier of the resource concerned. */
  resourceId: string;
  /** Type of the resource concerned. */
  resourceType: string;
  /** Number of the line in its organization, from 1. */
  sequence: number;
};

/** Background task of an instance. */
export type BackgroundTask = {
  /** Number of turns that failed. */
  failures: number;
  /** Time of the first of the failures since it last succeeded; null while it works. */
  firstFailedAt: Timestamp | null;
  /** True if its last turn failed. */
  isFailing: boolean;
  /** Duration of the last turn, in milliseconds. */
  lastDurationMs: number;
  /** Its last error, also while it works again; null if there was none. */
  lastError: string | null;
  /** Time at which it last succeeded; null if it has not yet. */
  lastSucceededAt: Timestamp | null;
  name: string;
  /** Number of its turns. */
  turns: number;
};

/** The background tasks of this instance. They do not affect `status`. */
export type BackgroundTasksHealth = {
  /** Names of the tasks that fail at present. */
  failing: Array<string>;
};

/** Balance of a wallet. */
export type Balance = {
  balance: number;
  currency: string;
};

/** Job that has begun. */
export type BegunContactJob = {
  /** Number of contacts. */
  count: number;
  id: string;
};

/** Work on failed messages that has begun. */
export type BegunResend = {
  /** Number of failed messages. */
  count: number;
  id: string;
};

/** One message of several. */
export type BulkItemRequest = {
  /** The text. A template's text takes precedence. */
  body: string;
  /** The category of the message, `TRANSACTIONAL` if absent; a template's own category takes precedence. */
  category?: Category;
  channel: Channel;
  /** The format of the body; only for the channel `EMAIL`, whose body may be HTML. If absent it is HTML when the body, or else that of the template, begins with `<html` or `<!DOCTYPE html` or has one of the tags `<br>`, `</p>`, `</a>`, `</div>`, `</td>`, `</li>`, `</h1>`, `</strong>`, `</b>` before placeholders are filled. A template's own format takes precedence. In HTML the values of placeholders are escaped. */
  format?: TextFormat;
  /** Up to 20 pairs by which your own systems know the message: keys of at most 40 characters, values of at most 500. They are not sent; the log and webhooks show them. */
  metadata?: {
    [key: string]: string;
  };
  /** The time at which it is to go, 1 minute to 90 days ahead, in the sandbox at most 6 days; at once if absent. It is paid for now. The suppression list, the approval of the template and sending windows are looked at again when it is due. Not for codes (`OTP`). */
  scheduledAt?: string;
  /** The sender to show, if the provider allows it. For an SMS: 1 to 11 letters, digits and spaces, or a number. */
  senderId?: string;
  /** The subject line. On channels without one it is logged and not sent. */
  subject?: string;
  /** An approved template of the same channel, which provides the text. */
  templateId?: string;
  /** A phone number, an email address or a device token, depending on the channel. */
  to: string;
  /** The number of seconds for which sending is tried. Default: 600 for `OTP`, 3600 for `ALERT` and 86400 for all others. At most 3600 for `OTP`. */
  validityPeriod?: number;
  /** Values for the placeholders `{{name}}`: at most 10,000 characters each and 100,000 in total. They are escaped in an HTML body. */
  variables?: {
    [key: string]: string;
  };
};

/** The delivery log of a message. With `partial`, the place of a wrong item says what is wrong with it. */
export type BulkResult = DeliveryLog | RefusedItem;

/** Text sent to many contacts. `campaign.completed` reports the same ([`CampaignProgress::to_json`]). */
export type Campaign = {
  /**
   * Number of contacts at its start; null before. Once it is completed, of those that it passed:
   * `sent`, `skipped` and `failed` add up to it.
   */
  audience: number | null;
  /** Its own text. */
  body: string | null;
  /** True if `body` is cut. Lists show the first 10,000 characters of a text. */
  bodyTruncated: boolean;
  /** Contacts that were skipped or not reached by the reason, most contacts first. */
  byReason: Array<CampaignReason>;
  channel: Channel;
  /** Time from which none of its messages waited any more. */
  completedAt: Timestamp | null;
  /** Cost of its messages, without those that were refunded. */
  cost: number;
  createdAt: Timestamp;
  /** User who created it. */
  createdBy: string;
  /** The currency of the cost. */
  currency: string;
  /** Number of messages that are `DELIVERED`. */
  delivered: number;
  /** Number of messages that are `FAILED`, without those of contacts that were skipped. */
  failed: number;
  /** Format of its own text; null if not stated. */
  format: TextFormat | null;
  id: string;
  /** True if it is rehearsed in the sandbox. */
  isSandbox: boolean;
  /** Metadata of all its messages. */
  metadata: {
    [key: string]: string;
  };
  name: string;
  /** Reason for which it is paused, if it is. */
  pausedReason: PausedReason | null;
  /** Number of messages that no provider has yet. */
  queued: number;
  scheduledAt: Timestamp | null;
  segmentId: string | null;
  /** Sender that its messages request. */
  senderId: string | null;
  /** Number of messages that are `SENT` or `DELIVERED`. */
  sent: number;
  /**
   * Number of contacts to whom nothing was to be sent: they have no address for its
   * channel, are suppressed, or lack a value that the text needs.
   */
  skipped: number;
  /** Time at which it started. */
  startedAt: Timestamp | null;
  status: CampaignStatus;
  /** Its own subject line. */
  subject: string | null;
  templateId: string | null;
  /** Number of contacts without an address for its channel. They were skipped. */
  unreachable: number;
};

/** A campaign finished. */
export type CampaignCompletedEvent = {
  createdAt: string;
  data: Campaign;
  event: 'campaign.completed';
  id: string;
  organizationId: string;
};

/** Expected result of a campaign. */
export type CampaignPreview = {
  /** Number of contacts in its audience. */
  audience: number;
  /** Cost of the messages, in GHS. */
  cost: number;
  currency: string;
  /**
   * True if `unreachable`, `refused`, `withoutConsent`, `segments` and `cost` are projected from a part
   * of the contacts.
   */
  isEstimate: boolean;
  /** Issues that were found in it. */
  issues: Array<Issue>;
  /**
   * Number of others that would get nothing: they lack a value that the text needs, are
   * suppressed, or cannot be reached by any provider.
   */
  refused: number;
  /** True if it would wait for approval. */
  requiresApproval: boolean;
  /** Risk score of the text as `MARKETING`, 0 to 100. */
  riskScore: number;
  /** Three of its messages. */
  samples: Array<CampaignSample>;
  /** Number of segments of the messages. */
  segments: number;
  /** Number of these without an address for its channel. */
  unreachable: number;
  /** Number of contacts without a recorded consent; null unless the category is `MARKETING`. */
  withoutConsent: number | null;
};

/** Contacts that a campaign skipped or did not reach for one reason. */
export type CampaignReason = {
  /** Number of contacts. */
  count: number;
  /** Reason. */
  reason: RecipientReason;
};

/** Recipient of a campaign. */
export type CampaignRecipient = {
  /** Contact; null once it is erased. */
  contactId: string | null;
  /** Its message; null if it has no address. */
  messageId: string | null;
  outcome: RecipientOutcome;
  /** Reason for which it was skipped or not reached. */
  reason: RecipientReason | null;
  /** Address to which the message goes; null if the contact has none. */
  recipient: string | null;
};

/** A message as a contact would get it. */
export type CampaignSample = {
  /** Text of the message; with its placeholders, if it is not sent. */
  body: string;
  contactId: string;
  /** Cost, in GHS. */
  cost: number;
  /** Reason for which it would not be sent, if so. */
  errorCode: FailureCode | null;
  /** The same reason, for people. */
  errorMessage: string | null;
  recipient: string;
  segments: number;
  subject: string | null;
};

/** A campaign started. */
export type CampaignStartedEvent = {
  createdAt: string;
  data: Campaign;
  event: 'campaign.started';
  id: string;
  organizationId: string;
};

/** The state of a campaign. `REJECTED`, `COMPLETED`, `CANCELLED` and `FAILED` are final. */
export type CampaignStatus = 'DRAFT' | 'SCHEDULED' | 'PENDING_APPROVAL' | 'REJECTED' | 'SENDING' | 'PAUSED' | 'COMPLETED' | 'CANCELLED' | 'FAILED';

/** The category of a message. */
export type Category = 'TRANSACTIONAL' | 'MARKETING' | 'OTP' | 'REMINDER' | 'ALERT' | 'HEALTHCARE' | 'INSURANCE' | 'LOGISTICS' | 'FINTECH' | 'ECOMMERCE';

/** The present password, and a new one. */
export type ChangePasswordRequest = {
  currentPassword: string;
  newPassword: string;
};

/** The channel of a message. */
export type Channel = 'SMS' | 'WHATSAPP' | 'EMAIL' | 'PUSH' | 'VOICE';

/** Payments for the messages of a channel. */
export type ChannelRevenue = {
  channel: Channel;
  messages: number;
  revenue: number;
};

/** A text to check. */
export type CheckMessageRequest = {
  /** The category of the text; `MARKETING` if absent. */
  category?: Category;
  /** The channel of the text. With `countryCode` the answer includes the cost. */
  channel?: Channel;
  /** The country of the recipients. */
  countryCode?: string;
  /** The text. */
  message: string;
  /** The sender of the text. Nobody can answer a name, so a text message from one that can be stopped by a reply only gets an issue. */
  senderId?: string;
};

/** Result of checking a text. */
export type CheckedMessage = {
  /** Alphabet as a text message, `GSM-7` or `UCS-2`. */
  encoding: string;
  /**
   * Cost of one recipient, in GHS. Null without `channel` and `countryCode`, and
   * without a price.
   */
  estimatedCost: number | null;
  /** Issues, heaviest first. */
  issues: Array<Issue>;
  /** True if the score is 30 or more. */
  requiresApproval: boolean;
  /** Risk score, 0 to 100. */
  riskScore: number;
  /** Number of parts as a text message. */
  segments: number;
};

/** The password of the user, and consent to lose the balance. */
export type CloseOrganizationRequest = {
  /** True to give up the money in the wallet. */
  forfeit?: boolean;
  password: string;
};

/** An import whose rows are all processed. */
export type CompletedImport = Import & {
  /** The kind of the rows. */
  kind: 'CONTACTS' | 'SUPPRESSIONS';
};

/** Compliance summary of an organization. */
export type ComplianceSummary = {
  /** Number of approvals of the organization that are pending. */
  pendingApprovals: number;
  /** Number of entries on the suppression list. */
  suppressionCount: number;
};

/** The first code. */
export type ConfirmSecondFactorRequest = {
  /** Code that the app shows. */
  code: string;
};

/** Consent of a contact to get messages. */
export type Consent = {
  /** Time at which the person consented. */
  at: Timestamp;
  /** Occasion or form by which the person consented. */
  source: string;
};

/** The consent of a contact. */
export type ConsentRequest = {
  /** The time of the consent, not in the future. */
  at: string;
  /** The occasion or form by which the person consented. */
  source: string;
};

/** Person that the organization writes to. */
export type Contact = {
  /** Further attributes, by name. */
  attributes: {
    [key: string]: string;
  };
  /** The person's consent to get messages; null if none is recorded. */
  consent: Consent | null;
  countryCode: string;
  createdAt: Timestamp;
  email: string | null;
  fcmToken: string | null;
  firstName: string | null;
  id: string;
  /**
   * Time at which the newest message to the phone, the email or the device was
   * accepted, without those of the sandbox; null if there was none within 93 days.
   */
  lastMessageAt: Timestamp | null;
  lastName: string | null;
  /** Status of that message. */
  lastStatus: Status | null;
  phone: string | null;
  /**
   * Type of the phone by its numbering plan; null without a phone. A fixed line
   * receives calls only.
   */
  phoneType: PhoneType | null;
  /**
   * Entries of the suppression list for the phone, the email or the device, newest
   * first, at most a hundred for each.
   */
  suppressed: Array<ContactSuppression>;
  tags: Array<string>;
  /** Time at which a request or a file last wrote the contact. */
  updatedAt: Timestamp;
};

/** Conditions that select contacts, all of which must fit. None of them may be null. */
export type ContactFilterRequest = {
  /** Only these contacts. */
  ids?: Array<string>;
  /** Only contacts whose name, phone or email contains this text, as in the list of contacts. */
  search?: string;
  /** Only contacts of this segment. */
  segmentId?: string;
  /** True for contacts of whom an address is suppressed, false for all others. */
  suppressed?: boolean;
  /** Only contacts with this tag, in any letter case. */
  tag?: string;
};

/** Job on many contacts. */
export type ContactJob = {
  /** Number of contacts that were selected. */
  count: number;
  createdAt: Timestamp;
  /** User who requested it, or who made the API key. */
  createdBy: string;
  /** Number of contacts so far that were worked on. */
  done: number;
  /** Time of its end. */
  finishedAt: Timestamp | null;
  id: string;
  /** Work on each contact. */
  kind: ContactJobKind;
  /** State of the job. A failed one was given up; what was done stays so. */
  status: ContactJobStatus;
};

/** The work of a job on each contact. */
export type ContactJobKind = 'DELETE' | 'TAG';

/** The state of a job on many contacts. */
export type ContactJobStatus = 'QUEUED' | 'RUNNING' | 'COMPLETED' | 'FAILED';

/** A recipient opted out. */
export type ContactOptedOutEvent = {
  createdAt: string;
  data: OptedOut;
  event: 'contact.opted_out';
  id: string;
  organizationId: string;
};

/** Entry of the suppression list for a contact. */
export type ContactSuppression = {
  /** Only category to which it applies; null for all. */
  category: Category | null;
  /** Only channel to which it applies; null for all. */
  channel: Channel | null;
  createdAt: Timestamp;
  id: string;
  reason: string | null;
  /** Origin of the entry. */
  source: SuppressionSource;
};

/** Text, with the result of its check. */
export type Content = {
  /** Alphabet as a text message, `GSM-7` or `UCS-2`. */
  encoding: string;
  /** Issues, heaviest first. */
  issues: Array<Issue>;
  message: string;
  /** Parts of the request that could not be fulfilled. */
  notes: Array<string>;
  /** True if the score is 30 or more. */
  requiresApproval: boolean;
  /** Risk score, 0 to 100. */
  riskScore: number;
  /** Number of parts as a text message, with its placeholders not filled. */
  segments: number;
  /** Subject of a new mail, or title of a new notification. */
  subject: string | null;
  writer: ContentWriter;
};

/** The style of a text. */
export type ContentStyle = 'professional' | 'friendly' | 'urgent' | 'formal';

/** The writer: a language model, or rules, which support some English only. */
export type ContentWriter = 'model' | 'rules';

/** Limit on a number of things, with the present number. */
export type CountUse = {
  limit: number;
  used: number;
};

/** An API key to create. */
export type CreateApiKeyRequest = {
  /** The time at which it expires; never if absent. */
  expiresAt?: string;
  /** True for a sandbox key, whose messages are only simulated. True if absent. */
  isSandbox?: boolean;
  /** A name for people. */
  name: string;
  /** The permissions of the key. Default: `messages:send`, `messages:read`, `events:read` and `events:trigger`. All others open endpoints for sessions to the key; those that end in `:write` are of no use to a sandbox key. */
  scopes?: Array<Scope>;
};

/** A campaign to create. */
export type CreateCampaignRequest = {
  /** A text of its own, without a template. Its category is `MARKETING`. The text before filling may be as long as the channel allows. */
  body?: string;
  channel: Channel;
  /** The format of its own text, only for `EMAIL`; detected if absent (see `sendMessage`). */
  format?: TextFormat;
  /** True to rehearse it in the sandbox: nothing reaches a provider, and it costs 0. It stays so, and goes on as fast as sandbox messages may. With an API key it must agree with the mode of the key. */
  isSandbox?: boolean;
  /** The metadata of all its messages, as for a message. */
  metadata?: {
    [key: string]: string;
  };
  /** A name for people. */
  name: string;
  /** The time of its start. A time that has passed when it is sent means now. */
  scheduledAt?: string;
  /** The segment of its recipients; all contacts if absent. */
  segmentId?: string;
  /** The sender of its messages, as for a message. */
  senderId?: string;
  /** A subject line of its own, without a template. */
  subject?: string;
  /** The template of its text. It must have the same channel. */
  templateId?: string;
};

/** A contact to create. */
export type CreateContactRequest = {
  /** Further attributes: texts of at most 500 characters, by names of at most 64. */
  attributes?: {
    [key: string]: string;
  };
  /** The person's consent to get messages: its time and its source. It replaces the existing one as a whole. */
  consent?: ConsentRequest;
  /** The country in which `phone` is dialled, if it has no calling code; `GH` if absent. */
  countryCode?: string;
  /** An email address. Unique in the organization. */
  email?: string;
  /** The push token of the device. */
  fcmToken?: string;
  firstName?: string;
  lastName?: string;
  /** A number in E.164, or as dialled in the country. Unique in the organization. */
  phone?: string;
  /** At most 50 characters each. Of tags that differ in letter case only, the first is kept. */
  tags?: Array<string>;
};

/** An event to create. */
export type CreateEventRequest = {
  /** The channels in the order in which they are tried; `SMS` if absent. */
  channelPriority?: Array<Channel>;
  /** The country of phone numbers without a calling code; `GH` if absent. */
  countryCode?: string;
  /** The purpose of the event. */
  description?: string;
  fallbackRules?: EventFallbackRules;
  /** True if it may be triggered; true if absent. */
  isActive?: boolean;
  name: string;
  retryRules?: EventRetryRules;
  /** The sender of messages on the channels that can have it (`SMS`, `WHATSAPP`, `VOICE`), if it is approved for one of them. Other channels are used without. */
  senderId?: string;
  /** The name of the event for programs: 1 to 100 of the characters `a` to `z`, `0` to `9`, `.`, `_` and `-`. It never changes. */
  slug: string;
  /** The template of all channels that have none in `templates`. On a channel that it is not written for, its text is sent, and for `EMAIL` its subject. */
  templateId?: string;
  /** Templates of single channels: names of channels, and identifiers. */
  templates?: {
    [key: string]: string;
  };
};

/** A person to invite. */
export type CreateInvitationRequest = {
  /** The address to which the link is mailed. */
  email: string;
  /** The role of the invited person; `VIEWER` if absent. */
  role?: Role;
};

/** An organization to create. */
export type CreateOrganizationRequest = {
  name: string;
};

/** A subscription. */
export type CreatePlanRequest = {
  /** Further features, in words. */
  features?: Array<string>;
  /** The number of messages included in a month. */
  includedMessages: number;
  /** The monthly fee in GHS. */
  monthlyFee: number;
  name: string;
};

/** A price for one segment of a message. */
export type CreatePricingRuleRequest = {
  channel: Channel;
  /** The recipients' country, `001` for numbers of none; all if absent. */
  countryCode?: string;
  /** The organization with which it is agreed; all if absent. */
  organizationId?: string;
  /** The price of one segment in GHS, with at most six decimals. */
  unitPrice: number;
};

/** A segment to create. */
export type CreateSegmentRequest = {
  /** The purpose of the segment. */
  description?: string;
  /** True if contacts join and leave as they match the rules; false for fixed members. True if absent. */
  isDynamic?: boolean;
  name: string;
  rules: SegmentRules;
};

/** Hours in which messages of a category may be sent to a country. */
export type CreateSendingWindowRequest = {
  /** The category of the messages; not `OTP` or `ALERT`. */
  category: Category;
  /** The closing time, such as `19:00`: on the next day, if it is not after `opens`. */
  closes: string;
  /** The recipients' country. */
  countryCode: string;
  /** True if it is in force. */
  isActive?: boolean;
  /** The opening time, such as `08:00`. */
  opens: string;
  /** The regulation on which it is based. */
  source: string;
  /** The country's offset from UTC, such as `+01:00`. For countries with daylight saving time or several time zones, choose hours that suit all of them. */
  utcOffset?: string;
  /** The days on which it opens. It is closed on all others. */
  weekdays: Array<Weekday>;
};

/** An address to suppress: a phone number, an email address, or both. */
export type CreateSuppressionRequest = {
  /** The only category to which the entry applies; all if absent. */
  category?: Category;
  /** The only channel to which the entry applies; all if absent. If the channel does not use the given address, the entry applies to the address that the contact has on the channel. */
  channel?: Channel;
  /** An email address. */
  email?: string;
  /** A number, as for a message. Without a country code it is a number of Ghana. */
  phone?: string;
  /** The reason. */
  reason?: string;
};

/** A template to create. */
export type CreateTemplateRequest = {
  /** The text. `{{name}}` is a placeholder for a value. The text before filling may be as long as the channel allows. */
  body: string;
  /** `TRANSACTIONAL` if absent. */
  category?: Category;
  channel: TemplateChannel;
  /** `GH` if absent. */
  countryCode?: string;
  /** The format of the text, only for `EMAIL`; detected if absent (see `sendMessage`). */
  format?: TextFormat;
  /** `en` if absent. */
  language?: string;
  /** True if values may have more than 160 characters although the category is `HEALTHCARE`, `INSURANCE` or `FINTECH`. Shown to the administrator who approves the template. */
  longVariables?: boolean;
  /** A name for people. */
  name: string;
  /** The placeholders whose values are one line of at most 40 characters without a link. If absent, all placeholders of a template of the category `OTP`, and none of others. A text with fewer than 20 characters of its own and a placeholder that is not short is scored at each send, with its values. */
  shortVariables?: Array<string>;
  /** The subject line. */
  subject?: string;
  /** The names of the placeholders: all that the texts use, and others for later use. Taken from the texts if absent. */
  variables?: Array<string>;
  /** Only for `WHATSAPP`: the template that the vendor has approved. It requires approval by the platform. */
  vendorTemplate?: VendorTemplateRequest;
};

/** A webhook endpoint to create. */
export type CreateWebhookEndpointRequest = {
  /** The events that it is subscribed to; all, including future ones, if absent, null or empty. */
  events?: Array<WebhookEvent>;
  /** The URL of the receiver: https, in development also http. It must lead to a public address. */
  url: string;
};

/** API key of the request. */
export type CurrentApiKey = ApiKey & {
  limits: ApiKeyLimits;
  organization: ApiKeyOwner;
};

/** Position of a part in its list. */
export type CursorPagination = {
  /** Maximum number of items in a part. */
  limit: number;
  /** Value of `after` for the next part; null at the end. */
  nextCursor: string | null;
};

/** Spending of today, in UTC. */
export type DailySpending = {
  currency: string;
  /** Maximum spending in a day; null for no limit. */
  dailyLimit: number | null;
  /** Time at which the day ends. */
  resetsAt: Timestamp;
  /** Spending of today, without refunds. */
  spentToday: number;
};

/** The database. */
export type DatabaseHealth = {
  /** State or problem, for people. */
  message: string;
  status: DependencyStatus;
};

/** A comment on a decision. */
export type DecisionRequest = {
  /** The reason, for the user who requested the approval. */
  comment?: string;
};

/** Contacts to delete. */
export type DeleteContactsRequest = {
  /** True to select all contacts; then the filter must be absent or empty. */
  all?: boolean;
  /** True to count the contacts and change nothing. */
  dryRun?: boolean;
  /** The conditions, all of which must fit. */
  filter?: ContactFilterRequest;
};

/** Deleted contact. */
export type DeletedContact = {
  /** Always true. */
  deleted: boolean;
  id: string;
};

/** Deleted event. */
export type DeletedEvent = {
  /** Always true. */
  deleted: boolean;
  id: string;
};

/** Deleted segment. */
export type DeletedSegment = {
  /** Always true. */
  deleted: boolean;
  id: string;
};

/** Deleted sender name. */
export type DeletedSenderName = {
  /** Always true. */
  deleted: boolean;
  id: string;
};

/** Deleted window. */
export type DeletedSendingWindow = {
  /** Always true. */
  deleted: boolean;
  id: string;
};

/** Deleted entry. */
export type DeletedSuppression = {
  /** Always true. */
  deleted: boolean;
  id: string;
};

/** Message, with the state of its delivery. */
export type DeliveryLog = {
  /** Number of attempts to hand it to providers. */
  attemptCount: number;
  /** Attempts to hand it to providers, oldest first: of many the first 5 and the last 15. */
  attempts: Array<Attempt>;
  /**
   * Text, with placeholders filled. In an `OTP` the values, or else what may be a
   * code, are `••••••` once its outcome is final, and after an hour at the latest; always in
   * webhooks, and for members other than owners, administrators and developers.
   */
  body: string;
  /** True if `body` is cut. Lists show the first 10,000 characters of a text. */
  bodyTruncated: boolean;
  /** Campaign that it belongs to. */
  campaignId: string | null;
  /** Category of its content. */
  category: Category;
  channel: Channel;
  /**
   * Contact for whom it was written, if it belongs to a campaign, or is the first message
   * of a trigger for a contact.
   */
  contactId: string | null;
  /**
   * Price charged, in GHS. It stays when the message fails: the amount paid in the end is zero
   * if `refunded`, else this.
   */
  cost: number;
  /** The recipient's country; `001` for numbers that belong to none. */
  countryCode: string;
  /** Time at which it was accepted. */
  createdAt: Timestamp;
  /** Time at which its arrival was confirmed. */
  deliveredAt: Timestamp | null;
  /** Reason for its failure or delay, or `NO_REPORT`, for programs. */
  errorCode: FailureCode | null;
  /** Reason for its failure or delay, for people. */
  errorMessage: string | null;
  /** Slug of the event that it notifies of. */
  event: string | null;
  /** Time after which it is not tried any more. */
  expiresAt: Timestamp;
  id: string;
  /** The identifier under which providers know the message. */
  internalMessageId: string;
  /** True if it belongs to the sandbox and is only simulated. */
  isSandbox: boolean;
  /** True while it waits for the time for which it was scheduled. */
  isScheduled: boolean;
  /** Pairs by which the sender's systems know it. */
  metadata: {
    [key: string]: string;
  };
  /** Amount paid in the end, in GHS: zero if the cost was refunded. */
  netCost: number;
  /**
   * Earliest time of sending, if it was scheduled, or if quiet hours or a pause of its
   * campaign delay it.
   */
  notBefore: Timestamp | null;
  /** Provider that has it, or had it last. */
  provider: string | null;
  /** The destination, normalised. */
  recipient: string;
  /** True if the cost was refunded, as it is when a message fails. */
  refunded: boolean;
  /** Failed message that it repeats. */
  resentFrom: string | null;
  /** Time for which it was scheduled; null if it was to go at once. */
  scheduledAt: Timestamp | null;
  /** Number of segments that are charged. */
  segments: number;
  /** Sender that was requested. */
  senderId: string | null;
  /** Time at which a provider accepted it. */
  sentAt: Timestamp | null;
  status: Status;
  /** Subject line. In an `OTP` it is masked like the text. */
  subject: string | null;
  /** Template of the text. */
  templateId: string | null;
};

/** Message, with the state of its delivery and its timeline. */
export type DeliveryLogDetail = DeliveryLog & {
  /**
   * What happened to it, oldest first. The calls of webhooks are shown to those who may
   * read the webhook endpoints; some are missing if the organization has very many events.
   */
  timeline: Array<TimelineEntry>;
};

/** Dependencies of the service. */
export type Dependencies = {
  database: DatabaseHealth;
  redis: RedisHealth;
  workers: WorkersHealth;
};

/** Health of a dependency. */
export type DependencyStatus = 'ok' | 'error';

/**
 * A stable name that programs can match on. A refused request has the same result if it is repeated unchanged, unless the description of its code names a retry; repeat requests that create something with the same `Idempotency-Key`. `x-errors` says the same for programs.
 *
 * - `VALIDATION_ERROR` (400): The request is invalid: `to` is required.
 * - `UNAUTHORIZED` (401): Credentials are required: a session as `Authorization: Bearer …`, or an API key as `X-API-Key` where one is taken.
 * - `SESSION_REQUIRED` (401): An API key cannot do this: sign in, and send the session as `Authorization: Bearer …`.
 * - `SECOND_FACTOR_REQUIRED` (401): The password is right, and a code of the authenticator app is required as `code`, or a recovery code as `recoveryCode`.
 * - `NOT_A_MEMBER` (403): You are not a member of this organization.
 * - `FORBIDDEN` (403): Your role does not allow this.
 * - `INSUFFICIENT_SCOPE` (403): The API key lacks the scope `messages:send`.
 * - `ORGANIZATION_SUSPENDED` (403): The organization is suspended: it cannot send messages.
 * - `ORGANIZATION_CLOSED` (403): The organization is closed; an owner can restore it for 30 days.
 * - `NOT_FOUND` (404): Resource not found.
 * - `USER_NOT_FOUND` (404): No user has registered with this email address.
 * - `TEMPLATE_NOT_FOUND` (404): Template 019a5b8e-6c2f-7d10-a4c3-e5f708192a3b not found.
 * - `SEGMENT_NOT_FOUND` (404): Segment 019a5b8e-6c2f-7d10-a4c3-e5f708192a3b not found.
 * - `LAST_OWNER` (409): An organization keeps at least one owner.
 * - `INVALID_CAMPAIGN_STATUS` (409): The campaign is SENDING; only one that is DRAFT can be sent.
 * - `APPROVAL_REQUIRED` (409): The text has a risk score of 30: a platform administrator decides about it, and the campaign goes on by itself once it is approved.
 * - `CONTACT_NOT_FOUND` (404): Contact not found.
 * - `EVENT_NOT_FOUND` (404): Event `parcel.arrived` not found.
 * - `EVENT_INACTIVE` (409): Event `parcel.arrived` is not active.
 * - `EVENT_LIMIT_REACHED` (409): An organization has at most 200 events.
 * - `SLUG_EXISTS` (409): There is an event with the slug `parcel.arrived`.
 * - `TOO_MANY_IMPORTS` (409): Ten imports of this kind wait already; try again when one is done.
 * - `CONTENT_CHANGED` (409): The content was changed meanwhile.
 * - `TEMPLATE_NOT_APPROVED` (409): Template 019a5b8e-6c2f-7d10-a4c3-e5f708192a3b is not approved.
 * - `CONTACT_EXISTS` (409): Another contact has this phone.
 * - `WEBHOOK_ENDPOINT_LIMIT_REACHED` (409): An organization has at most 20 active webhook endpoints; deactivate one.
 * - `WEBHOOK_ENDPOINT_INACTIVE` (409): The webhook endpoint is not active.
 * - `WEBHOOK_ENDPOINT_BUSY` (409): The deliveries of before the endpoint was deactivated are still being ended; try again. Try again after `Retry-After`.
 * - `IDEMPOTENCY_IN_PROGRESS` (409): The first request with this idempotency key is still in progress. Try again after `Retry-After`.
 * - `RATE_LIMITED` (429): Too many requests; try again in 2 s. Try again after `Retry-After`.
 * - `SERVICE_UNAVAILABLE` (503): The service is overloaded or in trouble; try again in a moment. Try again after `Retry-After`.
 * - `CONTENT_WRITER_NOT_CONFIGURED` (503): This takes a language model, and none is configured: without one English texts are written and rewritten, and nothing is translated.
 * - `CONTACT_LIMIT_REACHED` (409): The organization has as many contacts as it may have: 250000; there may be more once it has paid for the first time.
 * - `CONTACT_BYTES_LIMIT_REACHED` (409): The organization has as many bytes of contacts as it may have: 250000000; there may be more once it has paid for the first time.
 * - `SUPPRESSION_LIMIT_REACHED` (409): The organization has as many entries of the suppression list as it may have: 250000; there may be more once it has paid for the first time.
 * - `TEMPLATE_LIMIT_REACHED` (409): The organization has as many templates as it may have: 200; there may be more once it has paid for the first time.
 * - `TEMPLATE_BYTES_LIMIT_REACHED` (409): The organization has as many bytes of templates and their versions as it may have: 20000000; there may be more once it has paid for the first time.
 * - `PENDING_APPROVAL_LIMIT_REACHED` (409): The organization has as many approvals under way as it may have: 50.
 * - `DAILY_APPROVAL_LIMIT_REACHED` (409): The organization has as many approvals in 24 hours as it may have: 200; there may be more once it has paid for the first time.
 * - `DAILY_IMPORT_LIMIT_REACHED` (409): The organization has as many imports in 24 hours as it may have: 50; there may be more once it has paid for the first time.
 * - `REFERENCE_REQUIRED` (400): The reference of a top-up is required.
 * - `PAYMENT_FAILED` (400): Nothing is paid so far: the gateway says `abandoned`; ask again when the payment is made.
 * - `TOO_MANY_TOP_UPS` (409): Too many top-ups wait for their payment; pay one, or wait until old ones are given up.
 * - `INVOICE_AMOUNT_DIFFERS` (409): The invoice INV-000003 is over GHS 50.00.
 * - `INVOICE_LIMIT_REACHED` (409): An organization has at most 100 open invoices.
 * - `REFERENCE_TAKEN` (409): GHS 50.00 was credited for the reference transfer-7 before.
 * - `UNKNOWN_INVOICE` (422): The organization has no invoice INV-7; numbers are such as INV-000001.
 * - `INVOICE_CREDITED` (409): The money of the invoice INV-000003 is in the wallet, and to be paid.
 * - `INVOICE_NOT_OPEN` (409): The invoice INV-000003 is VOID.
 * - `INSUFFICIENT_BALANCE` (402): The wallet holds GHS 0.012, and GHS 0.035 is needed.
 * - `SPENDING_LIMIT_REACHED` (402): The daily spending limit is GHS 20.00, GHS 19.99 was spent today, and GHS 0.035 is needed; it resets at midnight UTC.
 * - `ORGANIZATION_REQUIRED` (400): The header X-Organization-Id is required.
 * - `METHOD_NOT_ALLOWED` (405): This address takes GET, HEAD only.
 * - `PAYLOAD_TOO_LARGE` (413): The body must have at most 1048576 bytes.
 * - `UNSUPPORTED_MEDIA_TYPE` (415): A body with the content encoding `gzip` cannot be read.
 * - `INTERNAL_ERROR` (500): Something went wrong on our side. Try again later.
 * - `REGISTRATION_CLOSED` (403): Registration is closed here: ask the operator.
 * - `EMAIL_EXISTS` (409): This email address is already registered.
 * - `INVALID_CREDENTIALS` (401): The email address or the password is wrong.
 * - `EMAIL_REQUIRED` (400): An email address is required.
 * - `INVITED_OTHER_ADDRESS` (403): The invitation is for another address: sign in with that one.
 * - `SECOND_FACTOR_EXISTS` (409): There is a second factor already: remove it with `POST /auth/totp/remove`.
 * - `ANSWER_NOT_KEPT` (409): The first request with this idempotency key succeeded, but its answer was too large to repeat.
 * - `IDEMPOTENCY_KEY_REUSED` (422): The idempotency key was used for a different request.
 * - `EMAIL_NOT_VERIFIED` (409): This needs a user whose email address is verified.
 * - `ALREADY_MEMBER` (409): This address belongs to a member of the organization.
 * - `ALREADY_INVITED` (409): This address has an open invitation: send it again, or withdraw it.
 * - `INVITATION_LIMIT_REACHED` (409): An organization has at most 100 open invitations.
 * - `NAME_REQUIRED` (400): A name is required.
 * - `API_KEY_ROTATED` (409): The key was rotated already: rotate the key that followed it, or revoke it.
 * - `MESSAGE_NOT_CANCELLABLE` (409): The message is over, or is being handed to a provider, or was handed to one.
 * - `MESSAGE_NOT_SCHEDULED` (409): The message does not wait for a time any more.
 * - `MESSAGE_NOT_FAILED` (409): Only a failed message can be sent again.
 * - `ALREADY_RESENT` (409): The message was sent again before; `again` repeats that.
 * - `NOT_RESENDABLE` (409): A message that is a code, was cancelled, suppressed, blocked, let expire early or erased is not sent again.
 * - `TOO_MANY_RESENDS` (409): Five such requests of the organization are at work already.
 * - `INVALID_SIGNATURE` (401): The signature is missing or wrong.
 * - `LIVE_KEY_REQUIRED` (403): A sandbox key changes no live data: use a live key.
 * - `FILE_IMPORTED` (409): The same file was imported within the last 24 hours.
 * - `IMPORT_NOT_FINISHED` (409): The import is not finished; it can be undone afterwards.
 * - `UNDO_TOO_LATE` (409): An import can be undone for a day after its end.
 * - `ALREADY_UNDONE` (409): The import was undone before, or is being undone.
 * - `TOO_MANY_CONTACT_JOBS` (409): Ten such requests of the organization are at work already.
 * - `SEGMENT_LIMIT_REACHED` (409): An organization has at most 100 segments.
 * - `SEGMENT_IN_USE` (409): A campaign that has not ended is for this segment.
 * - `SENDER_NAME_TAKEN` (409): This sender name cannot be had: it is in use.
 * - `TOO_MANY_SENDER_NAMES` (409): An organization has at most 100 sender names: delete one that is not needed.
 * - `SENDER_NAME_IN_PROGRESS` (409): This sender name is being asked for: try again. Try again after `Retry-After`.
 * - `TEMPLATE_IN_USE` (409): Events, or campaigns that are not sent yet, need the template.
 * - `ALREADY_DECIDED` (409): This has been decided already.
 * - `CAMPAIGN_LIMIT_REACHED` (409): An organization has at most 1000 campaigns that have not ended.
 * - `SANDBOX_KEY_REQUIRED` (403): A live key sends no messages of a rehearsal: use a sandbox key.
 * - `EVENT_CHANGED` (409): The event was changed meanwhile; try again.
 * - `URL_REQUIRED` (400): A url is required.
 * - `GATEWAY_NOT_CONFIGURED` (503): No payment gateway is set up, so that a wallet can be topped up by invoice only.
 * - `PRICING_RULE_EXISTS` (409): There is an active price for this organization, channel and country: change that one.
 * - `PRICING_ENDED` (409): It has ended, and can only be made active again.
 * - `GENERAL_PRICE_NEEDED` (409): The price of a channel for all organizations and countries can be changed, but not ended.
 * - `PLAN_EXISTS` (409): There is an active plan of this name: change that one.
 * - `WALLET_NOT_EMPTY` (409): The wallet holds money: spend it, or give it up with `forfeit`.
 * - `LAST_ADMIN` (409): The platform needs at least one administrator.
 * - `NOT_IMPERSONATING` (400): This session impersonates nobody.
 */
export type ErrorCode = 'VALIDATION_ERROR' | 'UNAUTHORIZED' | 'SESSION_REQUIRED' | 'SECOND_FACTOR_REQUIRED' | 'NOT_A_MEMBER' | 'FORBIDDEN' | 'INSUFFICIENT_SCOPE' | 'ORGANIZATION_SUSPENDED' | 'ORGANIZATION_CLOSED' | 'NOT_FOUND' | 'USER_NOT_FOUND' | 'TEMPLATE_NOT_FOUND' | 'SEGMENT_NOT_FOUND' | 'LAST_OWNER' | 'INVALID_CAMPAIGN_STATUS' | 'APPROVAL_REQUIRED' | 'CONTACT_NOT_FOUND' | 'EVENT_NOT_FOUND' | 'EVENT_INACTIVE' | 'EVENT_LIMIT_REACHED' | 'SLUG_EXISTS' | 'TOO_MANY_IMPORTS' | 'CONTENT_CHANGED' | 'TEMPLATE_NOT_APPROVED' | 'CONTACT_EXISTS' | 'WEBHOOK_ENDPOINT_LIMIT_REACHED' | 'WEBHOOK_ENDPOINT_INACTIVE' | 'WEBHOOK_ENDPOINT_BUSY' | 'IDEMPOTENCY_IN_PROGRESS' | 'RATE_LIMITED' | 'SERVICE_UNAVAILABLE' | 'CONTENT_WRITER_NOT_CONFIGURED' | 'CONTACT_LIMIT_REACHED' | 'CONTACT_BYTES_LIMIT_REACHED' | 'SUPPRESSION_LIMIT_REACHED' | 'TEMPLATE_LIMIT_REACHED' | 'TEMPLATE_BYTES_LIMIT_REACHED' | 'PENDING_APPROVAL_LIMIT_REACHED' | 'DAILY_APPROVAL_LIMIT_REACHED' | 'DAILY_IMPORT_LIMIT_REACHED' | 'REFERENCE_REQUIRED' | 'PAYMENT_FAILED' | 'TOO_MANY_TOP_UPS' | 'INVOICE_AMOUNT_DIFFERS' | 'INVOICE_LIMIT_REACHED' | 'REFERENCE_TAKEN' | 'UNKNOWN_INVOICE' | 'INVOICE_CREDITED' | 'INVOICE_NOT_OPEN' | 'INSUFFICIENT_BALANCE' | 'SPENDING_LIMIT_REACHED' | 'ORGANIZATION_REQUIRED' | 'METHOD_NOT_ALLOWED' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'INTERNAL_ERROR' | 'REGISTRATION_CLOSED' | 'EMAIL_EXISTS' | 'INVALID_CREDENTIALS' | 'EMAIL_REQUIRED' | 'INVITED_OTHER_ADDRESS' | 'SECOND_FACTOR_EXISTS' | 'ANSWER_NOT_KEPT' | 'IDEMPOTENCY_KEY_REUSED' | 'EMAIL_NOT_VERIFIED' | 'ALREADY_MEMBER' | 'ALREADY_INVITED' | 'INVITATION_LIMIT_REACHED' | 'NAME_REQUIRED' | 'API_KEY_ROTATED' | 'MESSAGE_NOT_CANCELLABLE' | 'MESSAGE_NOT_SCHEDULED' | 'MESSAGE_NOT_FAILED' | 'ALREADY_RESENT' | 'NOT_RESENDABLE' | 'TOO_MANY_RESENDS' | 'INVALID_SIGNATURE' | 'LIVE_KEY_REQUIRED' | 'FILE_IMPORTED' | 'IMPORT_NOT_FINISHED' | 'UNDO_TOO_LATE' | 'ALREADY_UNDONE' | 'TOO_MANY_CONTACT_JOBS' | 'SEGMENT_LIMIT_REACHED' | 'SEGMENT_IN_USE' | 'SENDER_NAME_TAKEN' | 'TOO_MANY_SENDER_NAMES' | 'SENDER_NAME_IN_PROGRESS' | 'TEMPLATE_IN_USE' | 'ALREADY_DECIDED' | 'CAMPAIGN_LIMIT_REACHED' | 'SANDBOX_KEY_REQUIRED' | 'EVENT_CHANGED' | 'URL_REQUIRED' | 'GATEWAY_NOT_CONFIGURED' | 'PRICING_RULE_EXISTS' | 'PRICING_ENDED' | 'GENERAL_PRICE_NEEDED' | 'PLAN_EXISTS' | 'WALLET_NOT_EMPTY' | 'LAST_ADMIN' | 'NOT_IMPERSONATING';

/** Event that an organization notifies people of. */
export type Event = {
  /** The channels in the order in which they are tried. */
  channelPriority: Array<Channel>;
  /** Country of phone numbers without a calling code; null for `GH`. */
  countryCode: string | null;
  createdAt: Timestamp;
  description: string | null;
  /** Rules as they were written. */
  fallbackRules: {
    [key: string]: unknown;
  } | null;
  id: string;
  /** True if it may be triggered. */
  isActive: boolean;
  /** Those templates, by channel. */
  linkedTemplates: {
    [key: string]: Template;
  };
  name: string;
  /** Rules as they were written. */
  retryRules: {
    [key: string]: unknown;
  } | null;
  /** Sender of its messages on the channels that can have it. */
  senderId: string | null;
  slug: string;
  /** Template with the identifier `templateId`. */
  template: Template | null;
  templateId: string | null;
  /** The templates of single channels. */
  templates: {
    [key: string]: unknown;
  };
};

/** Channels to try after the others, with their conditions. Other keys are stored. */
export type EventFallbackRules = {
  /** The number of seconds after the acceptance of a message after which the next channel is tried, if the message has not reached `untilStatus`. If absent, it is tried only if the message fails. */
  afterSeconds?: number;
  channels?: Array<Channel>;
  /** `DELIVERED` if absent. */
  untilStatus?: 'SENT' | 'DELIVERED';
  [key: string]: unknown;
};

/** Rules for retries of the messages of an event. Other keys are stored. */
export type EventRetryRules = {
  /** The number of seconds between two rounds. A provider may request more. */
  backoffSeconds?: number;
  /** The maximum number of rounds of calls to providers. After that the message fails; if absent, the message is tried until it expires. */
  maxAttempts?: number;
  [key: string]: unknown;
};

/**
 * The reason for the failure or delay of a message. The service retries by itself until `expiresAt`; a message that is `FAILED` is final, and costs nothing (`refunded`).
 *
 * Sending it again has the same result, unless something else changes first:
 * - `INVALID_RECIPIENT`: the recipient does not exist, or cannot receive this kind of message.
 * - `RECIPIENT_OPTED_OUT`: the recipient opted out at the provider.
 * - `RECIPIENT_SUPPRESSED`: the recipient is on the organization's suppression list.
 * - `DEVICE_UNREGISTERED`: the application was removed from the device; its token is invalid.
 * - `SESSION_WINDOW_CLOSED`: the recipient has not written within a day; send a template that the vendor stores.
 * - `NO_ROUTE`: no provider serves this channel and country.
 * - `COUNTRY_NOT_ALLOWED`: the organization's settings allow no messages to this country.
 * - `BLOCKED_CONTENT`: the provider or the screening refuses the text; change it.
 * - `SENDER_NOT_ALLOWED`: the provider refuses the sender name.
 * - `MISSING_VARIABLE`: a placeholder has no value for this recipient.
 * - `TRAFFIC_STOPPED`: the organization's codes to these numbers are stopped, because too few of them arrive.
 * - `CANCELLED`: it, or its campaign, was cancelled before a provider had it.
 *
 * It may be sent again later:
 * - `VELOCITY_LIMIT`: the organization recently sent too many messages to these numbers, or to such countries.
 * - `RECIPIENT_UNREACHABLE`: the provider cannot reach this recipient now, for example because a mailbox is full.
 * - `PROVIDER_THROTTLED`, `PROVIDER_BUSY`: the provider accepts no more for now, or is given no more.
 * - `PROVIDER_UNAVAILABLE`: the provider cannot be reached, or is out of order.
 * - `PROVIDER_AUTH`, `PROVIDER_BALANCE`: the operator's account at the provider is refused, or is empty.
 * - `PROVIDER_REJECTED`: the provider refused it for a reason of its own.
 * - `UNDELIVERED`: the provider accepted it and later failed to deliver it.
 * - `EXPIRED`: its validity ended before a provider accepted it.
 *
 * It may have arrived, so a repetition may be a duplicate:
 * - `UNKNOWN_OUTCOME`: the provider did not answer clearly, and has not reported since.
 * - `NO_REPORT`: the provider accepted it and never reported an outcome; the message stays `SENT`, and is paid.
 */
export type FailureCode = 'INVALID_RECIPIENT' | 'RECIPIENT_OPTED_OUT' | 'RECIPIENT_SUPPRESSED' | 'NO_ROUTE' | 'BLOCKED_CONTENT' | 'SENDER_NOT_ALLOWED' | 'DEVICE_UNREGISTERED' | 'SESSION_WINDOW_CLOSED' | 'RECIPIENT_UNREACHABLE' | 'PROVIDER_THROTTLED' | 'PROVIDER_BUSY' | 'PROVIDER_AUTH' | 'PROVIDER_BALANCE' | 'PROVIDER_UNAVAILABLE' | 'PROVIDER_REJECTED' | 'UNKNOWN_OUTCOME' | 'UNDELIVERED' | 'NO_REPORT' | 'EXPIRED' | 'MISSING_VARIABLE' | 'CANCELLED' | 'COUNTRY_NOT_ALLOWED' | 'VELOCITY_LIMIT' | 'TRAFFIC_STOPPED';

/** The property by which messages are counted. */
export type FigureDimension = 'channel' | 'campaign' | 'event' | 'template' | 'provider' | 'errorCode' | 'country';

/** The length of the parts of a period. */
export type FigureInterval = 'day' | 'hour';

/** A request for a new password. */
export type ForgotPasswordRequest = {
  email: string;
};

/** Newly created organization. */
export type FoundedOrganization = {
  id: string;
  name: string;
};

/** A request to write a text. */
export type GenerateContentRequest = {
  /** The category of the text; `TRANSACTIONAL` if absent. */
  category?: Category;
  /** The channel of the text. */
  channel: Channel;
  /** A description of the purpose of the text. For an SMS at most 600 characters. */
  goal: string;
  /** The language, as a code or by name; `en` if absent. */
  language?: string;
  /** The maximum number of parts of an SMS. If it nevertheless takes more, `notes` report it. */
  maxSegments?: number;
  /** The style of the text. Rules support the styles of `/content/rewrite`. */
  tone?: string;
  /** The names of the placeholders. The text contains all of them. */
  variables?: Array<string>;
};

/** Health of the service. */
export type Health = {
  dependencies: Dependencies;
  /** The name of the service. */
  service: string;
  /** `degraded` if anything below is not `ok`. */
  status: ServiceStatus;
  tasks: BackgroundTasksHealth;
  /** Time of the check. */
  timestamp: Timestamp;
};

/** Organization as which an administrator acts. */
export type ImpersonatedOrganization = {
  id: string;
  name: string;
};

/** A session in which an administrator acts as an organization. */
export type Impersonation = {
  /** Time at which the token expires. */
  expiresAt: Timestamp;
  organization: ImpersonatedOrganization;
  /** The token for the header `Authorization: Bearer …`. */
  token: string;
};

/** Import of a file. */
export type Import = {
  /** Time at which the last row was processed. */
  completedAt: Timestamp | null;
  /** Source of the consent of all contacts of the file; null if none was given. */
  consentSource: string | null;
  /** Number of rows so far that created something. */
  created: number;
  createdAt: Timestamp;
  /** Number of rows so far that failed. At the end the three add up to `totalRows`. */
  failed: number;
  /** Name of the file. */
  fileName: string | null;
  /**
   * Number of contact rows accepted so far whose phone is a fixed line, which
   * receives no SMS.
   */
  fixedLines: number;
  id: string;
  /**
   * Import of the same bytes within the 24 hours before; null if there was none that
   * was neither undone nor failed.
   */
  sameAs: string | null;
  /** State of the import. */
  status: ImportStatus;
  /** Number of rows, without the header, blank lines and rows of separators. */
  totalRows: number;
  /** State of the undo; null if none was requested. */
  undoStatus: ImportUndoStatus | null;
  /** Number of contacts so far that the undo deleted. */
  undone: number;
  /** Time at which the undo ended. */
  undoneAt: Timestamp | null;
  /** Number of rows so far that updated something. */
  updated: number;
};

/** An import finished. */
export type ImportCompletedEvent = {
  createdAt: string;
  data: CompletedImport;
  event: 'import.completed';
  id: string;
  organizationId: string;
};

/** Row that failed, or was accepted without some of its cells, as `reason` then says. */
export type ImportError = {
  /** Name of the column in the file; null if the row as a whole is wrong. */
  column: string | null;
  /** Reason for people. */
  reason: string;
  /** Number of the row as in a spreadsheet: the header is row 1. */
  row: number;
};

/** Beginning of a file of contacts, as an import would understand it. */
export type ImportPreview = {
  /** Columns of the file, in its order. */
  columns: Array<ImportPreviewColumn>;
  /**
   * Rows among the first 1,000 (fewer, if they have more than 2 MiB) that would fail, or be
   * accepted without some of their cells.
   */
  errors: Array<ImportError>;
  /** First ten rows that would be imported. */
  rows: Array<ImportPreviewRow>;
};

/** Column of a file. */
export type ImportPreviewColumn = {
  /** Field of the contacts, or `attributes.` and a name; null if the column is ignored. */
  field: string | null;
  /** Name of the column in the file. */
  header: string;
};

/** Row that would be imported. */
export type ImportPreviewRow = {
  /** Further attributes, by name. */
  attributes: {
    [key: string]: string;
  };
  /** Country of numbers without a calling code. */
  countryCode: string;
  email: string | null;
  /** Push token of the device. */
  fcmToken: string | null;
  firstName: string | null;
  lastName: string | null;
  /** Number in E.164. */
  phone: string | null;
  /** Number of the row as in a spreadsheet: the header is row 1. */
  row: number;
  tags: Array<string>;
};

/** The state of an import. */
export type ImportStatus = 'QUEUED' | 'PROCESSING' | 'COMPLETED' | 'FAILED';

/** The state of the undo of an import. A `FAILED` one did not end within the week for which it is known what the import created; what was done stays so. */
export type ImportUndoStatus = 'QUEUED' | 'PROCESSING' | 'COMPLETED' | 'FAILED';

/** Import of a file, with its failed rows. */
export type ImportWithErrors = Import & {
  /** First 1,000 rows so far that failed, or were accepted without some of their cells. */
  errors: Array<ImportError>;
};

/** An open invitation. */
export type Invitation = {
  createdAt: Timestamp;
  email: string;
  /** Time at which the link stops to work. */
  expiresAt: Timestamp;
  id: string;
  /** User who invited, or sent the invitation again. */
  invitedBy: string;
  /** Role that the invited person gets. */
  role: Role;
};

/** A registered user to add, or a member to give another role. */
export type InviteRequest = {
  /** The address of a registered user. */
  email: string;
  /** The role of the member; `VIEWER` if absent. */
  role?: Role;
};

/** An invoice. */
export type Invoice = {
  /** Amount to pay; for a statement, the cost of messages less refunds. */
  amount: number;
  currency: string;
  /** Time by which it is to be paid; null for a statement. */
  dueAt: Timestamp | null;
  id: string;
  issuedAt: Timestamp;
  kind: InvoiceKind;
  /** Number of the invoice. The numbers of an organization begin with 1 and have no gaps. */
  number: string;
  paidAt: Timestamp | null;
  status: InvoiceStatus;
};

/** Invoice with all its details. */
export type InvoiceDetails = Invoice & {
  /** Details of a statement; null for other invoices. */
  statement: Statement | null;
};

/** `TOP_UP` requests a payment to the wallet; `STATEMENT` reports its movements. */
export type InvoiceKind = 'TOP_UP' | 'STATEMENT';

/** The state of an invoice. Statements are paid, because the wallet paid before. */
export type InvoiceStatus = 'OPEN' | 'PAID' | 'VOID';

/** Issue found in a text. */
export type Issue = {
  /** Name of the rule. It does not change. */
  code: string;
  /** Passage of the text; null if something is missing. */
  match: string | null;
  /** Description of the issue. */
  message: string;
  /** Start of the passage, in characters from 0. A subject precedes the text, on a line of its own. */
  position: number | null;
  /** Suggested correction. */
  remedy: string;
  severity: IssueSeverity;
  /** Points that it adds to the score. */
  weight: number;
};

/** The severity of an issue. `info` adds nothing to the score; a single `high` issue requires approval. */
export type IssueSeverity = 'info' | 'low' | 'medium' | 'high';

/** The account on the other side of a movement. */
export type LedgerAccount = 'GATEWAY_CLEARING' | 'TRIAL' | 'REVENUE' | 'REFUNDS' | 'MANUAL_PAYMENTS' | 'ADJUSTMENTS';

/** The reason for a movement. */
export type LedgerKind = 'TRIAL_CREDIT' | 'MESSAGE_DEBIT' | 'MESSAGE_REFUND' | 'TOP_UP' | 'MANUAL_CREDIT' | 'CORRECTION';

/** A movement of the wallet. */
export type LedgerMovement = {
  /** Account on the other side, which changed by the opposite amount. */
  account: LedgerAccount;
  /** Change of the balance, in GHS. */
  amount: number;
  /** Time of the movement; for messages, the last time. */
  createdAt: Timestamp;
  /** Hash of the entry, 64 hexadecimal digits; null until it is entered. */
  hash: string | null;
  /** Identifier; null for payments of messages in the last minutes. */
  id: string | null;
  /** Reason for the movement. */
  kind: LedgerKind;
  /** Number of messages. */
  messages: number;
  /** Reference to the purpose of the movement. */
  reference: string | null;
  /** Number of the entry in the ledger; null until it is entered. */
  sequence: number | null;
};

/** A payment through the gateway. `top_up.completed` reports the same ([`TopUp::to_json`]). */
export type ListedTopUp = {
  amount: number;
  createdAt: Timestamp;
  /** Time at which the money was in the wallet; null before. */
  creditedAt: Timestamp | null;
  currency: string;
  id: string;
  paymentMethod: PaymentMethod;
  /** Reference of the payment. */
  reference: string;
  status: TopUpStatus;
};

/** Liveness of the process. */
export type Liveness = {
  /** Always `ok`. */
  status: string;
};

/** Session that a login began. */
export type Login = Session & {
  /** The organizations that the user belongs to. */
  organizations: Array<Membership>;
};

/** The credentials of a user. */
export type LoginRequest = {
  /** Code of the authenticator app. A user with a second factor needs it, or `recoveryCode`. */
  code?: string;
  email: string;
  password: string;
  /** Recovery code, in place of `code`. */
  recoveryCode?: string;
};

/** A wallet whose balance fell below the threshold of its organization. */
export type LowWallet = {
  balance: number;
  currency: string;
  /** The setting `lowBalanceThreshold` of the organization. */
  lowBalanceThreshold: number;
  /** The time of the last change. */
  updatedAt: string;
};

/** A member of an organization. */
export type Member = {
  email: string;
  /** True if the user has proved to read the mail of that address. */
  emailVerified: boolean;
  firstName: string;
  joinedAt: Timestamp;
  lastName: string;
  role: Role;
  userId: string;
};

/** An organization that a user belongs to. */
export type Membership = {
  /** Time at which an owner closed it; null if it is open. */
  closedAt: Timestamp | null;
  id: string;
  name: string;
  /** Role of the user in the organization. */
  role: Role;
};

/** Messages of one day or hour with one value. */
export type MessageFigure = {
  /** Beginning of the day or hour. */
  at: Timestamp;
  /** Payments for them, without refunds. */
  cost: number;
  /** Number of these that reached their recipients. */
  delivered: number;
  /** Number of these that failed. */
  failed: number;
  /** True if the row stands for all values without rows of their own. */
  isOther: boolean;
  /** Name of the campaign, event or template; null if it is deleted, and for all other values. */
  name: string | null;
  /** Number of these that did neither yet, or whose outcome was not reported. */
  pending: number;
  /** Number of their segments. */
  segments: number;
  /** Number of messages accepted, whatever their outcome. */
  sent: number;
  /**
   * A name of a channel, provider or error, the identifier of a campaign or template, the slug of
   * an event, or a country code; null for messages that no provider has taken, and with `isOther`.
   */
  value: string | null;
};

/** Sums of all rows. */
export type MessageFigureTotals = {
  cost: number;
  delivered: number;
  failed: number;
  pending: number;
  segments: number;
  sent: number;
};

/** Numbers of messages by day or hour and one property. */
export type MessageFigures = {
  by: FigureDimension;
  /** The currency of all costs. */
  currency: string;
  /** Days or hours and values that have messages, oldest first. */
  figures: Array<MessageFigure>;
  /** Beginning of the first day or hour. */
  from: Timestamp;
  interval: FigureInterval;
  /** End of the last day or hour. */
  to: Timestamp;
  totals: MessageFigureTotals;
};

/** The delivery status of a message changed. */
export type MessageStatusUpdatedEvent = {
  createdAt: string;
  data: DeliveryLog;
  event: 'message.status.updated';
  id: string;
  organizationId: string;
};

/** Payments for the messages of a month. */
export type MonthRevenue = {
  messages: number;
  month: string;
  revenue: number;
};

/** Another time for a scheduled message. */
export type MoveMessageRequest = {
  /** The time at which it is to go, 1 minute to 90 days ahead, in the sandbox at most 6 days after it was accepted. */
  scheduledAt: string;
};

/** Newly created API key. */
export type NewApiKey = ApiKey & {
  /** The key itself. It is shown only once and stored nowhere. */
  key: string;
};

/** Confirmation for people. */
export type Notice = {
  message: string;
};

/** A session of the user that has not ended. */
export type OpenSession = {
  /** Network address from which the user signed in. */
  address: string;
  /** Time at which the user signed in. */
  createdAt: Timestamp;
  id: string;
  /** True if it is the session of this request. */
  isCurrent: boolean;
  /** Time of its last use, to ten minutes. */
  lastUsedAt: Timestamp;
  /** Program with which the user signed in, as it names itself; null if it does not. */
  userAgent: string | null;
};

/** Number and code by which recipients stop the organization's promotion. */
export type OptOut = {
  number: string | null;
  ussd: string | null;
};

/** The number and the code to opt out. Both are optional. */
export type OptOutRequest = {
  /** A phone number in E.164 or as dialled in Ghana, or a short code of 3 to 6 digits. */
  number?: string;
  /** A code to dial, such as `*713*2#`. */
  ussd?: string;
};

/** A recipient who opted out of a channel. */
export type OptedOut = {
  channel: Channel;
  /** The contact with the address, if there is one. */
  contactId: string | null;
  email?: string;
  phone?: string;
  source: SuppressionSource;
};

/** An organization, with its wallet and its members. */
export type Organization = OrganizationProfile & {
  /** Time at which an owner closed it; null if it is open. */
  closedAt: Timestamp | null;
  createdAt: Timestamp;
  id: string;
  /** The members, in the order in which they joined. */
  members: Array<Member>;
  name: string;
  /** Settings of its messages. */
  settings: OrganizationSettings;
  wallet: Balance;
};

/** Limits of an organization, with their usage. */
export type OrganizationLimits = {
  /** Campaigns that have not ended. */
  campaigns: CountUse;
  /** Size of the contacts, in bytes. */
  contactBytes: CountUse;
  /** Imports of contacts that are not done. */
  contactImports: CountUse;
  contacts: CountUse;
  /** Approvals of templates and campaigns that were requested in the last 24 hours. */
  dailyApprovals: CountUse;
  /** Files that were imported in the last 24 hours. */
  dailyImports: CountUse;
  /** Texts that a language model wrote in the last 24 hours. Null: not limited. */
  dailyTexts: CountUse | null;
  events: CountUse;
  /** Invoices that are open. */
  invoices: CountUse;
  /** Live messages; a message counts one for every started 16 kB. Null: not limited. */
  live: RateUse | null;
  /** Approvals of templates and campaigns that are pending. */
  pendingApprovals: CountUse;
  /** Requests that send no message. Null: not limited. */
  requests: RateUse | null;
  /** Messages of the sandbox. Null: not limited. */
  sandbox: RateUse | null;
  segments: CountUse;
  senderNames: CountUse;
  sizes: RequestSizes;
  spending: DailySpending;
  /** Imports of suppression lists that are not done. */
  suppressionImports: CountUse;
  /** Entries of the suppression list. Those that recipients make are never refused. */
  suppressions: CountUse;
  /** Size of the stored versions of all templates, in bytes. */
  templateBytes: CountUse;
  templates: CountUse;
  /**
   * Messages of the categories `OTP` and `ALERT` that are sent before all others. Further ones
   * are not refused. Each instance of the service counts for itself.
   */
  urgent: RateUse;
  /** Limits on messages to similar numbers. Null: not limited. */
  velocity: VelocityLimits | null;
  /** Webhook endpoints that are active. */
  webhookEndpoints: CountUse;
};

/** Profile of an organization. */
export type OrganizationProfile = {
  businessEmail: string | null;
  businessPhone: string | null;
  complianceAcknowledged: boolean;
  defaultLanguage: string | null;
  industry: string | null;
  /** Number of messages a month that it expects to send. */
  monthlyVolume: number | null;
  onboardingComplete: boolean;
  preferredChannels: Array<Channel>;
  timezone: string | null;
  website: string | null;
};

/** Settings of an organization for its messages. */
export type OrganizationSettings = {
  /** True if it writes to premium-rate and shared-cost numbers. */
  allowPremiumNumbers: boolean;
  /** Countries to which it writes; null for all that a provider serves. */
  allowedCountries: Array<string> | null;
  /** Maximum spending in GHS in a day of UTC; null for no limit. */
  dailySpendingLimit: number | null;
  /** Balance in GHS below which owners and administrators are notified; null for none. */
  lowBalanceThreshold: number | null;
  /** Number and code by which recipients stop its promotion; null if there are none. */
  optOut: OptOut | null;
  /** Time zone of the organization, as named in the IANA database. */
  timeZone: string;
  /** Maximum number of messages within an hour to a thousand consecutive numbers; null for 200. */
  velocityLimit: number | null;
};

/** Changes to an organization. Absent fields keep their values; null clears a value. */
export type OrganizationUpdate = {
  businessEmail?: string | null;
  businessPhone?: string | null;
  complianceAcknowledged?: boolean;
  defaultLanguage?: string | null;
  industry?: string | null;
  /** The expected number of messages a month. */
  monthlyVolume?: number | null;
  name?: string;
  onboardingComplete?: boolean;
  preferredChannels?: Array<Channel> | null;
  /** Settings of the organization for its messages. */
  settings?: SettingsUpdate;
  /** A time zone of the IANA database. */
  timezone?: string | null;
  website?: string | null;
};

/** Position of a page in its list, or of a part if the request has `after`. */
export type PageOrPartPagination = {
  /** True if there may be more items than `total`, which no page shows. Absent if `total` is exact. */
  isLowerBound?: boolean;
  /** Maximum number of items in a page or part. */
  limit: number;
  /** Value of `after` for the next part; null at the end. Absent with `page`. */
  nextCursor?: string | null;
  /** Number of the page, from 1. Absent with `after`. */
  page?: number;
  /** Number of items in all; a lower bound, if `isLowerBound`. Absent with `after`. */
  total?: number;
  /** Number of pages. Absent with `after`. */
  totalPages?: number;
};

/** Position of a page in its list. */
export type Pagination = {
  /**
   * True if there are more items than `total`, which no page shows. Absent if `total`
   * is exact.
   */
  isLowerBound?: boolean;
  /** Maximum number of items in a page. */
  limit: number;
  /** Number of the page, from 1. */
  page: number;
  /** Number of items in all; a lower bound, if `isLowerBound`. */
  total: number;
  /** Number of pages. */
  totalPages: number;
};

/** The reason for the pause of a campaign. */
export type PausedReason = 'USER' | 'INSUFFICIENT_BALANCE' | 'SPENDING_LIMIT_REACHED';

/** Payment that succeeded and could not be credited. */
export type PaymentException = {
  /** Paid amount; null if the gateway does not report it. */
  amount: number | null;
  /** Comment on the resolution. */
  comment: string | null;
  /** Currency of the paid amount. */
  currency: string | null;
  /** Amount of the top-up, in GHS; null if there is none. */
  expectedAmount: number | null;
  id: string;
  noticedAt: Timestamp;
  /** Organization of the payment, if known. */
  organizationId: string | null;
  reason: PaymentExceptionReason;
  /** Reference of the payment at the gateway. */
  reference: string;
  resolvedAt: Timestamp | null;
  /** The user who resolved it. */
  resolvedBy: string | null;
};

/** The reason why a payment could not be credited, or is reversed: `DISPUTED` by the payer, or `REFUNDED` at the gateway. A reversed amount stays in the wallet until an administrator decides. */
export type PaymentExceptionReason = 'UNKNOWN_REFERENCE' | 'AMOUNT_TOO_SMALL' | 'OTHER_CURRENCY' | 'OTHER_MODE' | 'DISPUTED' | 'REFUNDED' | 'ORGANIZATION_CLOSED';

/** The resolution of a payment exception. */
export type PaymentExceptionResolution = {
  /** A description of the resolution. */
  comment: string;
};

/** The method of payment. */
export type PaymentMethod = 'mobile_money' | 'card' | 'invoice';

/** Something that a role allows. `READ` is everything but API keys, webhook endpoints, limits and the audit log. `MANAGE_INTEGRATIONS` and `READ_INTEGRATIONS` are about API keys and webhook endpoints. `WRITE_AUDIENCE` is to change contacts, segments, templates and campaigns. */
export type Permission = 'READ' | 'READ_MESSAGES' | 'READ_TEXTS' | 'READ_EVENTS' | 'MANAGE_ORGANIZATION' | 'MANAGE_MEMBERS' | 'READ_AUDIT' | 'READ_LIMITS' | 'TOP_UP' | 'SEND_MESSAGES' | 'TRIGGER_EVENTS' | 'WRITE_AUDIENCE' | 'RUN_CAMPAIGNS' | 'REQUEST_SENDER_NAMES' | 'WRITE_EVENTS' | 'WRITE_SUPPRESSIONS' | 'READ_INTEGRATIONS' | 'MANAGE_INTEGRATIONS';

/** The type of a phone number. `MOBILE` if the numbering plan does not distinguish mobile phones from fixed lines, as in North America. */
export type PhoneType = 'MOBILE' | 'FIXED_LINE' | 'OTHER';

/** A subscription. */
export type Plan = {
  /** The currency of the fee. */
  currency: string;
  /** Further features. */
  features: Array<string>;
  id: string;
  /** Number of messages included in a month. */
  includedMessages: number;
  /** Monthly fee. */
  monthlyFee: number;
  name: string;
};

/** The role of a user on the platform. */
export type PlatformRole = 'PLATFORM_SUPER_ADMIN';

/** A user, as platform administrators see them. */
export type PlatformUser = {
  createdAt: Timestamp;
  email: string;
  /** True if the user has proved to read the mail of that address. */
  emailVerified: boolean;
  firstName: string;
  id: string;
  lastName: string;
  /** Role on the platform itself; null for nearly everybody. */
  platformRole: PlatformRole | null;
  /** True if logins need a second factor. */
  secondFactor: boolean;
};

/** Rules to preview. */
export type PreviewSegmentRequest = {
  rules: SegmentRules;
};

/** A price for one segment of a message. */
export type PricingRule = {
  channel: Channel;
  /** The recipient's country; null for any, `001` for numbers of none. */
  countryCode: string | null;
  /** The currency of the price. */
  currency: string;
  id: string;
  /** The price of one segment. */
  unitPrice: number;
};

/** User, with the organizations that they belong to. */
export type Profile = User & {
  /** The organizations that the user belongs to; for an administrator who impersonates one, that one. */
  organizations: Array<Membership>;
};

/** Provider that carries messages. Credentials are never shown. */
export type Provider = {
  channel: Channel;
  /** Result of the latest check; null if there was none yet. */
  health: ProviderHealth | null;
  id: string;
  /** True if it is configured now. */
  isActive: boolean;
  /** The vendor. */
  kind: string;
  /** The operator's name for it. */
  name: string;
  /** Routes on which it may be used. */
  routes: Array<ProviderRoute>;
  /**
   * `DEGRADED` while it is tried after others because its reports are missing, `DOWN` while it
   * is not used because it failed.
   */
  status: ProviderStatus;
};

/** Provider, with the latest events of its health. */
export type ProviderDetail = Provider & {
  /** Events, newest first, up to 100. */
  healthHistory: Array<ProviderHealthEvent>;
};

/** Result of a check of a provider. */
export type ProviderHealth = {
  checkedAt: Timestamp;
  latencyMs: number | null;
  message: string;
  status: ProviderStatus;
};

/** Event in a provider's health. */
export type ProviderHealthEvent = {
  at: Timestamp;
  event: ProviderHealthEventKind;
  latencyMs: number | null;
  /** Reason for people. */
  message: string;
  /**
   * Resulting state: `UP`, `DEGRADED` or `DOWN`; `OPEN`, `PROBING` or `CLOSED`; or the number of
   * steps that it is demoted.
   */
  status: string;
};

/** The kind of an event in a provider's health. */
export type ProviderHealthEventKind = 'CHECK' | 'BREAKER' | 'DEMOTION';

/** A country that a provider serves. */
export type ProviderRoute = {
  /** The country; `*` for any. */
  countryCode: string;
  /** Rank among providers: the lowest is tried first. */
  priority: number;
};

/** Availability of a provider. */
export type ProviderStatus = 'UP' | 'DEGRADED' | 'DOWN';

/** Messages on their way to providers. */
export type Queue = {
  /** Messages in flight, on all instances. */
  active: number;
  /** Messages that a provider accepted from this instance. */
  completed: number;
  /** Messages that failed for good on this instance. */
  failed: number;
  /**
   * Messages that wait for a worker or for their next try, on all instances; 10 000 at most for
   * each priority.
   */
  waiting: number;
  /** Number of workers of this instance. */
  workers: number;
};

/** Rate limit. */
export type RateLimit = {
  /** Number allowed at once. */
  burst: number;
  /** Number that flows in per second. */
  perSecond: number;
};

/** A rate limit. */
export type RateLimitRequest = {
  /** The number allowed at once. */
  burst: number;
  /** The number that flows in per second. */
  perSecond: number;
};

/** Token bucket: a full one allows `burst` at once, and `perSecond` flow in again. */
export type RateUse = {
  /** Number of tokens available now. */
  available: number;
  /** Number of tokens in a full bucket. */
  burst: number;
  /** True if the limit is the organization's own; else it is that of the installation. */
  isOwn: boolean;
  /** Number of tokens that flow in per second. */
  perSecond: number;
};

/** Readiness of this instance for its main work. */
export type Readiness = {
  status: ReadyStatus;
};

/** Readiness of this instance to accept messages. */
export type ReadyStatus = 'ok' | 'unavailable';

/** Accepted callback. */
export type Received = {
  /** Always true. */
  received: boolean;
};

/** What became of a recipient of a campaign. */
export type RecipientOutcome = 'SENT' | 'SKIPPED' | 'FAILED';

/** The reason why a recipient of a campaign was skipped or not reached: `NO_ADDRESS` (the contact has no address for the channel), or the reason for the failure of the message. */
export type RecipientReason = 'NO_ADDRESS' | 'INVALID_RECIPIENT' | 'RECIPIENT_OPTED_OUT' | 'RECIPIENT_SUPPRESSED' | 'NO_ROUTE' | 'BLOCKED_CONTENT' | 'SENDER_NOT_ALLOWED' | 'DEVICE_UNREGISTERED' | 'SESSION_WINDOW_CLOSED' | 'RECIPIENT_UNREACHABLE' | 'PROVIDER_THROTTLED' | 'PROVIDER_BUSY' | 'PROVIDER_AUTH' | 'PROVIDER_BALANCE' | 'PROVIDER_UNAVAILABLE' | 'PROVIDER_REJECTED' | 'UNKNOWN_OUTCOME' | 'UNDELIVERED' | 'NO_REPORT' | 'EXPIRED' | 'MISSING_VARIABLE' | 'CANCELLED' | 'COUNTRY_NOT_ALLOWED' | 'VELOCITY_LIMIT' | 'TRAFFIC_STOPPED';

/** Suggested improvement. */
export type Recommendation = {
  code: RecommendationCode;
  /** Time of the evaluation. */
  evaluatedAt: Timestamp | null;
  /** Reason and action, for people. */
  message: string;
  /**
   * Approximate number of messages in thirty days that are concerned. It determines
   * the order.
   */
  messagesAtStake: number;
  /** Metric that `value` measures. */
  metric: string;
  title: string;
  /** Figure that led to the recommendation. */
  value: number;
};

/** An improvement that the figures suggest. */
export type RecommendationCode = 'WALLET_RUNS_DRY' | 'WORSE_CHANNEL' | 'EVENT_WITHOUT_FALLBACK' | 'WEBHOOK_FAILS' | 'API_KEY_EXPIRES' | 'UNREACHABLE_RECIPIENTS' | 'COSTLY_CHARACTERS';

/** A selection of deliveries to retry. */
export type RecoverWebhookDeliveriesRequest = {
  /** Deliveries of events since this time, at most 30 days ago. */
  since: string;
};

/** Deliveries that are going to be tried again. */
export type RecoveredWebhookDeliveries = {
  /** True if there are more, which the same request recovers next. */
  hasMore: boolean;
  /** Number of these deliveries. */
  recovered: number;
};

/** Codes for people who lost their authenticator app. */
export type RecoveryCodes = {
  /** Ten codes, each of which works once. */
  recoveryCodes: Array<string>;
};

/** Redis, or its substitute. */
export type RedisHealth = {
  /** Response time, in milliseconds. */
  latencyMs: number;
  /** State or problem, for people. */
  message: string;
  status: DependencyStatus;
};

/** Item of a request with `partial` that is wrong. Nothing was sent for it. */
export type RefusedItem = {
  /** Channel that the item names. */
  channel: Channel | null;
  /** Always 0. */
  cost: number;
  /** Always `VALIDATION_ERROR`. */
  errorCode: string;
  /** Faults by the path of the field in the item. Empty in a replay that finds no fault any more. */
  fieldErrors: {
    [key: string]: unknown;
  };
  /** Always null. */
  id: string | null;
  /** Always null. */
  internalMessageId: string | null;
  /** Recipient as the item has it. */
  recipient: string | null;
  /** Always `FAILED`. */
  status: Status;
};

/** Request that was answered with an error. */
export type RefusedRequest = {
  /** Network address of the client. */
  address: string;
  /** API key with which it was made; null for a session. */
  apiKeyId: string | null;
  /** Time of the answer. */
  at: Timestamp;
  /** Code of the error. */
  code: string;
  /** `X-Request-Id` of the answer. Not unique, if the client sent it more than once. */
  id: string;
  /** Message of the error; its first 255 characters. */
  message: string;
  method: string;
  /** Path without the query; its first 255 characters. */
  path: string;
  /** True if it stands for several requests, which were not kept. */
  sampled: boolean;
  /** Status of the answer. */
  status: number;
  /** User who made it; null for an API key. */
  userId: string | null;
};

/** A new user, optionally with a new organization. */
export type RegisterRequest = {
  /** The address to sign in with. */
  email: string;
  /** Given name. */
  firstName: string;
  /** Family name. */
  lastName: string;
  /** If present, an organization with this name and its wallet are created. */
  organizationName?: string;
  password: string;
};

/** Session that a registration began. */
export type Registration = Session & {
  /** Organization that was created, if one was named. */
  organization: FoundedOrganization | null;
};

/** The password, and a code or a recovery code. */
export type RemoveSecondFactorRequest = {
  /** Code of the app. Required without `recoveryCode`. */
  code?: string;
  password: string;
  /** Recovery code, in place of `code`. */
  recoveryCode?: string;
};

/** Values for the placeholders of a template. */
export type RenderTemplateRequest = {
  /** The channel to show, for a template of `IN_APP`. For any other template it is the channel of the template, or absent. */
  channel?: Channel;
  /** Values for the placeholders, with the rules of messages: at most 10,000 characters each and 100,000 in total. They are escaped in an HTML body. */
  variables?: {
    [key: string]: string;
  };
};

/** Texts of a template with values filled in. */
export type RenderedTemplate = {
  body: string;
  /** Alphabet as a text message, `GSM-7` or `UCS-2`; null on channels other than `SMS`. */
  encoding: string | null;
  /** Placeholders without a value. */
  missing: Array<string>;
  /** Number of parts as a text message; null on channels other than `SMS`. */
  segments: number | null;
  subject: string | null;
};

/** Maximum sizes of requests. */
export type RequestSizes = {
  /** Bytes of a body. */
  bodyBytes: number;
  /** Messages of a bulk request. */
  bulkMessages: number;
  /** Bytes of an imported file. */
  importBytes: number;
  /** Rows of an imported file. */
  importRows: number;
};

/** Approval that the organization requested. */
export type RequestedApproval = {
  /** Comment of the administrator who decided. */
  comment: string | null;
  /** Time of the request. */
  createdAt: Timestamp;
  id: string;
  /** Name of the template, the campaign or the sender name. */
  name: string;
  /** Identifier of the template, the campaign or the sender name. */
  resourceId: string;
  /** Time of the decision; null if there is none. */
  reviewedAt: Timestamp | null;
  /** Risk score, 0 to 100. */
  riskScore: number;
  status: RequestedApprovalStatus;
  type: ApprovalType;
};

/** The state of an approval. `WITHDRAWN`: the content changed or was deleted before a decision. */
export type RequestedApprovalStatus = 'PENDING' | 'APPROVED' | 'REJECTED' | 'WITHDRAWN';

/** Progress of sending failed messages again. */
export type Resend = {
  /** Time of its end. */
  completedAt: Timestamp | null;
  /** Number of failed messages. */
  count: number;
  createdAt: Timestamp;
  /** Reason why it ended early. */
  failure: ResendFailure | null;
  id: string;
  /** True if there may be more. */
  isCapped: boolean;
  /** Number of messages so far that were sent again. */
  resent: number;
  /** Number of messages so far that were not, because they cannot be, or were before. */
  skipped: number;
  /** State of the work. */
  status: ResendStatus;
};

/** Options for sending failed messages of a campaign again. */
export type ResendCampaignRequest = {
  /** True to count the messages and send nothing. */
  dryRun?: boolean;
};

/** Filters for failed messages, all of which must fit. */
export type ResendFailedRequest = {
  /** Only messages of this campaign. */
  campaignId?: string;
  /** Only messages of this channel. */
  channel?: Channel;
  /** True to count the messages and send nothing. */
  dryRun?: boolean;
  /** Only messages that failed for this reason. */
  errorCode?: FailureCode;
  /** Only messages that notify of the event with this slug. */
  event?: string;
  /** Only messages accepted at this time or later. */
  from: string;
  /** True for messages of the sandbox, false for all others; the caller's mode if absent. With an API key it must agree with the mode of the key. */
  isSandbox?: boolean;
  /** Only messages with these pairs among their metadata. */
  metadata?: {
    [key: string]: string;
  };
  /** Only messages that this provider had last. */
  provider?: string;
  /** Only messages to this recipient, as a send would take it. */
  recipient?: string;
  /** Only messages accepted before this time, at most 31 days after `from`; now if absent. */
  to?: string;
};

/** The reason why sending failed messages again ended early. */
export type ResendFailure = 'INSUFFICIENT_BALANCE' | 'SPENDING_LIMIT_REACHED' | 'ORGANIZATION_GONE';

/** Failed messages, and the cost of sending them again. */
export type ResendForecast = {
  /** Messages by the reason for their failure, most messages first. */
  byReason: Array<ResendableCount>;
  /** Cost of those that would be sent again, at the prices of now. */
  cost: number;
  /** Number of failed messages. */
  count: number;
  /** The currency of the cost. */
  currency: string;
  /** True if there may be more, because only the newest 100,000 failures were looked at. */
  isCapped: boolean;
};

/** Options for sending a message again. */
export type ResendMessageRequest = {
  /** True to send it again though it was sent again before. */
  again?: boolean;
  /** Within 24 hours the same request with the same key returns the first new message. */
  idempotencyKey?: string;
};

/** The state of sending failed messages again. */
export type ResendStatus = 'QUEUED' | 'PROCESSING' | 'COMPLETED' | 'FAILED';

/** Messages that failed for one reason. */
export type ResendableCount = {
  /** Number of messages. */
  count: number;
  /** Reason for the failure. */
  errorCode: FailureCode;
  /** Number of those that would be sent again. */
  resendable: number;
};

/** A new password. */
export type ResetPasswordRequest = {
  password: string;
  /** The token that was mailed. */
  token: string;
};

/** Session of an administrator. */
export type RestoredSession = {
  /** Time at which the token expires. */
  expiresAt: Timestamp;
  /** The token for the header `Authorization: Bearer …`. */
  token: string;
};

/** Delivery that is going to be tried once more. */
export type RetriedWebhookDelivery = {
  id: string;
  status: WebhookDeliveryStatus;
};

/** Payments and balances of organizations. */
export type Revenue = {
  /** All channels, of all time. */
  channels: Array<ChannelRevenue>;
  /** The currency of all amounts. */
  currency: string;
  /** Number of live messages accepted, of all time. */
  messageCount: number;
  /** Last twelve months in UTC, the current one first. */
  months: Array<MonthRevenue>;
  /** Payments for messages, of all time, less refunds. */
  totalRevenue: number;
  /** Sum of all wallets. */
  walletBalances: number;
};

/** Revoked API key. */
export type RevokedApiKey = {
  id: string;
  /** Always true. */
  revoked: boolean;
};

/** A text to rewrite. */
export type RewriteContentRequest = {
  /** The category of the text; `TRANSACTIONAL` if absent. */
  category?: Category;
  /** The channel of the text. */
  channel?: Channel;
  /** The maximum number of parts of an SMS. If it nevertheless takes more, `notes` report it. */
  maxSegments?: number;
  /** The text. `{{name}}` is a placeholder for a value. */
  message: string;
  /** The style of the text. */
  style: ContentStyle;
};

/** The role of a member in an organization. */
export type Role = 'TENANT_OWNER' | 'TENANT_ADMIN' | 'CAMPAIGN_MANAGER' | 'COMPLIANCE_REVIEWER' | 'DEVELOPER' | 'VIEWER';

/** A role and what it allows. */
export type RolePermissions = {
  /** Everything that members with the role may do. */
  may: Array<Permission>;
  role: Role;
};

/** The replacement of an API key. */
export type RotateApiKeyRequest = {
  /** The number of hours for which the present key remains valid; 24 if absent. With 0 it stops working at once, on every instance within a second. */
  overlapHours?: number;
};

/** A permission of an API key. `x-atumpan-scope` of an operation names the scope that opens it. */
export type Scope = 'messages:send' | 'messages:read' | 'events:read' | 'events:trigger' | 'contacts:read' | 'contacts:write' | 'segments:read' | 'segments:write' | 'templates:read' | 'templates:write' | 'suppressions:read' | 'suppressions:write' | 'campaigns:read' | 'campaigns:write' | 'events:write' | 'webhooks:read' | 'webhooks:write' | 'analytics:read' | 'billing:read' | 'delivery-logs:read';

/** The password of the user. */
export type SecondFactorRequest = {
  password: string;
};

/** Secret of a second factor. */
export type SecondFactorSecret = {
  /** Secret in base32, for people who type it into an app. */
  secret: string;
  /** Address with the secret, which an app reads as a QR code. */
  uri: string;
};

/** Subset of the contacts. */
export type Segment = {
  /** Number of members. */
  contactCount: number;
  /** Time at which the members were counted. */
  countedAt: Timestamp;
  createdAt: Timestamp;
  description: string | null;
  id: string;
  /**
   * True if contacts join and leave as they fit the rules; if false, the members are those that
   * fitted at its creation.
   */
  isDynamic: boolean;
  name: string;
  /** Rules of membership, as they were written. */
  rules: {
    [key: string]: unknown;
  };
  /**
   * Keys of the rules that are attributes and look like fields; except in lists also
   * attributes that contacts have in another case only; after a creation or change also another
   * segment that has the same name in any case.
   */
  warnings: Array<string>;
};

/** Result of evaluating rules. */
export type SegmentPreview = {
  /** Number of contacts that fit. */
  count: number;
  /** Newest contacts that fit, ten at most. */
  sample: Array<Contact>;
  /**
   * Keys of the rules that are attributes and look like fields, and attributes that
   * contacts have in another case only.
   */
  warnings: Array<string>;
};

/**
 * Each key is a field of a contact with a condition; all conditions must be met. `{}` matches all contacts.
 *
 * **Keys**: `tags`, `countryCode`, `email`, `phone`, `firstName`, `lastName`, `createdAt`, `consent` (with `exists` only), `campaign`; any other is a key of the contact's `attributes`, in the same spelling (`city`). `attributes.x` is the attribute `x`, whatever its name. `all` and `any` take an array of rules, of which all or at least one must match; `not` takes rules that must not match.
 *
 * **Values**: a text, a number or a boolean must equal the field (a number or boolean as JSON writes it: `12`, `true`); for an array, one of its values must; an object has operators, all of which must match:
 * - `contains`, `startsWith`: a part or the beginning of the text: `{"email": {"contains": "@example"}}`
 * - `exists`: true if the contact must have the field, or any tag, false if not: `{"email": {"exists": false}}`
 * - `in`: the same as an array: `{"countryCode": {"in": ["GH", "NG"]}}`
 * - `not`: a value, an array or operators that must not match: `{"tags": {"not": ["vip", "gold"]}}`
 * - `before`, `after`: for `createdAt` and attributes: `{"createdAt": {"after": "2026-01-31"}}`
 *
 * **Campaigns**: `{"campaign": {"id": "…", "outcome": "FAILED"}}` matches by what became of a campaign of the organization. `SENT`: a provider has accepted a message of it to the contact, which did not fail since. `FAILED`: its message failed. `SKIPPED`: it was passed over, is suppressed, or lacks a value that the text needs. An array stands for any of its outcomes.
 *
 * Null, empty arrays, empty objects of operators and empty texts to search for are refused.
 *
 * **Comparison**: texts are compared without letter case, names of attributes with it. `tags` match if one of them does. A missing field matches no condition, and therefore matches `not`. `countryCode` is an ISO 3166-1 code. A `phone` is compared in E.164: `0241234567` is `+233241234567`, and `startsWith` with `024` means `+23324`; `contains` searches for a part of E.164. A date is the whole day in UTC: `after` begins on the next day. A time has an offset (`2026-01-31T09:00:00Z`) and a precision of milliseconds. An attribute is `before` or `after` a date (not a time) if it begins with a date written as `2026-01-31`.
 *
 * At most 100 conditions, 1,000 values of at most 500 characters, 8 levels and 64 KiB.
 */
export type SegmentRules = {
  [key: string]: unknown;
};

/** Contacts that a job would work on. */
export type SelectedContacts = {
  /** Number of contacts. */
  count: number;
  /** Newest of them, five at most. */
  sample: Array<Contact>;
};

/** Messages to send: all or none, unless `partial` is true. */
export type SendBulkRequest = {
  /** True to get the answer before the outcomes; false if absent. */
  async?: boolean;
  /** The country of phone numbers without a calling code, in all messages; `GH` if absent. */
  countryCode?: string;
  /** Within 24 hours the same request with the same key returns the first messages. */
  idempotencyKey?: string;
  /** True to rehearse in the sandbox with a session: nothing reaches a provider, and it costs 0. With an API key it must agree with the mode of the key. */
  isSandbox?: boolean;
  messages: Array<BulkItemRequest>;
  /** True to accept the valid messages if others are not; false if absent. The place of a wrong message in the answer says what is wrong with it. */
  partial?: boolean;
  /** The time at which it is to go, 1 minute to 90 days ahead, in the sandbox at most 6 days; at once if absent. It is paid for now. The suppression list, the approval of the template and sending windows are looked at again when it is due. Not for codes (`OTP`). */
  scheduledAt?: string;
};

/** A message to send. */
export type SendMessageRequest = {
  /** True to get the answer before the outcome; false if absent. */
  async?: boolean;
  /** The text. Required without a template. */
  body?: string;
  /** The category of the message, `TRANSACTIONAL` if absent; a template's own category takes precedence. */
  category?: Category;
  channel: Channel;
  /** The country of phone numbers without a calling code; `GH` if absent. */
  countryCode?: string;
  /** The format of the body; only for the channel `EMAIL`, whose body may be HTML. If absent it is HTML when the body, or else that of the template, begins with `<html` or `<!DOCTYPE html` or has one of the tags `<br>`, `</p>`, `</a>`, `</div>`, `</td>`, `</li>`, `</h1>`, `</strong>`, `</b>` before placeholders are filled. A template's own format takes precedence. In HTML the values of placeholders are escaped. */
  format?: TextFormat;
  /** Within 24 hours the same request with the same key returns the first message. */
  idempotencyKey?: string;
  /** True to rehearse in the sandbox with a session: nothing reaches a provider, and it costs 0. With an API key it must agree with the mode of the key. */
  isSandbox?: boolean;
  /** Up to 20 pairs by which your own systems know the message: keys of at most 40 characters, values of at most 500. They are not sent; the log and webhooks show them. */
  metadata?: {
    [key: string]: string;
  };
  /** The time at which it is to go, 1 minute to 90 days ahead, in the sandbox at most 6 days; at once if absent. It is paid for now. The suppression list, the approval of the template and sending windows are looked at again when it is due. Not for codes (`OTP`). */
  scheduledAt?: string;
  /** The sender to show, if the provider allows it. For an SMS: 1 to 11 letters, digits and spaces, or a number. */
  senderId?: string;
  /** The subject line. On channels without one it is logged and not sent; an EMAIL without one is sent with `(no subject)`. */
  subject?: string;
  /** An approved template of the same channel, which provides the text. */
  templateId?: string;
  /** A phone number, an email address or a device token, depending on the channel. */
  to: string;
  /** The number of seconds for which sending is tried. Default: 600 for `OTP`, 3600 for `ALERT` and 86400 for all others. At most 3600 for `OTP`. */
  validityPeriod?: number;
  /** Values for the placeholders `{{name}}`: at most 10,000 characters each and 100,000 in total. They are escaped in an HTML body. */
  variables?: {
    [key: string]: string;
  };
};

/** A sender name. */
export type SenderName = {
  channel: Channel;
  /** Country of the recipients who see it. */
  countryCode: string;
  createdAt: Timestamp;
  id: string;
  /** Name as recipients see it. */
  name: string;
  status: SenderNameStatus;
};

/** A sender name to request. */
export type SenderNameRequest = {
  /** `SMS`, `WHATSAPP` or `VOICE`. */
  channel: Channel;
  /** The country of the recipients who are to see it; `GH` if absent. */
  countryCode?: string;
  /** For SMS a name of 1 to 11 letters, digits and spaces, or a number; for `WHATSAPP` and `VOICE` a number. A short code has 3 to 6 digits. */
  name: string;
};

/** The state of a sender name. */
export type SenderNameStatus = 'PENDING_APPROVAL' | 'APPROVED' | 'REJECTED';

/** Hours in which messages of a category may go to a country. */
export type SendingWindow = {
  category: Category;
  /** Closing time; on the next day, if it is not after `opens`. */
  closes: string;
  countryCode: string;
  createdAt: Timestamp;
  id: string;
  /** True if it is in force. */
  isActive: boolean;
  opens: string;
  /** The rule that it follows. */
  source: string;
  utcOffset: string;
  /** Days on which it opens. */
  weekdays: Array<Weekday>;
};

/** Campaign that was sent. */
export type SentCampaign = Campaign & {
  /**
   * Number of its contacts without a recorded consent, projected from a part of them if
   * there are more than 2,000; null unless the category is `MARKETING`, and if they could not be
   * counted in time.
   */
  withoutConsent: number | null;
};

/** Health of the service as a whole. */
export type ServiceStatus = 'ok' | 'degraded';

/** A session. */
export type Session = {
  /** Time at which the token expires. */
  expiresAt: Timestamp;
  /** The token for the header `Authorization: Bearer …`. */
  token: string;
  user: User;
};

/** Changes to the settings of an organization. Absent fields keep their values; null clears an amount. */
export type SettingsUpdate = {
  /** True if messages to premium-rate and shared-cost numbers are allowed. */
  allowPremiumNumbers?: boolean;
  /** The codes of the countries to whose numbers the organization writes; `001` for numbers of no country. Messages to others fail with `COUNTRY_NOT_ALLOWED`, at no cost. Null: all that a provider serves. */
  allowedCountries?: Array<string> | null;
  /** The maximum spending on messages in GHS in a day of UTC. Messages beyond it are refused with `SPENDING_LIMIT_REACHED`. Refunds do not raise the remaining amount. Null: no limit. */
  dailySpendingLimit?: number | null;
  /** The balance in GHS below which owners and administrators are notified by email, once each time it is crossed. Null: no notification. */
  lowBalanceThreshold?: number | null;
  /** The number and the code by which recipients stop the organization's promotion. A promotional text that names one of them says how to get no more of it. They replace the existing ones. Null: none. */
  optOut?: OptOutRequest | null;
  /** A time zone of the IANA database, the same as `timezone` of the organization. Null: `Africa/Accra`. */
  timeZone?: string | null;
  /** The maximum number of messages within an hour to a thousand consecutive numbers. Further ones fail with `VELOCITY_LIMIT`, at no cost. Campaigns are not limited. Null: 200. */
  velocityLimit?: number | null;
};

/**
 * Movements of a wallet within a month. `openingBalance`, all credits and `refunds`, less
 * `debits`, are `closingBalance`.
 */
export type Statement = {
  /** All other changes of the balance. */
  adjustments: number;
  /** Balance at the end of the month. */
  closingBalance: number;
  /** Payments for messages. */
  debits: number;
  /** Messages that were accepted. */
  lines: Array<StatementLine>;
  /** Payments that platform administrators recorded. */
  manualCredits: number;
  /** The month, in UTC. */
  month: string;
  /** Balance at the beginning of the month. */
  openingBalance: number;
  /** Refunds of messages that failed. */
  refunds: number;
  /** Payments through the gateway. */
  topUps: number;
  trialCredits: number;
  /**
   * Difference between `debits` and the costs of `lines`: messages that were accepted at
   * midnight of the first or the last day count in one month and may be paid in the other.
   */
  turnOfMonth: number;
};

/** The messages of one channel. */
export type StatementLine = {
  channel: Channel;
  cost: number;
  messages: number;
  segments: number;
};

/** The state of a message. */
export type Status = 'QUEUED' | 'PENDING' | 'SENT' | 'DELIVERED' | 'FAILED';

/** An entry of a suppression list. */
export type Suppression = {
  /** Only category to which it applies; null for all. */
  category: Category | null;
  /** Only channel to which it applies; null for all. */
  channel: Channel | null;
  createdAt: Timestamp;
  email: string | null;
  id: string;
  phone: string | null;
  reason: string | null;
  /** Origin of the entry. */
  source: SuppressionSource;
};

/** The origin of an entry of a suppression list. */
export type SuppressionSource = 'MANUAL' | 'STOP' | 'COMPLAINT' | 'UNSUBSCRIBE' | 'VENDOR';

/** The reason for a suspension. */
export type SuspendRequest = {
  /** The reason, in one line. It is shown to the owners. */
  reason: string;
};

/** Contacts whose tags change. */
export type TagContactsRequest = {
  /** Tags that each of the contacts gets. */
  add?: Array<string>;
  /** True to select all contacts; then the filter must be absent or empty. */
  all?: boolean;
  /** True to count the contacts and change nothing. */
  dryRun?: boolean;
  /** The conditions, all of which must fit. */
  filter?: ContactFilterRequest;
  /** Tags that each of them loses. */
  remove?: Array<string>;
};

/** Prices and plans of an organization. */
export type Tariff = {
  /** Plans on offer. They are only shown and cannot be booked yet. */
  plans: Array<Plan>;
  /** Prices. The most specific one applies. */
  rules: Array<PricingRule>;
};

/** Prepared text with placeholders. */
export type Template = {
  body: string;
  /** True if `body` is cut. Lists show the first 10,000 characters of a text. */
  bodyTruncated: boolean;
  category: Category;
  channel: TemplateChannel;
  /** Comment of the user who decided about it. */
  comment: string | null;
  countryCode: string;
  createdAt: Timestamp;
  /** Format of its text; null if not stated. */
  format: TextFormat | null;
  id: string;
  /** Issues that were found in it. */
  issues: Array<Issue>;
  language: string;
  /** True if values may be long although the category needs approval. */
  longVariables: boolean;
  name: string;
  /** Risk score, 0 to 100. */
  riskScore: number;
  /** Placeholders with short values; null if not stated. */
  shortVariables: Array<string> | null;
  status: TemplateStatus;
  subject: string | null;
  variables: Array<string>;
  /** Template of the vendor for `WHATSAPP`. */
  vendorTemplate: VendorTemplate | null;
  /** Number of its version, from 1. */
  version: number;
};

/** A template was approved. */
export type TemplateApprovedEvent = {
  createdAt: string;
  data: Template;
  event: 'template.approved';
  id: string;
  organizationId: string;
};

/** The channel that a template is written for. `IN_APP` sends nothing; an event with such a template sends its text on the event's channels. */
export type TemplateChannel = 'SMS' | 'WHATSAPP' | 'EMAIL' | 'PUSH' | 'IN_APP' | 'VOICE';

/** A template with its versions. */
export type TemplateDetail = Template & {
  /** Versions, newest first, including the current one. */
  versions: Array<TemplateVersion>;
};

/** A template was rejected. */
export type TemplateRejectedEvent = {
  createdAt: string;
  data: Template;
  event: 'template.rejected';
  id: string;
  organizationId: string;
};

/** The state of a template. Only a version can be `WITHDRAWN`: it was changed before a decision. */
export type TemplateStatus = 'PENDING_APPROVAL' | 'APPROVED' | 'REJECTED' | 'WITHDRAWN';

/** Version of a template. */
export type TemplateVersion = {
  body: string;
  createdAt: Timestamp;
  /** The user who wrote it. */
  createdBy: string | null;
  riskScore: number;
  status: TemplateStatus;
  subject: string | null;
  version: number;
};

/** An organization, as platform administrators see it. */
export type Tenant = {
  /** Time at which an owner closed it; null if it is open. */
  closedAt: Timestamp | null;
  createdAt: Timestamp;
  /** The currency of the wallet. */
  currency: string;
  id: string;
  /** Limits that differ from those of others. */
  limits: TenantLimits;
  /** Number of members. */
  memberCount: number;
  name: string;
  /** True if texts that it sends directly are scored before they are handed to a provider. */
  screening: boolean;
  /** Time at which it was suspended; null if it may send. */
  suspendedAt: Timestamp | null;
  /** Reason for the suspension. */
  suspensionReason: string | null;
  /** Balance of its wallet. */
  walletBalance: number;
};

/** Limits specific to an organization. Null: the limit of all others applies. */
export type TenantLimits = {
  /**
   * Maximum sum in GHS that it may owe for invoices credited on issue. 0: every invoice is
   * credited when it is paid. Without effect unless the installation credits invoices on issue.
   */
  invoiceCredit: number | null;
  /** Limit on live messages. */
  live: RateLimit | null;
  /** Limit on requests that send no message. */
  requests: RateLimit | null;
  /** Limit on messages of the sandbox. */
  sandbox: RateLimit | null;
};

/** Limits specific to an organization. Absent fields keep their values; null restores the general limit. */
export type TenantLimitsUpdate = {
  /** The maximum sum in GHS, with at most two decimals, that the organization may owe for invoices credited on issue. 0: every invoice is credited when it is paid. Without effect unless the installation credits invoices on issue. */
  invoiceCredit?: number | null;
  /** The limit on live messages. */
  live?: RateLimitRequest | null;
  /** The limit on requests that send no message. */
  requests?: RateLimitRequest | null;
  /** The limit on messages of the sandbox. */
  sandbox?: RateLimitRequest | null;
};

/** Changes to the platform's settings of an organization. Absent fields keep their values. */
export type TenantUpdate = {
  /** Limits of the organization. */
  limits?: TenantLimitsUpdate;
  /** True if texts that the organization sends directly are scored before they are handed to a provider. A text that scores 60 or more fails with `BLOCKED_CONTENT`. Texts of templates are not scored. */
  screening?: boolean;
};

/** The event to send as a test. */
export type TestWebhookEndpointRequest = {
  /** `message.status.updated` if absent. */
  event?: WebhookEvent;
};

/** The format of a text. */
export type TextFormat = 'TEXT' | 'HTML';

/** Entry of a timeline. */
export type TimelineEntry = {
  /** Amount paid or paid back, in GHS. */
  amount: number | null;
  at: Timestamp;
  /**
   * Reason for programs: the `FailureCode`; the other channel of a `FALLBACK`; the HTTP status of
   * a `WEBHOOK`, or the reason for which it did not answer.
   */
  code: string | null;
  kind: TimelineEntryKind;
  /** Provider that it is about. */
  provider: string | null;
  /** Sentence for people, which may change. */
  text: string;
};

/**
 * The kind of an entry in the timeline of a message.
 * - `ACCEPTED`: the message was accepted and paid for.
 * - `SCHEDULED`: it was to wait for a time.
 * - `ATTEMPT`: a provider was called.
 * - `HANDED_OVER`: a provider took it.
 * - `REPORT`: its outcome became known, or is no longer waited for.
 * - `FALLBACK`: another channel of its event is tried after it, or was tried before.
 * - `REFUNDED`: its cost was paid back.
 * - `CANCELLED`: it was cancelled.
 * - `WEBHOOK`: a webhook was called for it.
 */
export type TimelineEntryKind = 'ACCEPTED' | 'SCHEDULED' | 'ATTEMPT' | 'HANDED_OVER' | 'REPORT' | 'FALLBACK' | 'REFUNDED' | 'CANCELLED' | 'WEBHOOK';

/** A point in time: RFC 3339 in UTC, to the millisecond. */
export type Timestamp = string;

/** A top-up. */
export type TopUp = {
  amount: number;
  /** Page on which it is paid; null if it is not paid there. */
  checkoutUrl: string | null;
  currency: string;
  /** Reference of the payment or the invoice, or the one that an administrator gave. */
  reference: string;
  /** `CREDITED` if the money is in the wallet, else `PENDING`. */
  status: string;
};

/** A top-up was credited. */
export type TopUpCompletedEvent = {
  createdAt: string;
  data: ListedTopUp;
  event: 'top_up.completed';
  id: string;
  organizationId: string;
};

/** A top-up to request. */
export type TopUpRequest = {
  /** The amount in GHS, with at most two decimals. */
  amount: number;
  /** `mobile_money` if absent. */
  paymentMethod?: PaymentMethod;
  /** The reference of a payment outside the gateway. For platform administrators only; the number of an open invoice pays that invoice. */
  reference?: string;
};

/** The state of a top-up. `ABANDONED` was not paid within three days; a later payment is still credited. */
export type TopUpStatus = 'PENDING' | 'CREDITED' | 'FAILED' | 'ABANDONED';

/** Alert that far fewer codes than usual arrived in a range of numbers. */
export type TrafficAlert = {
  /** Number of codes to the range that were delivered or failed in the last one to two hours. */
  codes: number;
  /** Number of these that were delivered. */
  delivered: number;
  /** Time at which it was found. */
  foundAt: Timestamp;
  id: string;
  /** Time at which the stop was lifted. */
  liftedAt: Timestamp | null;
  /** User who lifted the stop. */
  liftedBy: string | null;
  /**
   * Share of the last codes of all other organizations that was delivered, 0–1; null if these
   * are fewer than three.
   */
  othersShare: number | null;
  /** Digits that the numbers of the range begin with. */
  range: string;
  /** Time until which codes to the range are or were stopped; null if they never were. */
  stoppedUntil: Timestamp | null;
  /**
   * Share of the organization's codes that was delivered in the seven days before, 0–1; if it
   * had sent too few, that of other organizations, if these are three or more.
   */
  usualShare: number | null;
};

/** A text to translate. */
export type TranslateContentRequest = {
  /** The category of the text; `TRANSACTIONAL` if absent. */
  category?: Category;
  /** The channel of the text. */
  channel?: Channel;
  /** The text. `{{name}}` is a placeholder for a value. */
  message: string;
  /** The language of the text, as a code or by name. */
  sourceLanguage?: string;
  /** The target language, as a code or by name. */
  targetLanguage: string;
};

/** An event to trigger. Either `to` or `contactId` is required. */
export type TriggerEventRequest = {
  /** True to get the answer before the outcome; false if absent. */
  async?: boolean;
  /** The contact to notify. Beside `to`, only its fields and attributes are used. */
  contactId?: string;
  /** The country of a phone number without a calling code; that of the event if absent. */
  countryCode?: string;
  /** The slug of the event. */
  event: string;
  /** Within 24 hours the same request with the same key returns the first message. */
  idempotencyKey?: string;
  /** True to rehearse in the sandbox with a session: nothing reaches a provider, and it costs 0. With an API key it must agree with the mode of the key. */
  isSandbox?: boolean;
  /** Up to 20 pairs by which your own systems know the message: keys of at most 40 characters, values of at most 500. They are not sent; the log and webhooks show them. */
  metadata?: {
    [key: string]: string;
  };
  /** The time at which it is to go, 1 minute to 90 days ahead, in the sandbox at most 6 days; at once if absent. It is paid for now. The suppression list, the approval of the template and sending windows are looked at again when it is due. Not for codes (`OTP`). */
  scheduledAt?: string;
  /** The sender on the channels that can have it (`SMS`, `WHATSAPP`, `VOICE`), if it is approved for one of them; that of the event if absent. */
  senderId?: string;
  /** A phone number, an email address or a device token. */
  to?: string;
  /** Values for the placeholders `{{name}}`. */
  variables?: {
    [key: string]: string;
  };
};

/** State of one channel of a triggered event. */
export type TriggeredChannel = {
  channel: Channel;
  /**
   * Reason for which its message failed or is delayed; without a message, the reason for which
   * the channel is skipped.
   */
  errorCode: FailureCode | null;
  /** Identifier of its message; null until the channel is tried. */
  messageId: string | null;
  /** The status of its message. */
  status: Status | null;
};

/** Result of a triggered event: the delivery log of the message that is current. */
export type TriggeredEvent = DeliveryLog & {
  /** Channels of the event, in their order. */
  channels: Array<TriggeredChannel>;
  /** The slug of the event. */
  event: string;
};

/** Unsubscription of a recipient from advertising. */
export type Unsubscribed = {
  /** Always `MARKETING`. */
  category: string;
  /** Channel on which advertising stops. */
  channel: string;
  /** Always true. */
  unsubscribed: boolean;
};

/** Changes to a draft. Absent fields keep their values; null clears a value. */
export type UpdateCampaignRequest = {
  /** A text of its own, without a template. Its category is `MARKETING`. The text before filling may be as long as the channel allows. */
  body?: string | null;
  /** The format of its own text, only for `EMAIL`; detected if absent (see `sendMessage`). */
  format?: TextFormat | null;
  /** The metadata of all its messages, as for a message. */
  metadata?: {
    [key: string]: string;
  } | null;
  /** A name for people. */
  name?: string;
  /** The time of its start. A time that has passed when it is sent means now. */
  scheduledAt?: string | null;
  /** The segment of its recipients; all contacts if absent. */
  segmentId?: string | null;
  /** The sender of its messages, as for a message. */
  senderId?: string | null;
  /** A subject line of its own, without a template. */
  subject?: string | null;
  /** The template of its text. It must have the same channel. */
  templateId?: string | null;
};

/** Changes to a contact. Absent fields keep their values; null clears a value. */
export type UpdateContactRequest = {
  /** Further attributes: texts of at most 500 characters, by names of at most 64. */
  attributes?: {
    [key: string]: string;
  } | null;
  /** The person's consent to get messages: its time and its source. It replaces the existing one as a whole. */
  consent?: ConsentRequest | null;
  /** The country in which `phone` is dialled, if it has no calling code; `GH` if absent. */
  countryCode?: string | null;
  /** An email address. Unique in the organization. */
  email?: string | null;
  /** The push token of the device. */
  fcmToken?: string | null;
  firstName?: string | null;
  lastName?: string | null;
  /** A number in E.164, or as dialled in the country. Unique in the organization. */
  phone?: string | null;
  /** At most 50 characters each. Of tags that differ in letter case only, the first is kept. */
  tags?: Array<string> | null;
};

/** Changes to an event. */
export type UpdateEventRequest = {
  /** The channels in the order in which they are tried; `SMS` if absent. */
  channelPriority?: Array<Channel>;
  /** The country of phone numbers without a calling code; `GH` if absent. */
  countryCode?: string | null;
  /** The purpose of the event. */
  description?: string | null;
  fallbackRules?: EventFallbackRules | null;
  /** True if it may be triggered. */
  isActive?: boolean;
  name?: string;
  retryRules?: EventRetryRules | null;
  /** The sender of messages on the channels that can have it (`SMS`, `WHATSAPP`, `VOICE`), if it is approved for one of them. Other channels are used without. */
  senderId?: string | null;
  /** The template of all channels that have none in `templates`. On a channel that it is not written for, its text is sent, and for `EMAIL` its subject. */
  templateId?: string | null;
  /** Templates of single channels: names of channels, and identifiers. */
  templates?: {
    [key: string]: string;
  } | null;
};

/** A change of a member. */
export type UpdateMemberRequest = {
  /** The new role of the member. */
  role: Role;
};

/** Changes to a plan. Absent fields keep their values. */
export type UpdatePlanRequest = {
  /** Further features, in words. */
  features?: Array<string>;
  /** The number of messages included in a month. */
  includedMessages?: number;
  /** True if it can be booked. */
  isActive?: boolean;
  /** The monthly fee in GHS. */
  monthlyFee?: number;
  name?: string;
};

/** Changes to a price. Absent fields keep their values. */
export type UpdatePricingRuleRequest = {
  /** True if it is in force. */
  isActive?: boolean;
  /** The price of one segment in GHS, with at most six decimals. */
  unitPrice?: number;
};

/** Changes to the signed-in user. */
export type UpdateProfileRequest = {
  /** Given name. */
  firstName?: string;
  /** Family name. */
  lastName?: string;
};

/** Changes to a segment. */
export type UpdateSegmentRequest = {
  /** The purpose of the segment. */
  description?: string | null;
  name?: string;
  rules?: SegmentRules;
};

/** Changes to a sending window. Absent fields keep their values. */
export type UpdateSendingWindowRequest = {
  /** The category of the messages; not `OTP` or `ALERT`. */
  category?: Category;
  /** The closing time, such as `19:00`: on the next day, if it is not after `opens`. */
  closes?: string;
  /** The recipients' country. */
  countryCode?: string;
  /** True if it is in force. */
  isActive?: boolean;
  /** The opening time, such as `08:00`. */
  opens?: string;
  /** The regulation on which it is based. */
  source?: string;
  /** The country's offset from UTC, such as `+01:00`. For countries with daylight saving time or several time zones, choose hours that suit all of them. */
  utcOffset?: string;
  /** The days on which it opens. It is closed on all others. */
  weekdays?: Array<Weekday>;
};

/** Changes to a template. Absent fields keep their values; null clears a value. */
export type UpdateTemplateRequest = {
  /** The text. `{{name}}` is a placeholder for a value. The text before filling may be as long as the channel allows. */
  body?: string;
  /** The category of the content. */
  category?: Category;
  /** The country of the recipients. */
  countryCode?: string;
  /** The format of the text, only for `EMAIL`; detected if absent (see `sendMessage`). */
  format?: TextFormat | null;
  /** The code of the language. */
  language?: string;
  /** True if values may have more than 160 characters although the category is `HEALTHCARE`, `INSURANCE` or `FINTECH`. Shown to the administrator who approves the template. */
  longVariables?: boolean;
  /** A name for people. */
  name?: string;
  /** The placeholders whose values are one line of at most 40 characters without a link. If absent, all placeholders of a template of the category `OTP`, and none of others. A text with fewer than 20 characters of its own and a placeholder that is not short is scored at each send, with its values. */
  shortVariables?: Array<string> | null;
  /** The subject line. */
  subject?: string | null;
  /** The names of the placeholders: all that the texts use, and others for later use. Taken from the texts if absent. */
  variables?: Array<string> | null;
  /** Only for `WHATSAPP`: the template that the vendor has approved. It requires approval by the platform. */
  vendorTemplate?: VendorTemplateRequest | null;
};

/** Changes to a webhook endpoint. Absent fields keep their values. */
export type UpdateWebhookEndpointRequest = {
  /** The events that it is subscribed to; all, including future ones, if absent, null or empty. */
  events?: Array<WebhookEvent> | null;
  /** True if it receives events. */
  isActive?: boolean;
  /** The URL of the receiver: https, in development also http. It must lead to a public address. */
  url?: string;
};

/** Usage of one channel in one month. */
export type Usage = {
  channel: Channel;
  /** Payments for them, without refunds. */
  cost: number;
  /** The currency of the cost. */
  currency: string;
  /** Number of messages accepted, whatever their outcome. */
  messages: number;
  /** The calendar month (UTC). */
  month: string;
  /** Number of segments that were charged. */
  segments: number;
};

/** A user. */
export type User = {
  email: string;
  /** True if the user has proved to read the mail of that address. */
  emailVerified: boolean;
  firstName: string;
  id: string;
  lastName: string;
  /** Role on the platform itself; null for nearly everybody, and while impersonating. */
  platformRole: PlatformRole | null;
  /** True if logins need a code beside the password. */
  secondFactor: boolean;
};

/** Changes to a user by the platform. Absent fields keep their values. */
export type UserUpdate = {
  /** True if the user is known to read the mail of the address. */
  emailVerified?: boolean;
  /** The role on the platform; null for an ordinary user. */
  platformRole?: PlatformRole | null;
};

/**
 * Maximum number of messages to some numbers within an hour, campaigns aside. Further ones are
 * accepted, and fail at no cost.
 */
export type VelocityLimits = {
  /** True if `perNumberBlock` is the organization's own; else it is that of the installation. */
  isOwn: boolean;
  /** To a block of a thousand consecutive numbers. */
  perNumberBlock: number;
  /** To a country that the organization has not named and does not usually send to. */
  perUnusualCountry: number;
  /** To all such countries together. */
  toUnusualCountries: number;
};

/** Template that the vendor has approved and stores. */
export type VendorTemplate = {
  /** The placeholder that fills its button. */
  button: string | null;
  language: string;
  name: string;
  /** The placeholders that fill `{{1}}`, `{{2}}`, … of its text. */
  parameters: Array<string>;
};

/** A template that the vendor has approved and stores. */
export type VendorTemplateRequest = {
  /** The placeholder that fills its button. */
  button?: string;
  /** The vendor's code for its language; `language` if absent. */
  language?: string;
  /** The vendor's name for it; at Twilio the `ContentSid`. */
  name: string;
  /** The placeholders that fill `{{1}}`, `{{2}}`, … in its text. */
  parameters?: Array<string>;
};

/** Payment that is credited to the wallet. */
export type VerifiedPayment = {
  amount: number;
  /** Balance of the wallet. */
  balance: number;
  reference: string;
  /** `CREDITED` if the money was credited now, `ALREADY_PROCESSED` if before. */
  status: string;
};

/** A mailed token. */
export type VerifyEmailRequest = {
  /** The token that was mailed. It may also be in the query of the address. */
  token: string;
};

/** The payment to verify. */
export type VerifyPaymentRequest = {
  /** The reference in the answer of `POST /billing/top-up`. */
  reference: string;
};

/** Wallet of an organization. */
export type Wallet = {
  /** Current balance. */
  balance: number;
  /** The currency of the balance. */
  currency: string;
  /** Time at which it last changed. */
  updatedAt: Timestamp;
};

/** Correction of a wallet. */
export type WalletCorrection = {
  /** Change of the balance: below zero for a debit. */
  amount: number;
  /** Balance of the wallet. */
  balance: number;
  createdAt: Timestamp;
  currency: string;
  /** Identifier of the correction, and of the movement in the ledger. */
  id: string;
  reason: string;
};

/** Money to put into a wallet or to take out of it. */
export type WalletCorrectionRequest = {
  /** The amount in GHS, above 0, with at most six decimals. */
  amount: number;
  /** The reason, in one line. The organization sees it in its ledger. */
  reason: string;
};

/** The balance of the wallet is low. */
export type WalletLowEvent = {
  createdAt: string;
  data: LowWallet;
  event: 'wallet.low';
  id: string;
  organizationId: string;
};

/** The reason for which the service deactivated a webhook endpoint. */
export type WebhookDeactivation = 'GONE' | 'FAILING';

/** Delivery of an event to a webhook endpoint. */
export type WebhookDelivery = {
  /** Time of the last attempt. */
  attemptedAt: Timestamp | null;
  /** Number of attempts, since its recovery if it was recovered. */
  attempts: number;
  /**
   * Body of the request. The request has all of a text in `data.body`; here are its first 10,000
   * characters, and `data.bodyTruncated` is true if there are more.
   */
  body: {
    [key: string]: unknown;
  };
  createdAt: Timestamp;
  /** Duration of the last call, in milliseconds. */
  durationMs: number | null;
  /** Reason for which it did not succeed. */
  error: WebhookDeliveryError | null;
  event: WebhookEvent;
  /** Identifier of the event, which receivers see as `webhook-id`. */
  id: string;
  /** Time of the next attempt; null if there is none. */
  nextAttemptAt: Timestamp | null;
  status: WebhookDeliveryStatus;
  /** Status of the receiver's last answer. */
  statusCode: number | null;
};

/** The reason for which a delivery to a webhook endpoint did not succeed. `STATUS_NOT_SUCCESSFUL`: the answer was not 2xx. `DEACTIVATED`: the endpoint was deactivated before the delivery. */
export type WebhookDeliveryError = 'STATUS_NOT_SUCCESSFUL' | 'DEACTIVATED' | 'URL_REFUSED' | 'NOT_RESOLVED' | 'ADDRESS_REFUSED' | 'NOT_CONNECTED' | 'TLS_FAILED' | 'TIMED_OUT' | 'BROKEN';

/** The state of a delivery to a webhook endpoint. */
export type WebhookDeliveryStatus = 'PENDING' | 'DELIVERED' | 'FAILED';

/** Address at which an organization receives events. */
export type WebhookEndpoint = {
  /** True if these are all events, including future ones. */
  allEvents: boolean;
  createdAt: Timestamp;
  /** Reason for which the service deactivated it, if it did. */
  deactivation: WebhookDeactivation | null;
  /** Events that it is subscribed to. */
  events: Array<WebhookEvent>;
  /** Time since which every call has failed, if the last one did. */
  failingSince: Timestamp | null;
  id: string;
  /** True if it receives events. */
  isActive: boolean;
  /** Time until which the previous secret also signs, or did. */
  previousSecretUntil: Timestamp | null;
  url: string;
};

/** Webhook endpoint with a new secret. */
export type WebhookEndpointWithSecret = WebhookEndpoint & {
  /** Signing secret of the endpoint. It is shown only once. */
  secret: string;
};

/** An event that webhooks report. */
export type WebhookEvent = 'message.status.updated' | 'contact.opted_out' | 'campaign.completed' | 'campaign.started' | 'import.completed' | 'template.approved' | 'template.rejected' | 'wallet.low' | 'top_up.completed';

/** Result of a test of a webhook endpoint. */
export type WebhookTest = {
  /** True if the receiver answered 2xx in time. */
  delivered: boolean;
  durationMs: number;
  /** Reason for which it was not delivered. */
  error: WebhookDeliveryError | null;
  /** Status of the receiver's answer; null without one. */
  statusCode: number | null;
};

/** A day of the week. */
export type Weekday = 'MONDAY' | 'TUESDAY' | 'WEDNESDAY' | 'THURSDAY' | 'FRIDAY' | 'SATURDAY' | 'SUNDAY';

/** The workers. */
export type WorkersHealth = {
  /** State or problem, for people. */
  message: string;
  notificationSend: Queue;
  status: DependencyStatus;
};
