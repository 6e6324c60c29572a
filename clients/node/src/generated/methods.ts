// Written by scripts/generate.mjs from docs/openapi.json.

import type { List, RequestOptions } from "../interface.js";
import type {
  AcceptInvitationRequest,
  Acceptance,
  AdminPlan,
  AdminPricingRule,
  AnalyticsOverview,
  ApiKey,
  ApiKeyDay,
  Approval,
  AuditLine,
  BackgroundTask,
  BulkResult,
  Campaign,
  CampaignPreview,
  CampaignRecipient,
  Category,
  ChangePasswordRequest,
  Channel,
  CheckMessageRequest,
  CheckedMessage,
  CloseOrganizationRequest,
  ComplianceSummary,
  ConfirmSecondFactorRequest,
  Contact,
  ContactJob,
  Content,
  CreateApiKeyRequest,
  CreateCampaignRequest,
  CreateContactRequest,
  CreateEventRequest,
  CreateInvitationRequest,
  CreateOrganizationRequest,
  CreatePlanRequest,
  CreatePricingRuleRequest,
  CreateSegmentRequest,
  CreateSendingWindowRequest,
  CreateSuppressionRequest,
  CreateTemplateRequest,
  CreateWebhookEndpointRequest,
  CurrentApiKey,
  CursorPagination,
  DecisionRequest,
  DeleteContactsRequest,
  DeletedContact,
  DeletedEvent,
  DeletedSegment,
  DeletedSenderName,
  DeletedSendingWindow,
  DeletedSuppression,
  DeliveryLog,
  DeliveryLogDetail,
  Event,
  FailureCode,
  FigureDimension,
  FigureInterval,
  ForgotPasswordRequest,
  GenerateContentRequest,
  Health,
  Impersonation,
  Import,
  ImportPreview,
  ImportWithErrors,
  Invitation,
  InviteRequest,
  Invoice,
  InvoiceDetails,
  LedgerMovement,
  ListedTopUp,
  Liveness,
  Login,
  LoginRequest,
  Member,
  MessageFigures,
  MoveMessageRequest,
  NewApiKey,
  Notice,
  OpenSession,
  Organization,
  OrganizationLimits,
  OrganizationUpdate,
  PageOrPartPagination,
  Pagination,
  PaymentException,
  PaymentExceptionResolution,
  PlatformUser,
  PreviewSegmentRequest,
  Profile,
  Provider,
  ProviderDetail,
  ProviderHealth,
  Readiness,
  Received,
  RecipientOutcome,
  RecipientReason,
  Recommendation,
  RecoverWebhookDeliveriesRequest,
  RecoveredWebhookDeliveries,
  RecoveryCodes,
  RefusedRequest,
  RegisterRequest,
  Registration,
  RemoveSecondFactorRequest,
  RenderTemplateRequest,
  RenderedTemplate,
  RequestedApproval,
  RequestedApprovalStatus,
  Resend,
  ResendCampaignRequest,
  ResendFailedRequest,
  ResendForecast,
  ResendMessageRequest,
  ResetPasswordRequest,
  RestoredSession,
  RetriedWebhookDelivery,
  Revenue,
  RevokedApiKey,
  RewriteContentRequest,
  RotateApiKeyRequest,
  SecondFactorRequest,
  SecondFactorSecret,
  Segment,
  SegmentPreview,
  SelectedContacts,
  SendMessageRequest,
  SenderName,
  SenderNameRequest,
  SenderNameStatus,
  SendingWindow,
  SentCampaign,
  Status,
  Suppression,
  SuspendRequest,
  TagContactsRequest,
  Tariff,
  Template,
  TemplateChannel,
  TemplateDetail,
  TemplateStatus,
  Tenant,
  TenantUpdate,
  TestWebhookEndpointRequest,
  TopUp,
  TopUpRequest,
  TopUpStatus,
  TrafficAlert,
  TranslateContentRequest,
  TriggerEventRequest,
  TriggeredEvent,
  Unsubscribed,
  UpdateCampaignRequest,
  UpdateContactRequest,
  UpdateEventRequest,
  UpdateMemberRequest,
  UpdatePlanRequest,
  UpdatePricingRuleRequest,
  UpdateProfileRequest,
  UpdateSegmentRequest,
  UpdateSendingWindowRequest,
  UpdateTemplateRequest,
  UpdateWebhookEndpointRequest,
  Usage,
  UserUpdate,
  VerifiedPayment,
  VerifyEmailRequest,
  VerifyPaymentRequest,
  Wallet,
  WalletCorrection,
  WalletCorrectionRequest,
  WebhookDelivery,
  WebhookDeliveryStatus,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
  WebhookEvent,
  WebhookTest,
} from "./types.js";

export interface ApprovalsMethods {
  /** List pending approvals.
   *
   * Those of all organizations, newest first. Only the first 10,000 characters of a text are shown: get the approval to read the rest before a decision. */
  list(query?: {
    /** The number of the page, from 1; 1 if absent. */
    page?: number;
    /** The number of items in a page, 1 to 100; 100 if absent. */
    limit?: number;
  }, options?: RequestOptions): List<Approval, Pagination>;

  /** Get an approval, pending or decided.
   *
   * The text is shown in full. */
  get(id: string, options?: RequestOptions): Promise<Approval>;

  /** Approve content.
   *
   * The content can be used from now on. Authors cannot approve their own content. The user who requested the approval is notified by email. */
  approve(id: string, body?: DecisionRequest, options?: RequestOptions): Promise<Approval>;

  /** Reject content.
   *
   * The user who requested the approval is notified by email, with the comment. */
  reject(id: string, body?: DecisionRequest, options?: RequestOptions): Promise<Approval>;

  /** List the approvals that the organization requested.
   *
   * Those of its templates, campaigns and sender names, newest first. An approval is kept for 25 months after it was decided or withdrawn. */
  listOwnApprovals(query?: {
    /** Only approvals in this state. */
    status?: RequestedApprovalStatus;
    /** Only approvals of this template. */
    templateId?: string;
    /** Only approvals of this campaign. */
    campaignId?: string;
    /** The `pagination.nextCursor` of the part before; the beginning of the list if absent or empty. */
    after?: string;
    /** The number of items in a part, 1 to 100; 20 if absent. */
    limit?: number;
  }, options?: RequestOptions): List<RequestedApproval, CursorPagination>;
}

export interface AuditLogMethods {
  /** List the actions of administrators.
   *
   * Lines of all organizations, newest first. They are kept for 25 months and never change: the hash of each includes the hash of the previous line of its organization. */
  list(query?: {
    /** Only actions on this organization. */
    organization?: string;
    /** Only actions of this user. */
    actor?: string;
    /** Only this action, such as `impersonation.began`. */
    action?: string;
    /** Only actions at this time or later. */
    from?: string;
    /** Only actions before this time. */
    to?: string;
    /** The number of the page, from 1; 1 if absent. */
    page?: number;
    /** The number of items in a page, 1 to 100; 100 if absent. */
    limit?: number;
  }, options?: RequestOptions): List<AuditLine, Pagination>;

  /** List the actions of platform administrators on the organization.
   *
   * Newest first, with changes of members. For owners and administrators of the organization. */
  listOwnAuditLog(query?: {
    /** The number of the page, from 1; 1 if absent. */
    page?: number;
    /** The number of items in a page, 1 to 100; 100 if absent. */
    limit?: number;
  }, options?: RequestOptions): List<AuditLine, Pagination>;
}

export interface BackgroundTasksMethods {
  /** List the background tasks of this instance.
   *
   * For platform administrators. Each instance runs all tasks and reports its own, since it started, ordered by their names. A task that fails is tried again. */
  list(options?: RequestOptions): Promise<BackgroundTask[]>;
}

export interface ImpersonationMethods {
  /** End the impersonation.
   *
   * The token of the call becomes invalid. The new token expires with the session in which the impersonation began. The holder of an impersonation token can thus act as the administrator: protect it like an administrator's token. */
  exit(options?: RequestOptions): Promise<RestoredSession>;

  /** Act as an organization.
   *
   * The token is valid for 15 minutes, for this organization, with the permissions of an owner, except that it cannot send messages, start, resume or cancel campaigns, move money, create or revoke API keys, or invite members. It does not give access to the endpoints of administrators. `X-Organization-Id` may be omitted. The owners are notified by email, and the audit log records every request that is made with it. */
  impersonate(id: string, options?: RequestOptions): Promise<Impersonation>;
}

export interface PaymentExceptionsMethods {
  /** List payments that could not be credited.
   *
   * For platform administrators. Newest first. */
  list(query?: {
    /** Only resolved exceptions, or only open ones. */
    resolved?: boolean;
    /** The number of the page, from 1; 1 if absent. */
    page?: number;
    /** The number of items in a page, 1 to 100; 100 if absent. */
    limit?: number;
  }, options?: RequestOptions): List<PaymentException, Pagination>;

  /** Resolve a payment exception.
   *
   * For platform administrators. Records the resolution and moves no money: credit the payment with `POST /billing/top-up` and a `reference`, or refund it at the gateway. The comment is recorded in the audit log. */
  resolve(id: string, body: PaymentExceptionResolution, options?: RequestOptions): Promise<PaymentException>;
}

export interface PricingMethods {
  /** List prices.
   *
   * For platform administrators. Newest first, including those that ended. */
  listRules(query?: {
    /** Only prices agreed with this organization. */
    organizationId?: string;
    /** Only prices of this channel. */
    channel?: Channel;
    /** Only prices in force, or only prices that ended. */
    isActive?: boolean;
    /** The number of the page, from 1; 1 if absent. */
    page?: number;
    /** The number of items in a page, 1 to 100; 100 if absent. */
    limit?: number;
  }, options?: RequestOptions): List<AdminPricingRule, Pagination>;

  /** Create a price.
   *
   * For platform administrators. The price applies to messages accepted from then on, on every instance within a second. A price of an organization's own takes precedence over one for all, then one that names the country. The change is recorded in the audit log. */
  createRule(body: CreatePricingRuleRequest, options?: RequestOptions): Promise<AdminPricingRule>;

  /** List plans.
   *
   * For platform administrators. Newest first, including those that ended. */
  listPlans(query?: {
    /** Only prices in force, or only prices that ended. */
    isActive?: boolean;
    /** The number of the page, from 1; 1 if absent. */
    page?: number;
    /** The number of items in a page, 1 to 100; 100 if absent. */
    limit?: number;
  }, options?: RequestOptions): List<AdminPlan, Pagination>;

  /** Create a plan.
   *
   * For platform administrators. The change is recorded in the audit log. */
  createPlan(body: CreatePlanRequest, options?: RequestOptions): Promise<AdminPlan>;

  /** Change a plan, or end it.
   *
   * The changed one ends and stays in the list; a new one with its own `id` replaces it. The change is recorded in the audit log. */
  updatePlan(id: string, body: UpdatePlanRequest, options?: RequestOptions): Promise<AdminPlan>;

  /** Change a price, or end it.
   *
   * The changed one ends and stays in the list; a new one with its own `id` replaces it. The change is recorded in the audit log. */
  updateRule(id: string, body: UpdatePricingRuleRequest, options?: RequestOptions): Promise<AdminPricingRule>;
}

export interface RevenueMethods {
  /** Get the revenue, and the balances of organizations.
   *
   * For platform administrators. Live messages count in the month in which they were accepted, with their costs. A failed message is refunded, and its cost is subtracted from the same month. The service's own mails do not count. */
  get(options?: RequestOptions): Promise<Revenue>;
}

export interface SendingWindowsMethods {
  /** List sending windows.
   *
   * Newest first. */
  list(query?: {
    /** The number of the page, from 1; 1 if absent. */
    page?: number;
    /** The number of items in a page, 1 to 100; 100 if absent. */
    limit?: number;
  }, options?: RequestOptions): List<SendingWindow, Pagination>;

  /** Create a sending window.
   *
   * If windows of a country and category are active, messages are sent in one of them only. A message at another time is not refused: it waits, `QUEUED`, until the next window opens, and its validity begins then. Without an active window messages are sent at once. Windows do not apply to the sandbox. A window takes effect on every instance within seconds, and is recorded in the audit log. */
  create(body: CreateSendingWindowRequest, options?: RequestOptions): Promise<SendingWindow>;

  /** Delete a sending window. */
  delete(id: string, options?: RequestOptions): Promise<DeletedSendingWindow>;

  /** Change a sending window.
   *
   * A message that is already waiting is checked again at the time at which the window would have opened before the change. */
  update(id: string, body: UpdateSendingWindowRequest, options?: RequestOptions): Promise<SendingWindow>;
}

export interface TenantsMethods {
  /** List all organizations.
   *
   * For platform administrators. Newest first, without the platform's own. */
  list(query?: {
    /** Only organizations whose names contain this text, in any letter case. */
    search?: string;
    /** Only suspended organizations, or only others. */
    suspended?: boolean;
    /** The number of the page, from 1; 1 if absent. */
    page?: number;
    /** The number of items in a page, 1 to 100; 100 if absent. */
    limit?: number;
  }, options?: RequestOptions): List<Tenant, Pagination>;

  /** Get an organization.
   *
   * For platform administrators. */
  get(id: string, options?: RequestOptions): Promise<Tenant>;

  /** Change the platform's settings of an organization.
   *
   * For platform administrators. A change takes effect on every instance within a second, and is recorded in the audit log. */
  update(id: string, body: TenantUpdate, options?: RequestOptions): Promise<Tenant>;

  /** Reinstate a suspended organization.
   *
   * For platform administrators. Held messages continue within seconds. The owners are notified by email, and the change is recorded in the audit log. An organization that is not suspended does not change. */
  restore(id: string, options?: RequestOptions): Promise<Tenant>;

  /** Suspend an organization.
   *
   * For platform administrators. Within a second, on every instance, requests to send, to trigger an event and to send or resume a campaign are refused with 403 `ORGANIZATION_SUSPENDED`; everything else works as before. Waiting messages are held until they expire, then fail with `EXPIRED` and are refunded. Campaigns wait, and events try no further channel. The owners are notified by email, and the suspension is recorded in the audit log. An organization that is already suspended does not change; repeat the request after a 503. */
  suspend(id: string, body: SuspendRequest, options?: RequestOptions): Promise<Tenant>;
}

export interface WalletCorrectionsMethods {
  /** Put money into the wallet of an organization.
   *
   * For platform administrators. The ledger of the organization has it at once, as a `CORRECTION` with the reason as its reference, and so has the audit log. With an `Idempotency-Key` it is made once, whenever the request is repeated. */
  creditWallet(id: string, body: WalletCorrectionRequest, options?: RequestOptions): Promise<WalletCorrection>;

  /** Take money out of the wallet of an organization.
   *
   * For platform administrators. The ledger of the organization has it at once, as a `CORRECTION` with the reason as its reference, and so has the audit log. With an `Idempotency-Key` it is made once, whenever the request is repeated. */
  debitWallet(id: string, body: WalletCorrectionRequest, options?: RequestOptions): Promise<WalletCorrection>;
}

export interface UsersMethods {
  /** List all users.
   *
   * For platform administrators. Newest first. */
  list(query?: {
    /** Only users whose email addresses or names contain this text, in any letter case. */
    search?: string;
    /** The number of the page, from 1; 1 if absent. */
    page?: number;
    /** The number of items in a page, 1 to 100; 100 if absent. */
    limit?: number;
  }, options?: RequestOptions): List<PlatformUser, Pagination>;

  /** Change the platform role of a user, or the verification of the address.
   *
   * For platform administrators. Takes effect with the next request of the user, and is recorded in the audit log. The last administrator keeps the role. */
  update(id: string, body: UserUpdate, options?: RequestOptions): Promise<PlatformUser>;

  /** End all sessions of a user.
   *
   * For platform administrators. The user can sign in again. Recorded in the audit log. */
  endSessions(id: string, options?: RequestOptions): Promise<PlatformUser>;

  /** Remove the second factor of a user.
   *
   * For platform administrators, for users who lost their device and their recovery codes. The user signs in with the password alone, and can set up another one. Recorded in the audit log. A user without a second factor does not change. */
  resetSecondFactor(id: string, options?: RequestOptions): Promise<PlatformUser>;
}

export interface AnalyticsMethods {
  /** Get usage and cost by channel and month.
   *
   * Newest month first. Live messages count in the month of their acceptance (UTC), the current month included. A failed message was refunded: it counts as a message with its segments, and is not part of `cost`. */
  listCosts(query?: {
    /** The number of calendar months; 3 if absent. */
    months?: number;
  }, options?: RequestOptions): Promise<Usage[]>;

  /** List the last 50 messages that failed.
   *
   * Newest first, including those of the sandbox, which have `isSandbox`. */
  listFailures(options?: RequestOptions): Promise<DeliveryLog[]>;

  /** Get numbers of messages by day or hour and one property.
   *
   * Live messages count in the hour and on the day of their acceptance. Days and hours are those of UTC, whatever the organization's time zone. A message counts in its present state: one that fails later moves, and its refund reduces `cost`. A message counts for the provider that has it, or had it last, and before that with the value null. Messages without a campaign, event, template, error or country are left out. The 100 values with the most messages have rows of their own, in a long period fewer, so that there are at most 10,000 rows; all other values share one row for each day or hour, with `isOther`. A day or hour without messages has no row. */
  getMessages(query?: {
    /** The first day (UTC), such as `2026-01-01`, or a time with an offset; if absent, 30 days before `to`, or for hours one day. At most 400 days before `to`, and for hours at most 14 days ago. */
    from?: string;
    /** The last day (UTC), or the time before which messages were accepted; the present if absent. The period is extended to whole days or hours. */
    to?: string;
    /** The parts of the period; `day` if absent. */
    interval?: FigureInterval;
    /** The property to count by; `channel` if absent. */
    by?: FigureDimension;
  }, options?: RequestOptions): Promise<MessageFigures>;

  /** Get the figures of the last thirty days.
   *
   * Live messages count on the day of their acceptance (UTC), today included. A failed message was refunded, and is not part of `spend`. */
  getOverview(options?: RequestOptions): Promise<AnalyticsOverview>;

  /** List recommendations.
   *
   * At most four, the most valuable one first. They are based on the figures of the last 30 days, the newest 1,000 messages of these, the events, the keys and the wallet. They are evaluated at the first request in an hour, and do not change within it. */
  listRecommendations(options?: RequestOptions): Promise<Recommendation[]>;
}

export interface ApiKeysMethods {
  /** List API keys.
   *
   * Newest first, with prefixes only. For owners, administrators and developers. */
  list(query?: {
    /** The number of the page, from 1; 1 if absent. */
    page?: number;
    /** The number of items in a page, 1 to 100; 100 if absent. */
    limit?: number;
  }, options?: RequestOptions): List<ApiKey, Pagination>;

  /** Create an API key.
   *
   * The full key is in this answer only. A member can give only scopes that the own role allows. What the key writes counts as written by that member. */
  create(body: CreateApiKeyRequest, options?: RequestOptions): Promise<NewApiKey>;

  /** Get the API key of the request.
   *
   * For API keys only, whatever their scopes. */
  getCurrentApiKey(options?: RequestOptions): Promise<CurrentApiKey>;

  /** Revoke an API key.
   *
   * The key stops working at once, on every instance within a second. */
  revoke(id: string, options?: RequestOptions): Promise<RevokedApiKey>;

  /** Replace an API key.
   *
   * Creates a key with the same name, mode and scopes. If the present key expires, the new one does so after the same lifetime. The present key remains valid for `overlapHours`, but not beyond its expiry. */
  rotate(id: string, body: RotateApiKeyRequest, options?: RequestOptions): Promise<NewApiKey>;

  /** Get the calls made with an API key.
   *
   * Each of the last 30 days in UTC, oldest first. Calls are counted within some seconds of their answers. For owners, administrators and developers. */
  getUsage(id: string, options?: RequestOptions): Promise<ApiKeyDay[]>;
}

export interface AuthenticationMethods {
  /** Change the password.
   *
   * Ends the other sessions of the user. A wrong present password is reported for its field, and counts as a failed login. */
  changePassword(body: ChangePasswordRequest, options?: RequestOptions): Promise<Notice>;

  /** Request a new password.
   *
   * The answer does not reveal if the address is registered. */
  forgotPassword(body: ForgotPasswordRequest, options?: RequestOptions): Promise<Notice>;

  /** Show the page behind the link of an invitation.
   *
   * Its form creates an account and accepts the invitation. */
  showInvitation(query?: {
    /** The token that was mailed. */
    token?: string;
  }, options?: RequestOptions): Promise<string>;

  /** Accept an invitation.
   *
   * A user sends `token` with a session; the address of the user must be the invited one. A person without an account sends the other fields too, and gets an account with a verified address and a session. Somebody who is a member already keeps their role. A token works once. Browsers get a page. */
  acceptInvitation(body: AcceptInvitationRequest, options?: RequestOptions): Promise<Acceptance | string>;

  /** Sign in. */
  login(body: LoginRequest, options?: RequestOptions): Promise<Login>;

  /** Sign out.
   *
   * Ends the session of the request at once, on every instance. */
  logout(options?: RequestOptions): Promise<Notice>;

  /** Sign out everywhere.
   *
   * Ends all sessions of the user at once, that of the request included. */
  logoutEverywhere(options?: RequestOptions): Promise<Notice>;

  /** Get the signed-in user. */
  getProfile(options?: RequestOptions): Promise<Profile>;

  /** Change the signed-in user.
   *
   * Absent fields keep their values. */
  updateProfile(body: UpdateProfileRequest, options?: RequestOptions): Promise<Profile>;

  /** Register.
   *
   * Creates a user and, if `organizationName` is given, an organization that the user owns. A verification link is mailed to the address. */
  register(body: RegisterRequest, options?: RequestOptions): Promise<Registration>;

  /** Show the page behind the link of a password reset.
   *
   * Its form sets a new password. The page itself does not use the token. */
  showPasswordReset(query?: {
    /** The token that was mailed. */
    token?: string;
  }, options?: RequestOptions): Promise<string>;

  /** Set a new password.
   *
   * Ends all sessions of the user. A token works once, for 30 minutes. Browsers get a page. */
  resetPassword(body: ResetPasswordRequest, options?: RequestOptions): Promise<Notice | string>;

  /** List the sessions of the signed-in user.
   *
   * The session of the request, then the others, last used first; at most 100. A session ends 24 hours after the login. */
  listSessions(options?: RequestOptions): Promise<OpenSession[]>;

  /** End a session of the signed-in user.
   *
   * It is refused at once, on every instance. */
  endSession(id: string, options?: RequestOptions): Promise<void>;

  /** Make the secret of a second factor.
   *
   * Enter the secret into an authenticator app, or show the address as a QR code, and confirm it with a code. Until then, nothing changes, and another call replaces the secret. Codes are those of RFC 6238 with HMAC-SHA-1, six digits and 30 seconds. Wrong passwords and codes are counted with failed logins. */
  proposeSecondFactor(body: SecondFactorRequest, options?: RequestOptions): Promise<SecondFactorSecret>;

  /** Confirm a second factor.
   *
   * From then on, logins need a code beside the password. Each recovery code replaces one code of the app. */
  confirmSecondFactor(body: ConfirmSecondFactorRequest, options?: RequestOptions): Promise<RecoveryCodes>;

  /** Remove the second factor.
   *
   * Takes the password, and a code or a recovery code. */
  removeSecondFactor(body: RemoveSecondFactorRequest, options?: RequestOptions): Promise<Notice>;

  /** Show the page behind the mailed link.
   *
   * The page asks for a click, because mail scanners follow links. */
  showEmailVerification(query?: {
    /** The token that was mailed. */
    token?: string;
  }, options?: RequestOptions): Promise<string>;

  /** Verify an address.
   *
   * Takes the token that was mailed at registration. It works once, for 24 hours. Browsers get a page. */
  verifyEmail(body: VerifyEmailRequest, query?: {
    /** The token that was mailed. */
    token?: string;
  }, options?: RequestOptions): Promise<Notice | string>;

  /** Mail another verification link.
   *
   * At most five links are mailed within an hour. */
  resendVerification(options?: RequestOptions): Promise<Notice>;
}

export interface InvoicesMethods {
  /** List invoices.
   *
   * Newest first. An invoice is issued for each top-up with the method `invoice`; a statement of each month with movements is issued on the first day of the next month. */
  list(query?: {
    /** The number of the page, from 1; 1 if absent. */
    page?: number;
    /** The number of items in a page, 1 to 100; 100 if absent. */
    limit?: number;
  }, options?: RequestOptions): List<Invoice, Pagination>;

  /** Get an invoice, with the details of a statement.
   *
   * Returns JSON, or a page that prints on A4 if `Accept` prefers `text/html`. */
  get(id: string, options?: RequestOptions): Promise<InvoiceDetails | string>;

  /** Withdraw an open invoice.
   *
   * For owners and administrators. Its number is not reused. */
  void(id: string, options?: RequestOptions): Promise<Invoice>;
}

export interface LedgerMethods {
  /** List the movements of the wallet.
   *
   * Newest first; the sum is the balance. Payments for messages within an hour form one movement, and so do their refunds; both grow until the hour ends. A movement is entered into the ledger some seconds (credits) or minutes (hours) later. From then on it never changes, and has a `sequence`, which counts without gaps from 1, and a `hash`: the SHA-256 of the 32 bytes of the previous hash (zeros for the first entry) and the entry, as described in docs/ledger.md. */
  list(query?: {
    /** The number of the page, from 1; 1 if absent. */
    page?: number;
    /** The number of items in a page, 1 to 100; 100 if absent. */
    limit?: number;
  }, options?: RequestOptions): List<LedgerMovement, Pagination>;
}

export interface BillingMethods {
  /** List active pricing rules and plans. */
  getPricing(options?: RequestOptions): Promise<Tariff>;

  /** Get usage by channel and month.
   *
   * Newest month first. Live messages count in the month of their acceptance (UTC), the current month included. A failed message was refunded: it counts as a message with its segments, and is not part of `cost`. */
  listUsage(query?: {
    /** The number of calendar months; 1 if absent. */
    months?: number;
  }, options?: RequestOptions): Promise<Usage[]>;

  /** Get the balance of the wallet. */
  getWallet(options?: RequestOptions): Promise<Wallet>;
}

export interface TopUpsMethods {
  /** Top up the wallet.
   *
   * With `mobile_money` or `card` the answer has the address of a payment page; the wallet is credited when the payment gateway confirms the payment. With `invoice` it names the invoice. A platform administrator, who need not be a member, credits other payments with a `reference`: at once, and once for each reference. */
  topUp(body: TopUpRequest, options?: RequestOptions): Promise<TopUp>;

  /** List top-ups.
   *
   * Payments through the gateway, newest first. Those by invoice are in `GET /billing/invoices`. Unsuccessful ones are listed for 25 months. */
  list(query?: {
    /** Only top-ups in this state. */
    status?: TopUpStatus;
    /** The number of the page, from 1; 1 if absent. */
    page?: number;
    /** The number of items in a page, 1 to 100; 100 if absent. */
    limit?: number;
  }, options?: RequestOptions): List<ListedTopUp, Pagination>;

  /** Verify a top-up at the payment gateway.
   *
   * If it was paid and the gateway has not reported it yet, the wallet is credited now. */
  verifyPayment(body: VerifyPaymentRequest, options?: RequestOptions): Promise<VerifiedPayment>;

  /** Receive an event of the payment gateway.
   *
   * For the gateway only. The signature is the HMAC of the raw body in lowercase hexadecimal: SHA-512 if it has 128 digits, SHA-256 if it has 64. `x-paystack-signature` is read if `x-gateway-signature` is absent. `charge.success` credits the wallet; every other event is stored and changes nothing. */
  receiveGatewayEvent(body: unknown, options?: RequestOptions): Promise<Received>;
}

export interface CallbacksMethods {
  /** Answer a vendor's handshake, or receive a callback sent with `GET`.
   *
   * For vendors only. */
  answerHandshake(name: string, options?: RequestOptions): Promise<Received>;

  /** Receive a provider's callback.
   *
   * For vendors only. Every callback is verified by the vendor's signature, or by a token in the address if the vendor does not sign, before its content is used. */
  receive(name: string, body: unknown, options?: RequestOptions): Promise<Received>;
}

export interface CampaignsMethods {
  /** List campaigns.
   *
   * Newest first, each with its progress. */
  list(query?: {
    /** The number of the page, from 1; 1 if absent. */
    page?: number;
    /** The number of items in a page, 1 to 100; 100 if absent. */
    limit?: number;
  }, options?: RequestOptions): List<Campaign, Pagination>;

  /** Create a campaign.
   *
   * Creates a draft with the text of its template, or a text of its own. The fields of each contact fill its placeholders: `firstName`, `lastName`, `phone`, `email`, `countryCode`, and the keys of `attributes`; `{{unsubscribe}}` is an unsubscribe link. A contact without a value that the text needs gets nothing: its message is `FAILED` with `MISSING_VARIABLE`, at no cost, and it counts as skipped. The campaign of a sandbox key is a rehearsal. */
  create(body: CreateCampaignRequest, options?: RequestOptions): Promise<Campaign>;

  /** Delete a draft. */
  delete(id: string, options?: RequestOptions): Promise<void>;

  /** Get a campaign, with its progress. */
  get(id: string, options?: RequestOptions): Promise<Campaign>;

  /** Change a draft, or move a scheduled campaign.
   *
   * Absent fields keep their values; null clears a value. Of a campaign that is `SCHEDULED` only `scheduledAt` can be changed, to another time; one that has passed means now. */
  update(id: string, body: UpdateCampaignRequest, options?: RequestOptions): Promise<Campaign>;

  /** Cancel a campaign.
   *
   * Messages that no provider has yet are not sent: they are `FAILED` with `CANCELLED`, and refunded. */
  cancel(id: string, options?: RequestOptions): Promise<Campaign>;

  /** Duplicate a campaign.
   *
   * Creates a draft with the same text, template, sender, metadata and segment, and without `scheduledAt`. ` (copy)` is added to the name. Made with an API key, it is of the mode of the key. */
  duplicate(id: string, options?: RequestOptions): Promise<Campaign>;

  /** Pause a campaign that is being sent.
   *
   * Messages that no provider has yet are held. A campaign that is paused for 30 days, for any reason, is cancelled. */
  pause(id: string, options?: RequestOptions): Promise<Campaign>;

  /** Preview a campaign, as if it were sent now.
   *
   * With more than 2,000 contacts the result is an estimate from a part of them. */
  preview(id: string, options?: RequestOptions): Promise<CampaignPreview>;

  /** List the recipients of a campaign.
   *
   * Those that have an outcome: `SENT` (a provider has accepted the message), `SKIPPED` (nothing was to be sent: `NO_ADDRESS`, `RECIPIENT_SUPPRESSED`, `MISSING_VARIABLE`) or `FAILED`. First come those with a message, newest first, then those without an address. Of a completed campaign there are as many as `audience`, until a contact without an address is deleted, messages are purged, or, of a rehearsal, 7 days are over. While many messages wait, a part may have fewer recipients than `limit`, even none, although `nextCursor` leads to more. To a sandbox key only the recipients of rehearsals are visible. */
  listRecipients(id: string, query?: {
    /** Only recipients with this outcome. */
    outcome?: RecipientOutcome;
    /** Only recipients that were not reached for this reason. */
    reason?: RecipientReason;
    /** The `pagination.nextCursor` of the part before; the beginning of the list if absent or empty. */
    after?: string;
    /** The number of items in a part, 1 to 100; 20 if absent. */
    limit?: number;
  }, options?: RequestOptions): List<CampaignRecipient, CursorPagination>;

  /** Download the recipients of a campaign.
   *
   * CSV, with the filters and in the order of the list. A cell that a spreadsheet would read as a formula begins with an apostrophe, except phone numbers. */
  exportRecipients(id: string, query?: {
    /** Only recipients with this outcome. */
    outcome?: RecipientOutcome;
    /** Only recipients that were not reached for this reason. */
    reason?: RecipientReason;
  }, options?: RequestOptions): Promise<ReadableStream<Uint8Array>>;

  /** Send the failed messages of a campaign again.
   *
   * Takes the messages that failed, of at most 31 days from the start of the campaign; those of skipped recipients are counted, and not sent. With `dryRun` all are only counted. Otherwise they are sent again in the background as by `POST /messages/resend`, each of them once, however often this is repeated; `GET /messages/resend/{id}` shows the progress. The new messages have `resentFrom`, and do not count for the campaign. */
  resendFailures(id: string, body?: ResendCampaignRequest, options?: RequestOptions): Promise<ResendForecast>;

  /** Resume a paused campaign.
   *
   * A campaign that is paused because of `INSUFFICIENT_BALANCE` resumes by itself after a top-up, and one that is paused because of `SPENDING_LIMIT_REACHED` on the next day, in UTC, or when the limit is raised. */
  resume(id: string, options?: RequestOptions): Promise<Campaign>;

  /** Send a draft.
   *
   * The campaign becomes `SENDING`, or `SCHEDULED` if `scheduledAt` is in the future. Its text and the rules of its segment are fixed now: later changes of the template or the segment have no effect. A text that scores 30 or more as `MARKETING` first requires the approval of the platform: the answer is `APPROVAL_REQUIRED`, the campaign is `PENDING_APPROVAL`, and it continues by itself once it is approved. A rejection ends it. */
  send(id: string, options?: RequestOptions): Promise<SentCampaign>;
}

export interface CheckoutMethods {
  /** Show a payment, with a button that makes it and one that declines. */
  show(reference: string, options?: RequestOptions): Promise<string>;

  /** Decline the payment. A completed payment stays completed. */
  decline(reference: string, body: unknown, options?: RequestOptions): Promise<string>;

  /** Make the payment. Repeating it changes nothing. */
  pay(reference: string, body: unknown, options?: RequestOptions): Promise<string>;
}

export interface ComplianceMethods {
  /** Check a text before it is used.
   *
   * Rules find content that harms recipients or costs more than necessary. The score is the sum of the weights of the issues, at most 100. The text is not stored. */
  checkMessage(body: CheckMessageRequest, options?: RequestOptions): Promise<CheckedMessage>;

  /** Get a summary of suppressions and pending approvals. */
  getSummary(options?: RequestOptions): Promise<ComplianceSummary>;
}

export interface SuppressionMethods {
  /** List suppressions.
   *
   * Newest first. With `search` at most 1,000 entries are counted and shown; if there are more, `pagination.isLowerBound` is true. A text without three consecutive letters or digits is searched for in the newest 100,000 entries only, and `isLowerBound` is true if there are others. If more than 20,000 entries match, the newest are shown first if they are among the newest 20,000. */
  list(query?: {
    /** Only entries whose address or reason contains this text, in any letter case. A phone may be written in any format, also without its country: `055 100 2995`. */
    search?: string;
    /** The number of the page, from 1; 1 if absent. */
    page?: number;
    /** The number of items in a page, 1 to 100; 100 if absent. */
    limit?: number;
  }, options?: RequestOptions): List<Suppression, Pagination>;

  /** Suppress an address.
   *
   * Messages to it are accepted, cost nothing and fail with `RECIPIENT_SUPPRESSED`. On the channel `PUSH` the entry applies to the devices of the contacts with the phone or the email. On a channel that does not use the given address, it applies to the address that the contact has there: `EMAIL` with a phone, to the email of the contact with that phone; `SMS`, `WHATSAPP` or `VOICE` with an email, to the phone of the contact with that email. If the list already has the entry, the existing one is returned. */
  create(body: CreateSuppressionRequest, options?: RequestOptions): Promise<Suppression>;

  /** Delete a suppression. */
  delete(id: string, options?: RequestOptions): Promise<DeletedSuppression>;
}

export interface ImportsMethods {
  /** Import suppressions.
   *
   * Like the import of contacts, with the columns `phone`, `email` (at least one of these two), `channel`, `category` and `reason`. Any other column must be excluded by `mapping`. An existing entry keeps its reason unless the row gives one. */
  importSuppressions(body: { consentSource?: string; dryRun?: boolean; file: Blob; mapping?: string; once?: boolean }, options?: RequestOptions): Promise<ImportWithErrors>;

  /** List imports of suppressions.
   *
   * Newest first, without their errors. Imports are kept for 30 days. */
  listSuppressionImports(query?: {
    /** The number of the page, from 1; 1 if absent. */
    page?: number;
    /** The number of items in a page, 1 to 100; 100 if absent. */
    limit?: number;
  }, options?: RequestOptions): List<Import, Pagination>;

  /** Get an import of suppressions. */
  getSuppressionImport(id: string, options?: RequestOptions): Promise<ImportWithErrors>;

  /** Download the failed rows of an import of suppressions.
   *
   * CSV, in the order of the file. Rows are numbered as in a spreadsheet: the header is row 1. If the row as a whole is invalid, `column` is empty. */
  listSuppressionImportErrors(id: string, options?: RequestOptions): Promise<ReadableStream<Uint8Array>>;

  /** Import contacts.
   *
   * The part `file` of the form is CSV with comma, semicolon or tab, in UTF-8 or Windows-1252. The first row names the columns in any order and spelling: `firstName`, `lastName`, `name` (both in one), `phone`, `email` (at least one of these two), `countryCode` (of numbers without a calling code; `GH` if empty), `tags` (separated by `;` or `|`) and `fcmToken`, or the names that exports of spreadsheets, address books and shops use for them, such as `Mobile No.`, `Email Address` or `Surname`. If several columns may be the phone, one is used: `phone` before `Mobile` before `Telephone` before the rest. All other columns are attributes. A part `mapping` before the file can assign columns: a JSON object of headers and fields, such as `{"WhatsApp": "phone", "Branch": "attributes.Town", "Notes": null}`; null ignores a column. An invalid cell is ignored and reported in `errors`; its row is accepted if it has another phone or email. Rows of separators only are skipped. A row whose phone or email belongs to an existing contact changes that contact: an empty cell keeps the value, tags are replaced. A fixed line is accepted as a phone and counted in `fixedLines`. A file that is sent again is a new import, which updates the same contacts and names the earlier one in `sameAs`; with a part `once` before the file it is refused. A part `consentSource` before the file records the consent of all its contacts, as of the upload; a contact that has a consent keeps it. With a part `dryRun` before the file nothing is imported: the answer shows how the beginning of the file would be understood, without a look at existing contacts. */
  importContacts(body: { consentSource?: string; dryRun?: boolean; file: Blob; mapping?: string; once?: boolean }, options?: RequestOptions): Promise<ImportPreview>;

  /** List imports of contacts.
   *
   * Newest first, without their errors. Imports are kept for 30 days. */
  listContactImports(query?: {
    /** The number of the page, from 1; 1 if absent. */
    page?: number;
    /** The number of items in a page, 1 to 100; 100 if absent. */
    limit?: number;
  }, options?: RequestOptions): List<Import, Pagination>;

  /** Get an import of contacts. */
  getContactImport(id: string, options?: RequestOptions): Promise<ImportWithErrors>;

  /** Download the failed rows of an import of contacts.
   *
   * CSV, in the order of the file. Rows are numbered as in a spreadsheet: the header is row 1. If the row as a whole is invalid, `column` is empty. */
  listContactImportErrors(id: string, options?: RequestOptions): Promise<ReadableStream<Uint8Array>>;

  /** Undo an import of contacts.
   *
   * Possible once, for a day after the end of the import. Deletes the contacts that the import created and that no request and no other file changed since. Contacts that were there before keep what the import changed. Messages that were sent meanwhile stay in the log; deleting a contact by itself erases them. It works in the background: `undoStatus` and `undone` of the import show how far it is. It is recorded in the audit log. */
  undoContactImport(id: string, options?: RequestOptions): Promise<Import>;
}

export interface ContactsMethods {
  /** List contacts.
   *
   * Newest first. Filters can be combined. With a filter at most 1,000 contacts are counted and shown on pages; if there may be more, `pagination.isLowerBound` is true, and `after` leads to them. Frequent tags, texts and suppressions are found among the newest contacts, rare ones by an index. Otherwise the newest 100,000 contacts are searched, as for a text without three consecutive letters or digits; a part with `after` searches the 100,000 before its place, and may have fewer contacts than `limit`, even none, although `nextCursor` leads to more. With `search` alone, if more than 20,000 contacts match, pages show the newest first if they are among the newest 100,000 contacts. */
  list(query?: {
    /** Only contacts whose name, phone or email contains this text, in any letter case. `%` and `_` are literal. A phone may be written in any format, also without its country: `055 100 2995`. */
    search?: string;
    /** Only contacts with this tag, in any letter case. */
    tag?: string;
    /** Only contacts of this segment. */
    segmentId?: string;
    /** Only contacts with a suppression of their phone, email or device, on any channel and of any category, or only those without. */
    suppressed?: boolean;
    /** Only contacts with a recorded consent, or only those without. */
    isConsented?: boolean;
    /** The number of the page, from 1; 1 if absent. */
    page?: number;
    /** The number of items in a page, 1 to 100; 100 if absent. */
    limit?: number;
    /** The `pagination.nextCursor` of the part before; the beginning of the list if empty. The answer has no totals then. Not together with `page`. */
    after?: string;
  }, options?: RequestOptions): List<Contact, PageOrPartPagination>;

  /** Create a contact.
   *
   * All fields are optional. Without a phone, an email or a device token no message reaches the contact. */
  create(body: CreateContactRequest, options?: RequestOptions): Promise<Contact>;

  /** Download contacts.
   *
   * CSV, newest first, with the filters of the list. Contacts that are written meanwhile may be exported as they were, and contacts that are created meanwhile are not exported. `tags` are separated by semicolons, and `attributes` are JSON. A cell that a spreadsheet would read as a formula begins with an apostrophe, except phone numbers: a plus and digits are no formula. */
  export(query?: {
    /** Only contacts whose name, phone or email contains this text, in any letter case. `%` and `_` are literal. A phone may be written in any format, also without its country: `055 100 2995`. */
    search?: string;
    /** Only contacts with this tag, in any letter case. */
    tag?: string;
    /** Only contacts of this segment. */
    segmentId?: string;
    /** Only contacts with a suppression of their phone, email or device, on any channel and of any category, or only those without. */
    suppressed?: boolean;
    /** Only contacts with a recorded consent, or only those without. */
    isConsented?: boolean;
  }, options?: RequestOptions): Promise<ReadableStream<Uint8Array>>;

  /** Delete a contact and erase the person.
   *
   * The contact is deleted at once. A background task then processes the organization's delivery log: in every message to the contact's phone, email or device, `recipient`, `subject`, `body` and `errorMessage` are replaced by `[erased]`; cost and outcome are kept. It begins within two minutes and takes about a minute per million messages in the log. A message that is not final by then is erased within 15 minutes of its final status, at the latest 4 days after its validity. Webhook events about these messages, and about opt-outs, are erased after them; events about a message that was still in delivery are deleted with their month, after 61 days at the latest. A row for the person in a file that was uploaded before fails, and the erasure begins when that file is done. Suppressions are kept, because the wish not to receive messages outlives the contact. */
  delete(id: string, options?: RequestOptions): Promise<DeletedContact>;

  /** Get a contact. */
  get(id: string, options?: RequestOptions): Promise<Contact>;

  /** Change a contact.
   *
   * Absent fields keep their values; null clears a value. `tags` and `attributes` replace the existing ones. A new `countryCode` does not change an existing phone. */
  update(id: string, body: UpdateContactRequest, options?: RequestOptions): Promise<Contact>;

  /** List the messages to a contact.
   *
   * Newest first, in parts: the delivery logs with the contact's phone, email or device as their recipient, whoever they were written for. A part may have fewer logs than `limit`, even none, although `nextCursor` leads to more. An API key needs the scope `delivery-logs:read`, and sees the messages of its own mode. */
  listMessages(id: string, query?: {
    /** The `pagination.nextCursor` of the part before; the beginning of the list if absent or empty. */
    after?: string;
    /** The number of items in a part, 1 to 100; 20 if absent. */
    limit?: number;
  }, options?: RequestOptions): List<DeliveryLog, CursorPagination>;
}

export interface ContactJobsMethods {
  /** Delete many contacts and erase the people.
   *
   * Takes the contacts that fit all conditions of the filter at this moment; contacts that are made or changed later are not selected anew. With `dryRun` they are only counted. Otherwise each of them is deleted as `DELETE /contacts/{id}` does it, some hundred at a time. A filter that cannot be evaluated within five seconds is a fault of the field `filter`. */
  deleteContacts(body: DeleteContactsRequest, options?: RequestOptions): Promise<SelectedContacts>;

  /** List jobs on many contacts.
   *
   * Newest first. A job is kept for 30 days after its end. */
  list(query?: {
    /** The `pagination.nextCursor` of the part before; the beginning of the list if absent or empty. */
    after?: string;
    /** The number of items in a part, 1 to 100; 20 if absent. */
    limit?: number;
  }, options?: RequestOptions): List<ContactJob, CursorPagination>;

  /** Get a job on many contacts. */
  get(id: string, options?: RequestOptions): Promise<ContactJob>;

  /** Change the tags of many contacts.
   *
   * Selects the contacts as `POST /contacts/delete` does. Tags are compared without letter case. A contact that would have more than 50 tags keeps those that it has. */
  tagContacts(body: TagContactsRequest, options?: RequestOptions): Promise<SelectedContacts>;
}

export interface ContentMethods {
  /** Write a new text.
   *
   * The text is returned only if it has exactly the requested placeholders. It is not stored. A model writes at most two texts of an organization at a time. */
  generate(body: GenerateContentRequest, options?: RequestOptions): Promise<Content>;

  /** Rewrite a text.
   *
   * The text is returned only if it has exactly the requested placeholders. It is not stored. A model writes at most two texts of an organization at a time. */
  rewrite(body: RewriteContentRequest, options?: RequestOptions): Promise<Content>;

  /** Translate a text.
   *
   * The text is returned only if it has exactly the requested placeholders. It is not stored. A model writes at most two texts of an organization at a time. */
  translate(body: TranslateContentRequest, options?: RequestOptions): Promise<Content>;
}

export interface DeliveryLogsMethods {
  /** List delivery logs.
   *
   * Newest first. Filters can be combined. With other filters than `recipient`, `campaignId`, `status` and `channel`, 31 days are searched: those from `from`, else those until `to`, or the last ones. With other filters than `status` and `channel`, `total` counts up to 1,000 messages (`isLowerBound`), and an answer comes of a look at about 10,000 messages: a page may have fewer messages than `limit`, even none, although `nextCursor` leads to more. A recipient, a failure or rare metadata is found at once. An API key with the scope `delivery-logs:read` sees the messages of its own mode. */
  list(query?: {
    /** Only messages in this state. */
    status?: Status;
    /** Only messages of this channel. */
    channel?: Channel;
    /** Only messages to this recipient, in any form that `to` of a message may have. Numbers without a calling code are numbers of Ghana. */
    recipient?: string;
    /** Only messages of this campaign. */
    campaignId?: string;
    /** Only messages accepted at this time or later. */
    from?: string;
    /** Only messages accepted before this time. */
    to?: string;
    /** Only messages that notify of the event with this slug. */
    event?: string;
    /** Only messages that this provider has, or had last. */
    provider?: string;
    /** Only messages that failed for this reason; with `NO_REPORT` those without a report. */
    errorCode?: FailureCode;
    /** Only messages of the sandbox if true, only others if false. */
    isSandbox?: boolean;
    /** Only messages with this value of this key of their metadata, as in `metadata[order]=4711`. Several pairs must all be there. */
    metadata?: Record<string, string>;
    /** The number of the page, from 1; 1 if absent. */
    page?: number;
    /** The number of items in a page, 1 to 100; 20 if absent. */
    limit?: number;
    /** The `pagination.nextCursor` of the part before; the beginning of the list if empty. The answer has no totals then. Not together with `page`. */
    after?: string;
  }, options?: RequestOptions): List<DeliveryLog, PageOrPartPagination>;

  /** Download delivery logs.
   *
   * CSV, newest first, at most 10,000 rows, with the filters of the list. A cell that a spreadsheet would read as a formula begins with an apostrophe, except phone numbers: a plus and digits are no formula. A text has its first 10,000 characters; `bodyTruncated` is `true` if there are more. */
  export(query?: {
    /** Only messages in this state. */
    status?: Status;
    /** Only messages of this channel. */
    channel?: Channel;
    /** Only messages to this recipient, in any form that `to` of a message may have. Numbers without a calling code are numbers of Ghana. */
    recipient?: string;
    /** Only messages of this campaign. */
    campaignId?: string;
    /** Only messages accepted at this time or later. */
    from?: string;
    /** Only messages accepted before this time. */
    to?: string;
    /** Only messages that notify of the event with this slug. */
    event?: string;
    /** Only messages that this provider has, or had last. */
    provider?: string;
    /** Only messages that failed for this reason; with `NO_REPORT` those without a report. */
    errorCode?: FailureCode;
    /** Only messages of the sandbox if true, only others if false. */
    isSandbox?: boolean;
    /** Only messages with this value of this key of their metadata, as in `metadata[order]=4711`. Several pairs must all be there. */
    metadata?: Record<string, string>;
  }, options?: RequestOptions): Promise<ReadableStream<Uint8Array>>;
}

export interface EventsMethods {
  /** List events.
   *
   * Newest first, each with its templates. For members, and for API keys with the scope `events:read`. */
  list(query?: {
    /** Only events whose name or slug contains this text, in any letter case. */
    search?: string;
    /** The number of the page, from 1; 1 if absent. */
    page?: number;
    /** The number of items in a page, 1 to 100; 100 if absent. */
    limit?: number;
  }, options?: RequestOptions): List<Event, Pagination>;

  /** Create an event. */
  create(body: CreateEventRequest, options?: RequestOptions): Promise<Event>;

  /** Trigger an event.
   *
   * The channels of `channelPriority` are tried in their order, then those of `fallbackRules.channels`. The next one is tried if a channel has no usable address or no route, if its message fails, at once or later, and if its message has not reached `untilStatus` within `afterSeconds`. Each channel sends its own message at its own cost; an empty wallet ends the notification. A message that arrives after the next channel was tried does not undo the message of that channel.
   *
   * With `to`, channels that cannot use such an address are skipped. With `contactId` the contact provides the addresses and, for placeholders that `variables` do not name, its fields (`firstName`, `lastName`, `phone`, `email`, `countryCode`) and attributes; beside `to`, only the latter two. The texts of all channels are filled at once: a placeholder without a value is a fault on any channel.
   *
   * With `async` the answer comes as soon as the first message is accepted, else as soon as a channel does not fail in its first attempt. It is the delivery log of the current message. With a repeated `idempotencyKey` it is the first log, with the present state of the channels. API keys without `messages:read` and `contacts:read` do not see the recipient and the texts of a message to a contact. For owners, administrators, campaign managers and developers, and for API keys with the scope `events:trigger`. */
  trigger(body: TriggerEventRequest, options?: RequestOptions): Promise<TriggeredEvent>;

  /** Delete an event.
   *
   * Notifications that were triggered before continue unchanged. */
  delete(id: string, options?: RequestOptions): Promise<DeletedEvent>;

  /** Get an event. */
  get(id: string, options?: RequestOptions): Promise<Event>;

  /** Change an event.
   *
   * Absent fields keep their values; null clears a value. The slug does not change. Notifications that were triggered before continue unchanged. */
  update(id: string, body: UpdateEventRequest, options?: RequestOptions): Promise<Event>;
}

export interface HealthMethods {
  /** Get the health of the service.
   *
   * Checks the database, Redis and the waiting time of messages. The answer has no envelope. */
  get(options?: RequestOptions): Promise<Health>;

  /** Check that the process answers.
   *
   * Checks nothing else, so that an outage of a dependency restarts no instance. */
  getLiveness(options?: RequestOptions): Promise<Liveness>;

  /** Check that this instance is ready for requests.
   *
   * For load balancers: unlike `/health` it reports on this instance only. An instance is not ready while it shuts down, and while the database has too few connections for it. An unavailable database affects all instances, which stay ready: their answers state the time of a retry. */
  getReadiness(options?: RequestOptions): Promise<Readiness>;

  /** Get the metrics of this instance.
   *
   * Metrics in the text format of Prometheus. In production they are served on a separate address, and not here. */
  getMetrics(options?: RequestOptions): Promise<string>;
}

export interface MessagesMethods {
  /** Send failed messages again.
   *
   * Takes the failed messages of at most 31 days that fit all given filters. With `dryRun` the newest 100,000 are only counted. Otherwise they are sent again in the background, newest first, each once, until one cannot be paid. The rest can be requested again. */
  resendFailed(body: ResendFailedRequest, options?: RequestOptions): Promise<ResendForecast>;

  /** Get the progress of sending failed messages again.
   *
   * Kept for 30 days after its end. */
  getResend(id: string, options?: RequestOptions): Promise<Resend>;

  /** Send a message.
   *
   * With `async` the answer comes as soon as the message is accepted, else with the outcome of the first attempt. For owners, administrators, campaign managers and developers, and for API keys with the scope `messages:send`. */
  send(body: SendMessageRequest, options?: RequestOptions): Promise<DeliveryLog>;

  /** Get a message. */
  get(id: string, options?: RequestOptions): Promise<DeliveryLogDetail>;

  /** Move a scheduled message to another time.
   *
   * The price stays as it was. Its validity counts from the new time. */
  move(id: string, body: MoveMessageRequest, options?: RequestOptions): Promise<DeliveryLog>;

  /** Cancel a message.
   *
   * Possible until a provider is given the message: while it is scheduled, held back or waits for another attempt. It fails with `CANCELLED` and is refunded, and no other channel of its event is tried. A repetition has the same answer. */
  cancel(id: string, options?: RequestOptions): Promise<DeliveryLog>;

  /** Send a failed message again.
   *
   * The text stays as it was filled. Suppression, template, sender, route and price are looked up anew. A message is sent again once; `again` allows one more. Never sent again are codes (`OTP`), and what was cancelled, suppressed, blocked, erased, or expired before the usual validity of its category. */
  resend(id: string, body?: ResendMessageRequest, options?: RequestOptions): Promise<DeliveryLog>;
}

export interface OrganizationsMethods {
  /** Create an organization.
   *
   * The user becomes its owner. A user can own at most three organizations. */
  create(body: CreateOrganizationRequest, options?: RequestOptions): Promise<Organization>;

  /** Get the organization, with its wallet and its members. */
  get(options?: RequestOptions): Promise<Organization>;

  /** Change the organization.
   *
   * For owners and administrators. */
  update(body: OrganizationUpdate, options?: RequestOptions): Promise<Organization>;

  /** List the open invitations.
   *
   * Newest first. `roles` names what each role allows. */
  listInvitations(query?: {
    /** The number of the page, from 1; 1 if absent. */
    page?: number;
    /** The number of items in a page, 1 to 100; 100 if absent. */
    limit?: number;
  }, options?: RequestOptions): List<Invitation, Pagination>;

  /** Invite a person.
   *
   * Mails a link to the address, whether or not somebody is registered with it. It works once, for seven days. The mail names the organization and the address of the inviter, which must be verified unless the service verifies none. Only owners can invite owners. An invitation is valid as long as the inviter may invite. At most 50 mails a day are sent for an organization, and 5 to an address. */
  createInvitation(body: CreateInvitationRequest, options?: RequestOptions): Promise<Invitation>;

  /** Withdraw an invitation.
   *
   * Its link stops to work. */
  withdrawInvitation(id: string, options?: RequestOptions): Promise<void>;

  /** Send an invitation again.
   *
   * Mails another link, for another seven days. The earlier link stops to work. The caller becomes the inviter. */
  resendInvitation(id: string, options?: RequestOptions): Promise<Invitation>;

  /** Add a member.
   *
   * Adds a registered user, who is notified by email if the address is verified, or gives a member another role. Only owners can make others owners. To invite somebody with their consent, registered or not, use `POST /organizations/invitations`. */
  inviteMember(body: InviteRequest, options?: RequestOptions): Promise<Member>;

  /** Leave the organization.
   *
   * Every member may, except the last owner. */
  leave(options?: RequestOptions): Promise<void>;

  /** List the members.
   *
   * `roles` names what each role allows. */
  listMembers(query?: {
    /** The number of the page, from 1; 1 if absent. */
    page?: number;
    /** The number of items in a page, 1 to 100; 100 if absent. */
    limit?: number;
  }, options?: RequestOptions): List<Member, Pagination>;

  /** Remove a member.
   *
   * For owners and administrators; only owners can remove an owner. The sessions of the user lose access to the organization at once. API keys stay. */
  removeMember(userId: string, options?: RequestOptions): Promise<void>;

  /** Give a member another role.
   *
   * For owners and administrators. Only owners can make others owners, or change an owner. Owners and administrators need a verified address, unless the service verifies none. */
  updateMember(userId: string, body: UpdateMemberRequest, options?: RequestOptions): Promise<Member>;
}

export interface ClosingsMethods {
  /** Close the organization.
   *
   * For owners. Scheduled messages are cancelled and refunded, campaigns are cancelled, and the owners are notified by email. From then on, within a second on every instance, whatever changes something or is called with an API key is refused with 403 `ORGANIZATION_CLOSED`; messages that were accepted before are delivered. Members can sign in and read. An owner can restore the organization for 30 days; then it is erased, except for its ledger, its invoices and its audit log. A wallet with money is given up with `forfeit`: the ledger has it as a `CORRECTION` with the reference `forfeited`, and what is refunded later follows. Without it, refunds of scheduled messages can fill the wallet: they stay cancelled, and the request fails. A wrong password counts as a failed login. A closed organization does not change; repeat the request after a 503. */
  closeOrganization(body: CloseOrganizationRequest, options?: RequestOptions): Promise<Organization>;

  /** Restore the closed organization.
   *
   * For owners, within 30 days. Everything is as before, except for cancelled messages and campaigns, and money that was given up. An organization that is open does not change. */
  restoreOrganization(options?: RequestOptions): Promise<Organization>;
}

export interface LimitsMethods {
  /** Get the limits of the organization, with their usage.
   *
   * For owners and administrators. Platform administrators change `live`, `sandbox` and `requests`, and the sum that the organization may owe for invoices credited on issue, with `PATCH /admin/tenants/{id}`; the organization itself limits its spending and its `velocity` with `PATCH /organizations/current`. The limits on stored data and daily actions of an organization may increase with its first payment. */
  getOrganizationLimits(options?: RequestOptions): Promise<OrganizationLimits>;
}

export interface TrafficMethods {
  /** List alerts about codes.
   *
   * Newest first: one for each day and range of numbers in which far fewer of the organization's codes arrived than usual. If the codes of others arrived as usual, its codes to the range are stopped for an hour: they fail with `TRAFFIC_STOPPED`, at no cost. Alerts are kept for 90 days. */
  listAlerts(query?: {
    /** The number of the page, from 1; 1 if absent. */
    page?: number;
    /** The number of items in a page, 1 to 100; 100 if absent. */
    limit?: number;
  }, options?: RequestOptions): List<TrafficAlert, Pagination>;

  /** Lift a stop of codes.
   *
   * For owners and administrators. Codes to this range are not stopped again for 24 hours. An alert that stops nothing does not change. */
  liftStop(id: string, options?: RequestOptions): Promise<TrafficAlert>;
}

export interface ProvidersMethods {
  /** List the providers. */
  list(query?: {
    /** The number of the page, from 1; 1 if absent. */
    page?: number;
    /** The number of items in a page, 1 to 100; 100 if absent. */
    limit?: number;
  }, options?: RequestOptions): List<Provider, Pagination>;

  /** Get a provider, with its history. */
  get(id: string, options?: RequestOptions): Promise<ProviderDetail>;

  /** Check a provider's account now.
   *
   * Nothing is sent. The result is stored in the provider's history, and returned to all requests within ten seconds. Platform administrators get more details. */
  check(id: string, options?: RequestOptions): Promise<ProviderHealth>;
}

export interface RequestsMethods {
  /** List requests that were answered with an error.
   *
   * Requests of the last seven days whose caller was authenticated in the organization, newest first. They appear within some seconds, and may be lost if an instance of the service crashes. Beyond 1,000 in an hour, each instance keeps one of ten, and ever fewer: `sampled` is true for those. For owners, administrators and developers. */
  listRefusedRequests(query?: {
    /** Only requests with this status. */
    status?: string;
    /** Only requests with this code of the error. */
    code?: string;
    /** Only requests with this API key. */
    apiKeyId?: string;
    /** Only the requests with this identifier. */
    id?: string;
    /** The `pagination.nextCursor` of the part before; the beginning of the list if absent or empty. */
    after?: string;
    /** The number of items in a part, 1 to 100; 20 if absent. */
    limit?: number;
  }, options?: RequestOptions): List<RefusedRequest, CursorPagination>;
}

export interface SegmentsMethods {
  /** List segments.
   *
   * Newest first, each with the number of its contacts. The number is current; with more than 100,000 contacts it may be up to a minute old, or older if counting takes more than two seconds. `countedAt` is the time of the count. */
  list(query?: {
    /** The number of the page, from 1; 1 if absent. */
    page?: number;
    /** The number of items in a page, 1 to 100; 100 if absent. */
    limit?: number;
  }, options?: RequestOptions): List<Segment, Pagination>;

  /** Create a segment.
   *
   * A dynamic segment always contains the contacts that match the rules. With `isDynamic` false, the contacts that match now are its members until they are deleted. A key of the rules that looks like a field but is none, an attribute that contacts have in another letter case only, and a name that another segment has are accepted and reported in `warnings`. */
  create(body: CreateSegmentRequest, options?: RequestOptions): Promise<Segment>;

  /** Preview rules.
   *
   * Returns the number of contacts that match, and the newest ten of them. Rules that cannot be evaluated within five seconds are a fault of the field `rules`. */
  preview(body: PreviewSegmentRequest, options?: RequestOptions): Promise<SegmentPreview>;

  /** Delete a segment.
   *
   * The contacts are kept. */
  delete(id: string, options?: RequestOptions): Promise<DeletedSegment>;

  /** Get a segment. */
  get(id: string, options?: RequestOptions): Promise<Segment>;

  /** Change a segment.
   *
   * Absent fields keep their values; null clears the description. The rules of a segment that is not dynamic cannot be changed. */
  update(id: string, body: UpdateSegmentRequest, options?: RequestOptions): Promise<Segment>;

  /** List the contacts of a segment.
   *
   * Newest first, in parts. A part comes of a look at 100,000 contacts, and may have fewer contacts than `limit`, even none, although `nextCursor` leads to more. Rare tags and the members of a segment that is not dynamic are found at once. */
  listContacts(id: string, query?: {
    /** The `pagination.nextCursor` of the part before; the beginning of the list if absent or empty. */
    after?: string;
    /** The number of items in a part, 1 to 100; 100 if absent. */
    limit?: number;
  }, options?: RequestOptions): List<Contact, CursorPagination>;
}

export interface SenderNamesMethods {
  /** List sender names.
   *
   * Newest first, with any status. */
  list(query?: {
    /** Only sender names with this status. */
    status?: SenderNameStatus;
    /** The number of the page, from 1; 1 if absent. */
    page?: number;
    /** The number of items in a page, 1 to 100; 100 if absent. */
    limit?: number;
  }, options?: RequestOptions): List<SenderName, Pagination>;

  /** Request a sender name.
   *
   * A platform administrator decides about the request. A name belongs to one organization, regardless of letter case, channel and country; a short code belongs to one organization in each country. If the same name was requested before and not rejected, that request is returned. For owners, administrators and campaign managers. */
  request(body: SenderNameRequest, options?: RequestOptions): Promise<SenderName>;

  /** Delete a sender name.
   *
   * Within a second, messages with it are refused, and other organizations may request it. */
  delete(id: string, options?: RequestOptions): Promise<DeletedSenderName>;
}

export interface TemplatesMethods {
  /** List templates.
   *
   * Newest first. Filters can be combined. With a filter at most 1,000 templates are counted and shown; if there are more, `pagination.isLowerBound` is true. */
  list(query?: {
    /** Only templates whose name contains this text, in any letter case. */
    search?: string;
    /** Only templates in this state. */
    status?: TemplateStatus;
    /** Only templates for this channel. */
    channel?: TemplateChannel;
    /** Only templates of this category. */
    category?: Category;
    /** The number of the page, from 1; 1 if absent. */
    page?: number;
    /** The number of items in a page, 1 to 100; 100 if absent. */
    limit?: number;
  }, options?: RequestOptions): List<Template, Pagination>;

  /** Create a template.
   *
   * The template can be sent at once, unless it requires approval by the platform: templates of the categories `HEALTHCARE`, `INSURANCE` and `FINTECH`, those with a risk score of 30 or more, and those with a `vendorTemplate` do. */
  create(body: CreateTemplateRequest, options?: RequestOptions): Promise<Template>;

  /** Delete a template.
   *
   * Its versions are deleted, and its pending approval is withdrawn. Messages that were accepted keep their texts, also those that wait for their time, and figures keep its name. `details` of `TEMPLATE_IN_USE` name the newest ten `events` and `campaigns` that need it, each by `id` and `name`: campaigns that are `DRAFT`, `SCHEDULED` or `PENDING_APPROVAL`. */
  delete(id: string, options?: RequestOptions): Promise<void>;

  /** Get a template, with its versions.
   *
   * The last 20 versions are kept. */
  get(id: string, options?: RequestOptions): Promise<TemplateDetail>;

  /** Change a template.
   *
   * A change of the content creates a new version. It requires approval like a new template: the approval of the old version does not apply to it. */
  update(id: string, body: UpdateTemplateRequest, options?: RequestOptions): Promise<Template>;

  /** Fill the texts of a template.
   *
   * Shows them as a message would have them, and sends nothing. The template may still wait for its approval. `variables` may name more than the texts use. A placeholder without a value stays as it is, and is named in `missing`; campaigns fill `{{unsubscribe}}` and the fields of contacts themselves. */
  render(id: string, body: RenderTemplateRequest, options?: RequestOptions): Promise<RenderedTemplate>;
}

export interface UnsubscribeMethods {
  /** Show the page behind an unsubscribe link.
   *
   * The page asks for a click, because mail scanners follow links. */
  showShortUnsubscribe(code: string, options?: RequestOptions): Promise<string>;

  /** Unsubscribe.
   *
   * Unsubscribes the recipient from `MARKETING` on the channel of the message only. The body is ignored: mail programs post `List-Unsubscribe=One-Click` (RFC 8058), the page an empty form. Repeating the request changes nothing. Browsers get a page. */
  unsubscribeShort(code: string, body: unknown, options?: RequestOptions): Promise<Unsubscribed | string>;

  /** Show the page behind an unsubscribe link.
   *
   * The page asks for a click, because mail scanners follow links. */
  show(token: string, options?: RequestOptions): Promise<string>;

  /** Unsubscribe.
   *
   * Unsubscribes the recipient from `MARKETING` on the channel of the message only. The body is ignored: mail programs post `List-Unsubscribe=One-Click` (RFC 8058), the page an empty form. Repeating the request changes nothing. Browsers get a page. */
  unsubscribe(token: string, body: unknown, options?: RequestOptions): Promise<Unsubscribed | string>;
}

export interface WebhookEndpointsMethods {
  /** List webhook endpoints.
   *
   * Newest first, including deactivated ones. For owners, administrators and developers. */
  list(query?: {
    /** The number of the page, from 1; 1 if absent. */
    page?: number;
    /** The number of items in a page, 1 to 100; 100 if absent. */
    limit?: number;
  }, options?: RequestOptions): List<WebhookEndpoint, Pagination>;

  /** Create a webhook endpoint.
   *
   * The endpoint receives events from one second later on. An organization has at most 20 active endpoints; of deactivated ones the newest 1,000 are kept. Calls are signed with the secret, which is in this answer only. Signatures and contents are described with each event under `webhooks` in this document. */
  create(body: CreateWebhookEndpointRequest, options?: RequestOptions): Promise<WebhookEndpointWithSecret>;

  /** Deactivate a webhook endpoint.
   *
   * The endpoint receives no more events, and pending deliveries become `FAILED`. It stays in the list, and can be activated again, for 25 months. With `permanent=true` it is removed; its deliveries can still be listed for 30 days. */
  delete(id: string, query?: {
    /** True to remove the endpoint instead of deactivating it. */
    permanent?: boolean;
  }, options?: RequestOptions): Promise<WebhookEndpoint | undefined>;

  /** Change a webhook endpoint.
   *
   * A reactivated endpoint receives events from one second later on. Events that it missed, and failed deliveries, can be recovered. */
  update(id: string, body: UpdateWebhookEndpointRequest, options?: RequestOptions): Promise<WebhookEndpoint>;

  /** List deliveries to a webhook endpoint.
   *
   * Deliveries of the last 30 days, newest first; at most 1,000 are counted and shown. If there are more, `pagination.isLowerBound` is true: `to` shows older ones. With `event`, or a `status` other than `FAILED`, the newest 20,000 are searched. */
  listDeliveries(id: string, query?: {
    /** Only deliveries in this state. */
    status?: WebhookDeliveryStatus;
    /** Only deliveries of this event. */
    event?: WebhookEvent;
    /** Only deliveries of events at this time or later. */
    from?: string;
    /** Only deliveries of events before this time. */
    to?: string;
    /** The number of the page, from 1; 1 if absent. */
    page?: number;
    /** The number of items in a page, 1 to 100; 20 if absent. */
    limit?: number;
  }, options?: RequestOptions): List<WebhookDelivery, Pagination>;

  /** Retry a delivery.
   *
   * It is tried once more now with the same identifier, whatever its outcome was. */
  retryDelivery(id: string, deliveryId: string, options?: RequestOptions): Promise<RetriedWebhookDelivery>;

  /** Retry all deliveries that failed since a time.
   *
   * They are tried again as often as new ones, in their order. One request recovers at most 100,000; if `hasMore` is true, the same request recovers the next. */
  recoverDeliveries(id: string, body: RecoverWebhookDeliveriesRequest, options?: RequestOptions): Promise<RecoveredWebhookDeliveries>;

  /** Rotate the secret of a webhook endpoint.
   *
   * The previous secret also signs for 24 hours: `webhook-signature` has both signatures, `X-Service-Signature` that of the new secret. After several rotations in a day the newest two secrets sign. */
  rotateSecret(id: string, options?: RequestOptions): Promise<WebhookEndpointWithSecret>;

  /** Send a test to a webhook endpoint.
   *
   * Sends an invented event at once, and once, signed like others. Nothing of it is recorded. An endpoint is tested by one call at a time, and once a second. */
  test(id: string, body?: TestWebhookEndpointRequest, options?: RequestOptions): Promise<WebhookTest>;
}

/** Answer of messages.sendBulk. */
export type SendBulkAnswer = BulkResult[];

/** Methods by group, one for each operation of the API. */
export interface Groups {
  /** Decisions by platform administrators about contents. */
  readonly approvals: ApprovalsMethods;
  /** Actions of platform administrators, also as organizations, and changes of members. */
  readonly auditLog: AuditLogMethods;
  /** Work of an instance that no request waits for. */
  readonly backgroundTasks: BackgroundTasksMethods;
  /** Platform administrators who act as an organization. */
  readonly impersonation: ImpersonationMethods;
  /** Payments that succeeded and could not be credited, or are reversed. */
  readonly paymentExceptions: PaymentExceptionsMethods;
  /** Prices and plans, for platform administrators. */
  readonly pricing: PricingMethods;
  /** Payments of organizations, for platform administrators. */
  readonly revenue: RevenueMethods;
  /** The hours in which messages of a category may be sent to a country, for platform administrators. */
  readonly sendingWindows: SendingWindowsMethods;
  /** Organizations, as platform administrators see and change them. */
  readonly tenants: TenantsMethods;
  /** Money that platform administrators put into wallets or take out of them. */
  readonly walletCorrections: WalletCorrectionsMethods;
  /** Users of all organizations, as platform administrators see and change them. */
  readonly users: UsersMethods;
  /** Figures about messages, always up to date. */
  readonly analytics: AnalyticsMethods;
  /** Credentials of programs. */
  readonly apiKeys: ApiKeysMethods;
  /** Registration and login. */
  readonly authentication: AuthenticationMethods;
  /** Invoices, and monthly statements. */
  readonly invoices: InvoicesMethods;
  /** Movements of the wallet. */
  readonly ledger: LedgerMethods;
  /** Wallets and prices. */
  readonly billing: BillingMethods;
  /** Payments into wallets. */
  readonly topUps: TopUpsMethods;
  /** Calls by vendors. */
  readonly callbacks: CallbacksMethods;
  /** One text to many contacts. */
  readonly campaigns: CampaignsMethods;
  /** Pages of the simulated payment gateway. It does not exist in production. */
  readonly checkout: CheckoutMethods;
  /** Checks of texts, and a summary. */
  readonly compliance: ComplianceMethods;
  /** Addresses that get no messages. */
  readonly suppression: SuppressionMethods;
  /** Files of contacts and of suppressions, processed in the background. */
  readonly imports: ImportsMethods;
  /** People that the organization writes to. */
  readonly contacts: ContactsMethods;
  /** Work on many contacts at once, in the background. */
  readonly contactJobs: ContactJobsMethods;
  /** Texts, written by a language model if one is configured, else by rules. */
  readonly content: ContentMethods;
  /** Logs of sent messages. */
  readonly deliveryLogs: DeliveryLogsMethods;
  /** Events that organizations notify people of, with their channels. */
  readonly events: EventsMethods;
  /** Health of the service. */
  readonly health: HealthMethods;
  /** Sending messages and following them. */
  readonly messages: MessagesMethods;
  /** The organization and its members. */
  readonly organizations: OrganizationsMethods;
  /** Closing of the organization by an owner, and its restoration. */
  readonly closings: ClosingsMethods;
  /** Limits of an organization. */
  readonly limits: LimitsMethods;
  /** Alerts about codes that do not arrive, as in fraud with numbers that earn from each message. */
  readonly traffic: TrafficMethods;
  /** Providers that carry messages, with their health. */
  readonly providers: ProvidersMethods;
  /** Requests that were answered with an error. */
  readonly requests: RequestsMethods;
  /** Parts of the contacts, described by rules. */
  readonly segments: SegmentsMethods;
  /** Names and numbers that recipients see as the sender. */
  readonly senderNames: SenderNamesMethods;
  /** Prepared texts with placeholders. */
  readonly templates: TemplatesMethods;
  /** Links by which recipients unsubscribe from advertising. */
  readonly unsubscribe: UnsubscribeMethods;
  readonly webhookEndpoints: WebhookEndpointsMethods;
}
