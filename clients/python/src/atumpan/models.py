"""Results.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, TypeAlias

from ._model import Model, dataclass


@dataclass(frozen=True, kw_only=True)
class AnalyticsDay(Model):
    """
    The messages that were accepted on one day.
    """

    date: str
    """
    The day (UTC).
    """
    delivered: int
    failed: int
    sent: int
    spend: float
    """
    Payments for them, without refunds.
    """


@dataclass(frozen=True, kw_only=True)
class AnalyticsTrends(Model):
    """
    Growth in per cent against the thirty days before; null if there were none.
    """

    delivery_rate: float | None
    sent: float | None
    spend: float | None


@dataclass(frozen=True, kw_only=True)
class ApiKeyDay(Model):
    """
    Calls made with an API key on a day.
    """

    accepted: int
    """
    Number of calls with a successful answer.
    """
    date: str
    """
    Day in UTC.
    """
    refused: int
    """
    Number of calls that were answered with an error.
    """


@dataclass(frozen=True, kw_only=True)
class ApiKeyOwner(Model):
    """
    Organization that owns an API key.
    """

    id: str
    name: str


ApprovalStatus: TypeAlias = Literal["PENDING", "APPROVED", "REJECTED"] | str
"""
The state of an approval.
"""


ApprovalType: TypeAlias = Literal["TEMPLATE", "CAMPAIGN", "SENDER_NAME"] | str
"""
The kind of content to approve.
"""


AttemptOutcome: TypeAlias = Literal["ACCEPTED", "REJECTED", "NOT_ACCEPTED", "UNKNOWN"] | str
"""
The outcome of an attempt to hand a message to a provider.
"""


@dataclass(frozen=True, kw_only=True)
class AuditActor(Model):
    """
    User who acted.
    """

    email: str | None
    """
    Shown to platform administrators only; null if the user is deleted.
    """
    id: str


@dataclass(frozen=True, kw_only=True)
class BackgroundTasksHealth(Model):
    """
    The background tasks of this instance. They do not affect `status`.
    """

    failing: list[str]
    """
    Names of the tasks that fail at present.
    """


@dataclass(frozen=True, kw_only=True)
class Balance(Model):
    """
    Balance of a wallet.
    """

    balance: float
    currency: str


@dataclass(frozen=True, kw_only=True)
class BegunContactJob(Model):
    """
    Job that has begun.
    """

    count: int
    """
    Number of contacts.
    """
    id: str


@dataclass(frozen=True, kw_only=True)
class BegunResend(Model):
    """
    Work on failed messages that has begun.
    """

    count: int
    """
    Number of failed messages.
    """
    id: str


CampaignStatus: TypeAlias = (
    Literal[
        "DRAFT",
        "SCHEDULED",
        "PENDING_APPROVAL",
        "REJECTED",
        "SENDING",
        "PAUSED",
        "COMPLETED",
        "CANCELLED",
        "FAILED",
    ]
    | str
)
"""
The state of a campaign. `REJECTED`, `COMPLETED`, `CANCELLED` and `FAILED` are final.
"""


Category: TypeAlias = (
    Literal[
        "TRANSACTIONAL",
        "MARKETING",
        "OTP",
        "REMINDER",
        "ALERT",
        "HEALTHCARE",
        "INSURANCE",
        "LOGISTICS",
        "FINTECH",
        "ECOMMERCE",
    ]
    | str
)
"""
The category of a message.
"""


Channel: TypeAlias = Literal["SMS", "WHATSAPP", "EMAIL", "PUSH", "VOICE"] | str
"""
The channel of a message.
"""


@dataclass(frozen=True, kw_only=True)
class ChannelRevenue(Model):
    """
    Payments for the messages of a channel.
    """

    channel: Channel
    messages: int
    revenue: float


@dataclass(frozen=True, kw_only=True)
class ComplianceSummary(Model):
    """
    Compliance summary of an organization.
    """

    pending_approvals: int
    """
    Number of approvals of the organization that are pending.
    """
    suppression_count: int
    """
    Number of entries on the suppression list.
    """


ContactJobKind: TypeAlias = Literal["DELETE", "TAG"] | str
"""
The work of a job on each contact.
"""


ContactJobStatus: TypeAlias = Literal["QUEUED", "RUNNING", "COMPLETED", "FAILED"] | str
"""
The state of a job on many contacts.
"""


ContentWriter: TypeAlias = Literal["model", "rules"] | str
"""
The writer: a language model, or rules, which support some English only.
"""


@dataclass(frozen=True, kw_only=True)
class CountUse(Model):
    """
    Limit on a number of things, with the present number.
    """

    limit: int
    used: int


@dataclass(frozen=True, kw_only=True)
class CursorPagination(Model):
    """
    Position of a part in its list.
    """

    limit: int
    """
    Maximum number of items in a part.
    """
    next_cursor: str | None
    """
    Value of `after` for the next part; null at the end.
    """


@dataclass(frozen=True, kw_only=True)
class DeletedContact(Model):
    """
    Deleted contact.
    """

    deleted: bool
    """
    Always true.
    """
    id: str


@dataclass(frozen=True, kw_only=True)
class DeletedEvent(Model):
    """
    Deleted event.
    """

    deleted: bool
    """
    Always true.
    """
    id: str


@dataclass(frozen=True, kw_only=True)
class DeletedSegment(Model):
    """
    Deleted segment.
    """

    deleted: bool
    """
    Always true.
    """
    id: str


@dataclass(frozen=True, kw_only=True)
class DeletedSenderName(Model):
    """
    Deleted sender name.
    """

    deleted: bool
    """
    Always true.
    """
    id: str


@dataclass(frozen=True, kw_only=True)
class DeletedSendingWindow(Model):
    """
    Deleted window.
    """

    deleted: bool
    """
    Always true.
    """
    id: str


@dataclass(frozen=True, kw_only=True)
class DeletedSuppression(Model):
    """
    Deleted entry.
    """

    deleted: bool
    """
    Always true.
    """
    id: str


DependencyStatus: TypeAlias = Literal["ok", "error"] | str
"""
Health of a dependency.
"""


FailureCode: TypeAlias = (
    Literal[
        "INVALID_RECIPIENT",
        "RECIPIENT_OPTED_OUT",
        "RECIPIENT_SUPPRESSED",
        "NO_ROUTE",
        "BLOCKED_CONTENT",
        "SENDER_NOT_ALLOWED",
        "DEVICE_UNREGISTERED",
        "SESSION_WINDOW_CLOSED",
        "RECIPIENT_UNREACHABLE",
        "PROVIDER_THROTTLED",
        "PROVIDER_BUSY",
        "PROVIDER_AUTH",
        "PROVIDER_BALANCE",
        "PROVIDER_UNAVAILABLE",
        "PROVIDER_REJECTED",
        "UNKNOWN_OUTCOME",
        "UNDELIVERED",
        "NO_REPORT",
        "EXPIRED",
        "MISSING_VARIABLE",
        "CANCELLED",
        "COUNTRY_NOT_ALLOWED",
        "VELOCITY_LIMIT",
        "TRAFFIC_STOPPED",
    ]
    | str
)
"""
The reason for the failure or delay of a message. The service retries by itself until `expiresAt`; a message that is `FAILED` is final, and costs nothing (`refunded`).

Sending it again has the same result, unless something else changes first:
- `INVALID_RECIPIENT`: the recipient does not exist, or cannot receive this kind of message.
- `RECIPIENT_OPTED_OUT`: the recipient opted out at the provider.
- `RECIPIENT_SUPPRESSED`: the recipient is on the organization's suppression list.
- `DEVICE_UNREGISTERED`: the application was removed from the device; its token is invalid.
- `SESSION_WINDOW_CLOSED`: the recipient has not written within a day; send a template that the vendor stores.
- `NO_ROUTE`: no provider serves this channel and country.
- `COUNTRY_NOT_ALLOWED`: the organization's settings allow no messages to this country.
- `BLOCKED_CONTENT`: the provider or the screening refuses the text; change it.
- `SENDER_NOT_ALLOWED`: the provider refuses the sender name.
- `MISSING_VARIABLE`: a placeholder has no value for this recipient.
- `TRAFFIC_STOPPED`: the organization's codes to these numbers are stopped, because too few of them arrive.
- `CANCELLED`: it, or its campaign, was cancelled before a provider had it.

It may be sent again later:
- `VELOCITY_LIMIT`: the organization recently sent too many messages to these numbers, or to such countries.
- `RECIPIENT_UNREACHABLE`: the provider cannot reach this recipient now, for example because a mailbox is full.
- `PROVIDER_THROTTLED`, `PROVIDER_BUSY`: the provider accepts no more for now, or is given no more.
- `PROVIDER_UNAVAILABLE`: the provider cannot be reached, or is out of order.
- `PROVIDER_AUTH`, `PROVIDER_BALANCE`: the operator's account at the provider is refused, or is empty.
- `PROVIDER_REJECTED`: the provider refused it for a reason of its own.
- `UNDELIVERED`: the provider accepted it and later failed to deliver it.
- `EXPIRED`: its validity ended before a provider accepted it.

It may have arrived, so a repetition may be a duplicate:
- `UNKNOWN_OUTCOME`: the provider did not answer clearly, and has not reported since.
- `NO_REPORT`: the provider accepted it and never reported an outcome; the message stays `SENT`, and is paid.
"""


FigureDimension: TypeAlias = (
    Literal["channel", "campaign", "event", "template", "provider", "errorCode", "country"] | str
)
"""
The property by which messages are counted.
"""


FigureInterval: TypeAlias = Literal["day", "hour"] | str
"""
The length of the parts of a period.
"""


@dataclass(frozen=True, kw_only=True)
class FoundedOrganization(Model):
    """
    Newly created organization.
    """

    id: str
    name: str


@dataclass(frozen=True, kw_only=True)
class ImpersonatedOrganization(Model):
    """
    Organization as which an administrator acts.
    """

    id: str
    name: str


@dataclass(frozen=True, kw_only=True)
class ImportError(Model):
    """
    Row that failed, or was accepted without some of its cells, as `reason` then says.
    """

    column: str | None
    """
    Name of the column in the file; null if the row as a whole is wrong.
    """
    reason: str
    """
    Reason for people.
    """
    row: int
    """
    Number of the row as in a spreadsheet: the header is row 1.
    """


@dataclass(frozen=True, kw_only=True)
class ImportPreviewColumn(Model):
    """
    Column of a file.
    """

    field: str | None
    """
    Field of the contacts, or `attributes.` and a name; null if the column is ignored.
    """
    header: str
    """
    Name of the column in the file.
    """


@dataclass(frozen=True, kw_only=True)
class ImportPreviewRow(Model):
    """
    Row that would be imported.
    """

    attributes: dict[str, str]
    """
    Further attributes, by name.
    """
    country_code: str
    """
    Country of numbers without a calling code.
    """
    email: str | None
    fcm_token: str | None
    """
    Push token of the device.
    """
    first_name: str | None
    last_name: str | None
    phone: str | None
    """
    Number in E.164.
    """
    row: int
    """
    Number of the row as in a spreadsheet: the header is row 1.
    """
    tags: list[str]


ImportStatus: TypeAlias = Literal["QUEUED", "PROCESSING", "COMPLETED", "FAILED"] | str
"""
The state of an import.
"""


ImportUndoStatus: TypeAlias = Literal["QUEUED", "PROCESSING", "COMPLETED", "FAILED"] | str
"""
The state of the undo of an import. A `FAILED` one did not end within the week for which it is known what the import created; what was done stays so.
"""


InvoiceKind: TypeAlias = Literal["TOP_UP", "STATEMENT"] | str
"""
`TOP_UP` requests a payment to the wallet; `STATEMENT` reports its movements.
"""


InvoiceStatus: TypeAlias = Literal["OPEN", "PAID", "VOID"] | str
"""
The state of an invoice. Statements are paid, because the wallet paid before.
"""


IssueSeverity: TypeAlias = Literal["info", "low", "medium", "high"] | str
"""
The severity of an issue. `info` adds nothing to the score; a single `high` issue requires approval.
"""


LedgerAccount: TypeAlias = (
    Literal["GATEWAY_CLEARING", "TRIAL", "REVENUE", "REFUNDS", "MANUAL_PAYMENTS", "ADJUSTMENTS"] | str
)
"""
The account on the other side of a movement.
"""


LedgerKind: TypeAlias = (
    Literal["TRIAL_CREDIT", "MESSAGE_DEBIT", "MESSAGE_REFUND", "TOP_UP", "MANUAL_CREDIT", "CORRECTION"] | str
)
"""
The reason for a movement.
"""


@dataclass(frozen=True, kw_only=True)
class Liveness(Model):
    """
    Liveness of the process.
    """

    status: str
    """
    Always `ok`.
    """


@dataclass(frozen=True, kw_only=True)
class LowWallet(Model):
    """
    A wallet whose balance fell below the threshold of its organization.
    """

    balance: float
    currency: str
    low_balance_threshold: float
    """
    The setting `lowBalanceThreshold` of the organization.
    """
    updated_at: datetime
    """
    The time of the last change.
    """


@dataclass(frozen=True, kw_only=True)
class MessageFigureTotals(Model):
    """
    Sums of all rows.
    """

    cost: float
    delivered: int
    failed: int
    pending: int
    segments: int
    sent: int


@dataclass(frozen=True, kw_only=True)
class MonthRevenue(Model):
    """
    Payments for the messages of a month.
    """

    messages: int
    month: str
    revenue: float


@dataclass(frozen=True, kw_only=True)
class Notice(Model):
    """
    Confirmation for people.
    """

    message: str


@dataclass(frozen=True, kw_only=True)
class OptOut(Model):
    """
    Number and code by which recipients stop the organization's promotion.
    """

    number: str | None
    ussd: str | None


@dataclass(frozen=True, kw_only=True)
class OrganizationProfile(Model):
    """
    Profile of an organization.
    """

    business_email: str | None
    business_phone: str | None
    compliance_acknowledged: bool
    default_language: str | None
    industry: str | None
    monthly_volume: int | None
    """
    Number of messages a month that it expects to send.
    """
    onboarding_complete: bool
    preferred_channels: list[Channel]
    timezone: str | None
    website: str | None


@dataclass(frozen=True, kw_only=True)
class OrganizationSettings(Model):
    """
    Settings of an organization for its messages.
    """

    allow_premium_numbers: bool
    """
    True if it writes to premium-rate and shared-cost numbers.
    """
    allowed_countries: list[str] | None
    """
    Countries to which it writes; null for all that a provider serves.
    """
    daily_spending_limit: float | None
    """
    Maximum spending in GHS in a day of UTC; null for no limit.
    """
    low_balance_threshold: float | None
    """
    Balance in GHS below which owners and administrators are notified; null for none.
    """
    opt_out: OptOut | None
    """
    Number and code by which recipients stop its promotion; null if there are none.
    """
    time_zone: str
    """
    Time zone of the organization, as named in the IANA database.
    """
    velocity_limit: int | None
    """
    Maximum number of messages within an hour to a thousand consecutive numbers; null for 200.
    """


@dataclass(frozen=True, kw_only=True)
class Pagination(Model):
    """
    Position of a page in its list.
    """

    limit: int
    """
    Maximum number of items in a page.
    """
    page: int
    """
    Number of the page, from 1.
    """
    total: int
    """
    Number of items in all; a lower bound, if `isLowerBound`.
    """
    total_pages: int
    """
    Number of pages.
    """
    is_lower_bound: bool | None = None
    """
    True if there are more items than `total`, which no page shows. Absent if `total`
    is exact.
    """


PausedReason: TypeAlias = Literal["USER", "INSUFFICIENT_BALANCE", "SPENDING_LIMIT_REACHED"] | str
"""
The reason for the pause of a campaign.
"""


PaymentExceptionReason: TypeAlias = (
    Literal[
        "UNKNOWN_REFERENCE",
        "AMOUNT_TOO_SMALL",
        "OTHER_CURRENCY",
        "OTHER_MODE",
        "DISPUTED",
        "REFUNDED",
        "ORGANIZATION_CLOSED",
    ]
    | str
)
"""
The reason why a payment could not be credited, or is reversed: `DISPUTED` by the payer, or `REFUNDED` at the gateway. A reversed amount stays in the wallet until an administrator decides.
"""


PaymentMethod: TypeAlias = Literal["mobile_money", "card", "invoice"] | str
"""
The method of payment.
"""


PhoneType: TypeAlias = Literal["MOBILE", "FIXED_LINE", "OTHER"] | str
"""
The type of a phone number. `MOBILE` if the numbering plan does not distinguish mobile phones from fixed lines, as in North America.
"""


@dataclass(frozen=True, kw_only=True)
class Plan(Model):
    """
    A subscription.
    """

    currency: str
    """
    The currency of the fee.
    """
    features: list[str]
    """
    Further features.
    """
    id: str
    included_messages: int
    """
    Number of messages included in a month.
    """
    monthly_fee: float
    """
    Monthly fee.
    """
    name: str


PlatformRole: TypeAlias = Literal["PLATFORM_SUPER_ADMIN"] | str
"""
The role of a user on the platform.
"""


@dataclass(frozen=True, kw_only=True)
class PricingRule(Model):
    """
    A price for one segment of a message.
    """

    channel: Channel
    country_code: str | None
    """
    The recipient's country; null for any, `001` for numbers of none.
    """
    currency: str
    """
    The currency of the price.
    """
    id: str
    unit_price: float
    """
    The price of one segment.
    """


ProviderHealthEventKind: TypeAlias = Literal["CHECK", "BREAKER", "DEMOTION"] | str
"""
The kind of an event in a provider's health.
"""


@dataclass(frozen=True, kw_only=True)
class ProviderRoute(Model):
    """
    A country that a provider serves.
    """

    country_code: str
    """
    The country; `*` for any.
    """
    priority: int
    """
    Rank among providers: the lowest is tried first.
    """


ProviderStatus: TypeAlias = Literal["UP", "DEGRADED", "DOWN"] | str
"""
Availability of a provider.
"""


@dataclass(frozen=True, kw_only=True)
class Queue(Model):
    """
    Messages on their way to providers.
    """

    active: int
    """
    Messages in flight, on all instances.
    """
    completed: int
    """
    Messages that a provider accepted from this instance.
    """
    failed: int
    """
    Messages that failed for good on this instance.
    """
    waiting: int
    """
    Messages that wait for a worker or for their next try, on all instances; 10 000 at most for
    each priority.
    """
    workers: int
    """
    Number of workers of this instance.
    """


@dataclass(frozen=True, kw_only=True)
class RateLimit(Model):
    """
    Rate limit.
    """

    burst: int
    """
    Number allowed at once.
    """
    per_second: int
    """
    Number that flows in per second.
    """


@dataclass(frozen=True, kw_only=True)
class RateUse(Model):
    """
    Token bucket: a full one allows `burst` at once, and `perSecond` flow in again.
    """

    available: int
    """
    Number of tokens available now.
    """
    burst: int
    """
    Number of tokens in a full bucket.
    """
    is_own: bool
    """
    True if the limit is the organization's own; else it is that of the installation.
    """
    per_second: int
    """
    Number of tokens that flow in per second.
    """


ReadyStatus: TypeAlias = Literal["ok", "unavailable"] | str
"""
Readiness of this instance to accept messages.
"""


@dataclass(frozen=True, kw_only=True)
class Received(Model):
    """
    Accepted callback.
    """

    received: bool
    """
    Always true.
    """


RecipientOutcome: TypeAlias = Literal["SENT", "SKIPPED", "FAILED"] | str
"""
What became of a recipient of a campaign.
"""


RecipientReason: TypeAlias = (
    Literal[
        "NO_ADDRESS",
        "INVALID_RECIPIENT",
        "RECIPIENT_OPTED_OUT",
        "RECIPIENT_SUPPRESSED",
        "NO_ROUTE",
        "BLOCKED_CONTENT",
        "SENDER_NOT_ALLOWED",
        "DEVICE_UNREGISTERED",
        "SESSION_WINDOW_CLOSED",
        "RECIPIENT_UNREACHABLE",
        "PROVIDER_THROTTLED",
        "PROVIDER_BUSY",
        "PROVIDER_AUTH",
        "PROVIDER_BALANCE",
        "PROVIDER_UNAVAILABLE",
        "PROVIDER_REJECTED",
        "UNKNOWN_OUTCOME",
        "UNDELIVERED",
        "NO_REPORT",
        "EXPIRED",
        "MISSING_VARIABLE",
        "CANCELLED",
        "COUNTRY_NOT_ALLOWED",
        "VELOCITY_LIMIT",
        "TRAFFIC_STOPPED",
    ]
    | str
)
"""
The reason why a recipient of a campaign was skipped or not reached: `NO_ADDRESS` (the contact has no address for the channel), or the reason for the failure of the message.
"""


RecommendationCode: TypeAlias = (
    Literal[
        "WALLET_RUNS_DRY",
        "WORSE_CHANNEL",
        "EVENT_WITHOUT_FALLBACK",
        "WEBHOOK_FAILS",
        "API_KEY_EXPIRES",
        "UNREACHABLE_RECIPIENTS",
        "COSTLY_CHARACTERS",
    ]
    | str
)
"""
An improvement that the figures suggest.
"""


@dataclass(frozen=True, kw_only=True)
class RecoveredWebhookDeliveries(Model):
    """
    Deliveries that are going to be tried again.
    """

    has_more: bool
    """
    True if there are more, which the same request recovers next.
    """
    recovered: int
    """
    Number of these deliveries.
    """


@dataclass(frozen=True, kw_only=True)
class RecoveryCodes(Model):
    """
    Codes for people who lost their authenticator app.
    """

    recovery_codes: list[str]
    """
    Ten codes, each of which works once.
    """


@dataclass(frozen=True, kw_only=True)
class RedisHealth(Model):
    """
    Redis, or its substitute.
    """

    latency_ms: int
    """
    Response time, in milliseconds.
    """
    message: str
    """
    State or problem, for people.
    """
    status: DependencyStatus


@dataclass(frozen=True, kw_only=True)
class RenderedTemplate(Model):
    """
    Texts of a template with values filled in.
    """

    body: str
    encoding: str | None
    """
    Alphabet as a text message, `GSM-7` or `UCS-2`; null on channels other than `SMS`.
    """
    missing: list[str]
    """
    Placeholders without a value.
    """
    segments: int | None
    """
    Number of parts as a text message; null on channels other than `SMS`.
    """
    subject: str | None


@dataclass(frozen=True, kw_only=True)
class RequestSizes(Model):
    """
    Maximum sizes of requests.
    """

    body_bytes: int
    """
    Bytes of a body.
    """
    bulk_messages: int
    """
    Messages of a bulk request.
    """
    import_bytes: int
    """
    Bytes of an imported file.
    """
    import_rows: int
    """
    Rows of an imported file.
    """


RequestedApprovalStatus: TypeAlias = Literal["PENDING", "APPROVED", "REJECTED", "WITHDRAWN"] | str
"""
The state of an approval. `WITHDRAWN`: the content changed or was deleted before a decision.
"""


ResendFailure: TypeAlias = (
    Literal["INSUFFICIENT_BALANCE", "SPENDING_LIMIT_REACHED", "ORGANIZATION_GONE"] | str
)
"""
The reason why sending failed messages again ended early.
"""


ResendStatus: TypeAlias = Literal["QUEUED", "PROCESSING", "COMPLETED", "FAILED"] | str
"""
The state of sending failed messages again.
"""


@dataclass(frozen=True, kw_only=True)
class ResendableCount(Model):
    """
    Messages that failed for one reason.
    """

    count: int
    """
    Number of messages.
    """
    error_code: FailureCode
    """
    Reason for the failure.
    """
    resendable: int
    """
    Number of those that would be sent again.
    """


@dataclass(frozen=True, kw_only=True)
class Revenue(Model):
    """
    Payments and balances of organizations.
    """

    channels: list[ChannelRevenue]
    """
    All channels, of all time.
    """
    currency: str
    """
    The currency of all amounts.
    """
    message_count: int
    """
    Number of live messages accepted, of all time.
    """
    months: list[MonthRevenue]
    """
    Last twelve months in UTC, the current one first.
    """
    total_revenue: float
    """
    Payments for messages, of all time, less refunds.
    """
    wallet_balances: float
    """
    Sum of all wallets.
    """


@dataclass(frozen=True, kw_only=True)
class RevokedApiKey(Model):
    """
    Revoked API key.
    """

    id: str
    revoked: bool
    """
    Always true.
    """


Role: TypeAlias = (
    Literal["TENANT_OWNER", "TENANT_ADMIN", "CAMPAIGN_MANAGER", "COMPLIANCE_REVIEWER", "DEVELOPER", "VIEWER"]
    | str
)
"""
The role of a member in an organization.
"""


Scope: TypeAlias = (
    Literal[
        "messages:send",
        "messages:read",
        "events:read",
        "events:trigger",
        "contacts:read",
        "contacts:write",
        "segments:read",
        "segments:write",
        "templates:read",
        "templates:write",
        "suppressions:read",
        "suppressions:write",
        "campaigns:read",
        "campaigns:write",
        "events:write",
        "webhooks:read",
        "webhooks:write",
        "analytics:read",
        "billing:read",
        "delivery-logs:read",
    ]
    | str
)
"""
A permission of an API key. `x-atumpan-scope` of an operation names the scope that opens it.
"""


@dataclass(frozen=True, kw_only=True)
class SecondFactorSecret(Model):
    """
    Secret of a second factor.
    """

    secret: str
    """
    Secret in base32, for people who type it into an app.
    """
    uri: str
    """
    Address with the secret, which an app reads as a QR code.
    """


SenderNameStatus: TypeAlias = Literal["PENDING_APPROVAL", "APPROVED", "REJECTED"] | str
"""
The state of a sender name.
"""


ServiceStatus: TypeAlias = Literal["ok", "degraded"] | str
"""
Health of the service as a whole.
"""


@dataclass(frozen=True, kw_only=True)
class StatementLine(Model):
    """
    The messages of one channel.
    """

    channel: Channel
    cost: float
    messages: int
    segments: int


Status: TypeAlias = Literal["QUEUED", "PENDING", "SENT", "DELIVERED", "FAILED"] | str
"""
The state of a message.
"""


SuppressionSource: TypeAlias = Literal["MANUAL", "STOP", "COMPLAINT", "UNSUBSCRIBE", "VENDOR"] | str
"""
The origin of an entry of a suppression list.
"""


@dataclass(frozen=True, kw_only=True)
class Tariff(Model):
    """
    Prices and plans of an organization.
    """

    plans: list[Plan]
    """
    Plans on offer. They are only shown and cannot be booked yet.
    """
    rules: list[PricingRule]
    """
    Prices. The most specific one applies.
    """


TemplateChannel: TypeAlias = Literal["SMS", "WHATSAPP", "EMAIL", "PUSH", "IN_APP", "VOICE"] | str
"""
The channel that a template is written for. `IN_APP` sends nothing; an event with such a template sends its text on the event's channels.
"""


TemplateStatus: TypeAlias = Literal["PENDING_APPROVAL", "APPROVED", "REJECTED", "WITHDRAWN"] | str
"""
The state of a template. Only a version can be `WITHDRAWN`: it was changed before a decision.
"""


@dataclass(frozen=True, kw_only=True)
class TenantLimits(Model):
    """
    Limits specific to an organization. Null: the limit of all others applies.
    """

    invoice_credit: float | None
    """
    Maximum sum in GHS that it may owe for invoices credited on issue. 0: every invoice is
    credited when it is paid. Without effect unless the installation credits invoices on issue.
    """
    live: RateLimit | None
    """
    Limit on live messages.
    """
    requests: RateLimit | None
    """
    Limit on requests that send no message.
    """
    sandbox: RateLimit | None
    """
    Limit on messages of the sandbox.
    """


TextFormat: TypeAlias = Literal["TEXT", "HTML"] | str
"""
The format of a text.
"""


TimelineEntryKind: TypeAlias = (
    Literal[
        "ACCEPTED",
        "SCHEDULED",
        "ATTEMPT",
        "HANDED_OVER",
        "REPORT",
        "FALLBACK",
        "REFUNDED",
        "CANCELLED",
        "WEBHOOK",
    ]
    | str
)
"""
The kind of an entry in the timeline of a message.
- `ACCEPTED`: the message was accepted and paid for.
- `SCHEDULED`: it was to wait for a time.
- `ATTEMPT`: a provider was called.
- `HANDED_OVER`: a provider took it.
- `REPORT`: its outcome became known, or is no longer waited for.
- `FALLBACK`: another channel of its event is tried after it, or was tried before.
- `REFUNDED`: its cost was paid back.
- `CANCELLED`: it was cancelled.
- `WEBHOOK`: a webhook was called for it.
"""


Timestamp: TypeAlias = datetime
"""
A point in time: RFC 3339 in UTC, to the millisecond.
"""


@dataclass(frozen=True, kw_only=True)
class TopUp(Model):
    """
    A top-up.
    """

    amount: float
    checkout_url: str | None
    """
    Page on which it is paid; null if it is not paid there.
    """
    currency: str
    reference: str
    """
    Reference of the payment or the invoice, or the one that an administrator gave.
    """
    status: str
    """
    `CREDITED` if the money is in the wallet, else `PENDING`.
    """


TopUpStatus: TypeAlias = Literal["PENDING", "CREDITED", "FAILED", "ABANDONED"] | str
"""
The state of a top-up. `ABANDONED` was not paid within three days; a later payment is still credited.
"""


@dataclass(frozen=True, kw_only=True)
class TrafficAlert(Model):
    """
    Alert that far fewer codes than usual arrived in a range of numbers.
    """

    codes: int
    """
    Number of codes to the range that were delivered or failed in the last one to two hours.
    """
    delivered: int
    """
    Number of these that were delivered.
    """
    found_at: Timestamp
    """
    Time at which it was found.
    """
    id: str
    lifted_at: Timestamp | None
    """
    Time at which the stop was lifted.
    """
    lifted_by: str | None
    """
    User who lifted the stop.
    """
    others_share: float | None
    """
    Share of the last codes of all other organizations that was delivered, 0–1; null if these
    are fewer than three.
    """
    range: str
    """
    Digits that the numbers of the range begin with.
    """
    stopped_until: Timestamp | None
    """
    Time until which codes to the range are or were stopped; null if they never were.
    """
    usual_share: float | None
    """
    Share of the organization's codes that was delivered in the seven days before, 0–1; if it
    had sent too few, that of other organizations, if these are three or more.
    """


@dataclass(frozen=True, kw_only=True)
class TriggeredChannel(Model):
    """
    State of one channel of a triggered event.
    """

    channel: Channel
    error_code: FailureCode | None
    """
    Reason for which its message failed or is delayed; without a message, the reason for which
    the channel is skipped.
    """
    message_id: str | None
    """
    Identifier of its message; null until the channel is tried.
    """
    status: Status | None
    """
    The status of its message.
    """


@dataclass(frozen=True, kw_only=True)
class Unsubscribed(Model):
    """
    Unsubscription of a recipient from advertising.
    """

    category: str
    """
    Always `MARKETING`.
    """
    channel: str
    """
    Channel on which advertising stops.
    """
    unsubscribed: bool
    """
    Always true.
    """


@dataclass(frozen=True, kw_only=True)
class Usage(Model):
    """
    Usage of one channel in one month.
    """

    channel: Channel
    cost: float
    """
    Payments for them, without refunds.
    """
    currency: str
    """
    The currency of the cost.
    """
    messages: int
    """
    Number of messages accepted, whatever their outcome.
    """
    month: str
    """
    The calendar month (UTC).
    """
    segments: int
    """
    Number of segments that were charged.
    """


@dataclass(frozen=True, kw_only=True)
class User(Model):
    """
    A user.
    """

    email: str
    email_verified: bool
    """
    True if the user has proved to read the mail of that address.
    """
    first_name: str
    id: str
    last_name: str
    platform_role: PlatformRole | None
    """
    Role on the platform itself; null for nearly everybody, and while impersonating.
    """
    second_factor: bool
    """
    True if logins need a code beside the password.
    """


@dataclass(frozen=True, kw_only=True)
class VelocityLimits(Model):
    """
    Maximum number of messages to some numbers within an hour, campaigns aside. Further ones are
    accepted, and fail at no cost.
    """

    is_own: bool
    """
    True if `perNumberBlock` is the organization's own; else it is that of the installation.
    """
    per_number_block: int
    """
    To a block of a thousand consecutive numbers.
    """
    per_unusual_country: int
    """
    To a country that the organization has not named and does not usually send to.
    """
    to_unusual_countries: int
    """
    To all such countries together.
    """


@dataclass(frozen=True, kw_only=True)
class VendorTemplate(Model):
    """
    Template that the vendor has approved and stores.
    """

    button: str | None
    """
    The placeholder that fills its button.
    """
    language: str
    name: str
    parameters: list[str]
    """
    The placeholders that fill `{{1}}`, `{{2}}`, … of its text.
    """


@dataclass(frozen=True, kw_only=True)
class VerifiedPayment(Model):
    """
    Payment that is credited to the wallet.
    """

    amount: float
    balance: float
    """
    Balance of the wallet.
    """
    reference: str
    status: str
    """
    `CREDITED` if the money was credited now, `ALREADY_PROCESSED` if before.
    """


@dataclass(frozen=True, kw_only=True)
class Wallet(Model):
    """
    Wallet of an organization.
    """

    balance: float
    """
    Current balance.
    """
    currency: str
    """
    The currency of the balance.
    """
    updated_at: Timestamp
    """
    Time at which it last changed.
    """


@dataclass(frozen=True, kw_only=True)
class WalletCorrection(Model):
    """
    Correction of a wallet.
    """

    amount: float
    """
    Change of the balance: below zero for a debit.
    """
    balance: float
    """
    Balance of the wallet.
    """
    created_at: Timestamp
    currency: str
    id: str
    """
    Identifier of the correction, and of the movement in the ledger.
    """
    reason: str


@dataclass(frozen=True, kw_only=True)
class WalletLowEvent(Model):
    """
    The balance of the wallet is low.
    """

    created_at: datetime
    data: LowWallet
    event: Literal["wallet.low"]
    id: str
    organization_id: str


WebhookDeactivation: TypeAlias = Literal["GONE", "FAILING"] | str
"""
The reason for which the service deactivated a webhook endpoint.
"""


WebhookDeliveryError: TypeAlias = (
    Literal[
        "STATUS_NOT_SUCCESSFUL",
        "DEACTIVATED",
        "URL_REFUSED",
        "NOT_RESOLVED",
        "ADDRESS_REFUSED",
        "NOT_CONNECTED",
        "TLS_FAILED",
        "TIMED_OUT",
        "BROKEN",
    ]
    | str
)
"""
The reason for which a delivery to a webhook endpoint did not succeed. `STATUS_NOT_SUCCESSFUL`: the answer was not 2xx. `DEACTIVATED`: the endpoint was deactivated before the delivery.
"""


WebhookDeliveryStatus: TypeAlias = Literal["PENDING", "DELIVERED", "FAILED"] | str
"""
The state of a delivery to a webhook endpoint.
"""


WebhookEvent: TypeAlias = (
    Literal[
        "message.status.updated",
        "contact.opted_out",
        "campaign.completed",
        "campaign.started",
        "import.completed",
        "template.approved",
        "template.rejected",
        "wallet.low",
        "top_up.completed",
    ]
    | str
)
"""
An event that webhooks report.
"""


@dataclass(frozen=True, kw_only=True)
class WebhookTest(Model):
    """
    Result of a test of a webhook endpoint.
    """

    delivered: bool
    """
    True if the receiver answered 2xx in time.
    """
    duration_ms: int
    error: WebhookDeliveryError | None
    """
    Reason for which it was not delivered.
    """
    status_code: int | None
    """
    Status of the receiver's answer; null without one.
    """


Weekday: TypeAlias = (
    Literal["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"] | str
)
"""
A day of the week.
"""


@dataclass(frozen=True, kw_only=True)
class WorkersHealth(Model):
    """
    The workers.
    """

    message: str
    """
    State or problem, for people.
    """
    notification_send: Queue
    status: DependencyStatus


@dataclass(frozen=True, kw_only=True)
class AdminPlan(Model):
    """
    Subscription, with its period of availability.
    """

    created_at: Timestamp
    currency: str
    """
    The currency of the fee.
    """
    ended_at: Timestamp | None
    """
    Time until which it could be booked.
    """
    features: list[str]
    """
    Further features.
    """
    id: str
    included_messages: int
    """
    Number of messages included in a month.
    """
    is_active: bool
    """
    True if it can be booked.
    """
    monthly_fee: float
    """
    Monthly fee.
    """
    name: str


@dataclass(frozen=True, kw_only=True)
class AdminPricingRule(Model):
    """
    Price for one segment of a message, with its period of validity.
    """

    channel: Channel
    country_code: str | None
    """
    The recipients' country; null for any, `001` for numbers of none.
    """
    created_at: Timestamp
    """
    Time from which it applies.
    """
    currency: str
    """
    The currency of the price.
    """
    ended_at: Timestamp | None
    """
    Time until which it applied.
    """
    id: str
    is_active: bool
    """
    True if it is in force.
    """
    organization_id: str | None
    """
    Organization with which it is agreed; null for all.
    """
    unit_price: float
    """
    The price of one segment.
    """


@dataclass(frozen=True, kw_only=True)
class AnalyticsOverview(Model):
    """
    Last thirty days, compared with the thirty days before.
    """

    currency: str
    """
    The currency of `spend`.
    """
    daily: list[AnalyticsDay]
    """
    All days, oldest first.
    """
    delivered: int
    """
    Number of these that reached their recipients.
    """
    delivery_rate: float | None
    """
    Delivered ÷ (delivered + failed), from 0 to 1; null without either.
    """
    failed: int
    """
    Number of these that failed.
    """
    from_: str
    """
    The first day.
    """
    sent: int
    """
    Number of messages accepted, whatever their outcome.
    """
    spend: float
    """
    Payments for the messages, without refunds.
    """
    to: str
    """
    The last day, which is the present one.
    """
    trends: AnalyticsTrends


@dataclass(frozen=True, kw_only=True)
class ApiKey(Model):
    """
    An API key, without the key itself.
    """

    created_at: Timestamp
    created_by: str | None
    """
    The user who created it; null if that was not recorded.
    """
    expires_at: Timestamp | None
    """
    Time at which it expires; null for never.
    """
    id: str
    is_sandbox: bool
    """
    True if it is a key of the sandbox, whose messages are only simulated.
    """
    last_used_at: Timestamp | None
    """
    Time of its last use, to five minutes.
    """
    name: str
    """
    Name that its owner gave it.
    """
    prefix: str
    """
    First characters of the key, for recognition.
    """
    scopes: list[Scope]
    """
    Scopes of the key.
    """


@dataclass(frozen=True, kw_only=True)
class ApiKeyLimits(Model):
    """
    Rate limits of an API key, which all keys of the organization with the same mode share.
    """

    messages: RateUse | None
    """
    Messages; a message counts one for every started 16 kB. Null: not limited.
    """
    requests: RateUse | None
    """
    Requests that send no message. Null: not limited.
    """


@dataclass(frozen=True, kw_only=True)
class ApprovalContent(Model):
    """
    Content to approve.
    """

    body: str
    body_truncated: bool
    """
    True if `body` is cut. Lists show the first 10,000 characters of a text.
    """
    long_variables: bool
    """
    True if values of any length may replace placeholders.
    """
    subject: str | None
    vendor_template: VendorTemplate | None
    """
    Template that the vendor stores, which is sent instead. It belongs to the account
    of the operator, and the approval gives it to the organization.
    """


@dataclass(frozen=True, kw_only=True)
class Attempt(Model):
    """
    Attempt to hand a message to a provider.
    """

    ended_at: Timestamp | None
    """
    Time at which it ended; null until then.
    """
    error_code: FailureCode | None
    """
    Reason for which it was not accepted.
    """
    outcome: AttemptOutcome | None
    """
    Outcome; null until it ended.
    """
    provider: str
    provider_message_id: str | None
    """
    The provider's own identifier of the message.
    """
    started_at: Timestamp
    vendor_code: str | None
    """
    The provider's own code for the reason.
    """


@dataclass(frozen=True, kw_only=True)
class AuditLine(Model):
    """
    Action of an administrator.
    """

    action: str
    """
    Name of the action.
    """
    actor: AuditActor
    at: Timestamp
    details: dict[str, Any]
    """
    Further details.
    """
    hash: str
    """
    SHA-256 of the hash of the line before it and of its own content.
    """
    id: str
    impersonated: bool
    """
    True if it was done while acting as the organization.
    """
    organization_id: str
    request_id: str | None
    """
    `X-Request-Id` of the answer; null in lines from before it was recorded.
    """
    resource_id: str
    """
    Identifier of the resource concerned.
    """
    resource_type: str
    """
    Type of the resource concerned.
    """
    sequence: int
    """
    Number of the line in its organization, from 1.
    """


@dataclass(frozen=True, kw_only=True)
class BackgroundTask(Model):
    """
    Background task of an instance.
    """

    failures: int
    """
    Number of turns that failed.
    """
    first_failed_at: Timestamp | None
    """
    Time of the first of the failures since it last succeeded; null while it works.
    """
    is_failing: bool
    """
    True if its last turn failed.
    """
    last_duration_ms: int
    """
    Duration of the last turn, in milliseconds.
    """
    last_error: str | None
    """
    Its last error, also while it works again; null if there was none.
    """
    last_succeeded_at: Timestamp | None
    """
    Time at which it last succeeded; null if it has not yet.
    """
    name: str
    turns: int
    """
    Number of its turns.
    """


@dataclass(frozen=True, kw_only=True)
class CampaignReason(Model):
    """
    Contacts that a campaign skipped or did not reach for one reason.
    """

    count: int
    """
    Number of contacts.
    """
    reason: RecipientReason
    """
    Reason.
    """


@dataclass(frozen=True, kw_only=True)
class CampaignRecipient(Model):
    """
    Recipient of a campaign.
    """

    contact_id: str | None
    """
    Contact; null once it is erased.
    """
    message_id: str | None
    """
    Its message; null if it has no address.
    """
    outcome: RecipientOutcome
    reason: RecipientReason | None
    """
    Reason for which it was skipped or not reached.
    """
    recipient: str | None
    """
    Address to which the message goes; null if the contact has none.
    """


@dataclass(frozen=True, kw_only=True)
class CampaignSample(Model):
    """
    A message as a contact would get it.
    """

    body: str
    """
    Text of the message; with its placeholders, if it is not sent.
    """
    contact_id: str
    cost: float
    """
    Cost, in GHS.
    """
    error_code: FailureCode | None
    """
    Reason for which it would not be sent, if so.
    """
    error_message: str | None
    """
    The same reason, for people.
    """
    recipient: str
    segments: int
    subject: str | None


@dataclass(frozen=True, kw_only=True)
class Consent(Model):
    """
    Consent of a contact to get messages.
    """

    at: Timestamp
    """
    Time at which the person consented.
    """
    source: str
    """
    Occasion or form by which the person consented.
    """


@dataclass(frozen=True, kw_only=True)
class ContactJob(Model):
    """
    Job on many contacts.
    """

    count: int
    """
    Number of contacts that were selected.
    """
    created_at: Timestamp
    created_by: str
    """
    User who requested it, or who made the API key.
    """
    done: int
    """
    Number of contacts so far that were worked on.
    """
    finished_at: Timestamp | None
    """
    Time of its end.
    """
    id: str
    kind: ContactJobKind
    """
    Work on each contact.
    """
    status: ContactJobStatus
    """
    State of the job. A failed one was given up; what was done stays so.
    """


@dataclass(frozen=True, kw_only=True)
class ContactSuppression(Model):
    """
    Entry of the suppression list for a contact.
    """

    category: Category | None
    """
    Only category to which it applies; null for all.
    """
    channel: Channel | None
    """
    Only channel to which it applies; null for all.
    """
    created_at: Timestamp
    id: str
    reason: str | None
    source: SuppressionSource
    """
    Origin of the entry.
    """


@dataclass(frozen=True, kw_only=True)
class CurrentApiKey(ApiKey):
    """
    API key of the request.
    """

    limits: ApiKeyLimits
    organization: ApiKeyOwner


@dataclass(frozen=True, kw_only=True)
class DailySpending(Model):
    """
    Spending of today, in UTC.
    """

    currency: str
    daily_limit: float | None
    """
    Maximum spending in a day; null for no limit.
    """
    resets_at: Timestamp
    """
    Time at which the day ends.
    """
    spent_today: float
    """
    Spending of today, without refunds.
    """


@dataclass(frozen=True, kw_only=True)
class DatabaseHealth(Model):
    """
    The database.
    """

    message: str
    """
    State or problem, for people.
    """
    status: DependencyStatus


@dataclass(frozen=True, kw_only=True)
class DeliveryLog(Model):
    """
    Message, with the state of its delivery.
    """

    attempt_count: int
    """
    Number of attempts to hand it to providers.
    """
    attempts: list[Attempt]
    """
    Attempts to hand it to providers, oldest first: of many the first 5 and the last 15.
    """
    body: str
    """
    Text, with placeholders filled. In an `OTP` the values, or else what may be a
    code, are `••••••` once its outcome is final, and after an hour at the latest; always in
    webhooks, and for members other than owners, administrators and developers.
    """
    body_truncated: bool
    """
    True if `body` is cut. Lists show the first 10,000 characters of a text.
    """
    campaign_id: str | None
    """
    Campaign that it belongs to.
    """
    category: Category
    """
    Category of its content.
    """
    channel: Channel
    contact_id: str | None
    """
    Contact for whom it was written, if it belongs to a campaign, or is the first message
    of a trigger for a contact.
    """
    cost: float
    """
    Price charged, in GHS. It stays when the message fails: the amount paid in the end is zero
    if `refunded`, else this.
    """
    country_code: str
    """
    The recipient's country; `001` for numbers that belong to none.
    """
    created_at: Timestamp
    """
    Time at which it was accepted.
    """
    delivered_at: Timestamp | None
    """
    Time at which its arrival was confirmed.
    """
    error_code: FailureCode | None
    """
    Reason for its failure or delay, or `NO_REPORT`, for programs.
    """
    error_message: str | None
    """
    Reason for its failure or delay, for people.
    """
    event: str | None
    """
    Slug of the event that it notifies of.
    """
    expires_at: Timestamp
    """
    Time after which it is not tried any more.
    """
    id: str
    internal_message_id: str
    """
    The identifier under which providers know the message.
    """
    is_sandbox: bool
    """
    True if it belongs to the sandbox and is only simulated.
    """
    is_scheduled: bool
    """
    True while it waits for the time for which it was scheduled.
    """
    metadata: dict[str, str]
    """
    Pairs by which the sender's systems know it.
    """
    net_cost: float
    """
    Amount paid in the end, in GHS: zero if the cost was refunded.
    """
    not_before: Timestamp | None
    """
    Earliest time of sending, if it was scheduled, or if quiet hours or a pause of its
    campaign delay it.
    """
    provider: str | None
    """
    Provider that has it, or had it last.
    """
    recipient: str
    """
    The destination, normalised.
    """
    refunded: bool
    """
    True if the cost was refunded, as it is when a message fails.
    """
    resent_from: str | None
    """
    Failed message that it repeats.
    """
    scheduled_at: Timestamp | None
    """
    Time for which it was scheduled; null if it was to go at once.
    """
    segments: int
    """
    Number of segments that are charged.
    """
    sender_id: str | None
    """
    Sender that was requested.
    """
    sent_at: Timestamp | None
    """
    Time at which a provider accepted it.
    """
    status: Status
    subject: str | None
    """
    Subject line. In an `OTP` it is masked like the text.
    """
    template_id: str | None
    """
    Template of the text.
    """


@dataclass(frozen=True, kw_only=True)
class Dependencies(Model):
    """
    Dependencies of the service.
    """

    database: DatabaseHealth
    redis: RedisHealth
    workers: WorkersHealth


@dataclass(frozen=True, kw_only=True)
class Health(Model):
    """
    Health of the service.
    """

    dependencies: Dependencies
    service: str
    """
    The name of the service.
    """
    status: ServiceStatus
    """
    `degraded` if anything below is not `ok`.
    """
    tasks: BackgroundTasksHealth
    timestamp: Timestamp
    """
    Time of the check.
    """


@dataclass(frozen=True, kw_only=True)
class Impersonation(Model):
    """
    A session in which an administrator acts as an organization.
    """

    expires_at: Timestamp
    """
    Time at which the token expires.
    """
    organization: ImpersonatedOrganization
    token: str
    """
    The token for the header `Authorization: Bearer …`.
    """


@dataclass(frozen=True, kw_only=True)
class Import(Model):
    """
    Import of a file.
    """

    completed_at: Timestamp | None
    """
    Time at which the last row was processed.
    """
    consent_source: str | None
    """
    Source of the consent of all contacts of the file; null if none was given.
    """
    created: int
    """
    Number of rows so far that created something.
    """
    created_at: Timestamp
    failed: int
    """
    Number of rows so far that failed. At the end the three add up to `totalRows`.
    """
    file_name: str | None
    """
    Name of the file.
    """
    fixed_lines: int
    """
    Number of contact rows accepted so far whose phone is a fixed line, which
    receives no SMS.
    """
    id: str
    same_as: str | None
    """
    Import of the same bytes within the 24 hours before; null if there was none that
    was neither undone nor failed.
    """
    status: ImportStatus
    """
    State of the import.
    """
    total_rows: int
    """
    Number of rows, without the header, blank lines and rows of separators.
    """
    undo_status: ImportUndoStatus | None
    """
    State of the undo; null if none was requested.
    """
    undone: int
    """
    Number of contacts so far that the undo deleted.
    """
    undone_at: Timestamp | None
    """
    Time at which the undo ended.
    """
    updated: int
    """
    Number of rows so far that updated something.
    """


@dataclass(frozen=True, kw_only=True)
class ImportPreview(Model):
    """
    Beginning of a file of contacts, as an import would understand it.
    """

    columns: list[ImportPreviewColumn]
    """
    Columns of the file, in its order.
    """
    errors: list[ImportError]
    """
    Rows among the first 1,000 (fewer, if they have more than 2 MiB) that would fail, or be
    accepted without some of their cells.
    """
    rows: list[ImportPreviewRow]
    """
    First ten rows that would be imported.
    """


@dataclass(frozen=True, kw_only=True)
class ImportWithErrors(Import):
    """
    Import of a file, with its failed rows.
    """

    errors: list[ImportError]
    """
    First 1,000 rows so far that failed, or were accepted without some of their cells.
    """


@dataclass(frozen=True, kw_only=True)
class Invitation(Model):
    """
    An open invitation.
    """

    created_at: Timestamp
    email: str
    expires_at: Timestamp
    """
    Time at which the link stops to work.
    """
    id: str
    invited_by: str
    """
    User who invited, or sent the invitation again.
    """
    role: Role
    """
    Role that the invited person gets.
    """


@dataclass(frozen=True, kw_only=True)
class Invoice(Model):
    """
    An invoice.
    """

    amount: float
    """
    Amount to pay; for a statement, the cost of messages less refunds.
    """
    currency: str
    due_at: Timestamp | None
    """
    Time by which it is to be paid; null for a statement.
    """
    id: str
    issued_at: Timestamp
    kind: InvoiceKind
    number: str
    """
    Number of the invoice. The numbers of an organization begin with 1 and have no gaps.
    """
    paid_at: Timestamp | None
    status: InvoiceStatus


@dataclass(frozen=True, kw_only=True)
class Issue(Model):
    """
    Issue found in a text.
    """

    code: str
    """
    Name of the rule. It does not change.
    """
    match: str | None
    """
    Passage of the text; null if something is missing.
    """
    message: str
    """
    Description of the issue.
    """
    position: int | None
    """
    Start of the passage, in characters from 0. A subject precedes the text, on a line of its own.
    """
    remedy: str
    """
    Suggested correction.
    """
    severity: IssueSeverity
    weight: int
    """
    Points that it adds to the score.
    """


@dataclass(frozen=True, kw_only=True)
class LedgerMovement(Model):
    """
    A movement of the wallet.
    """

    account: LedgerAccount
    """
    Account on the other side, which changed by the opposite amount.
    """
    amount: float
    """
    Change of the balance, in GHS.
    """
    created_at: Timestamp
    """
    Time of the movement; for messages, the last time.
    """
    hash: str | None
    """
    Hash of the entry, 64 hexadecimal digits; null until it is entered.
    """
    id: str | None
    """
    Identifier; null for payments of messages in the last minutes.
    """
    kind: LedgerKind
    """
    Reason for the movement.
    """
    messages: int
    """
    Number of messages.
    """
    reference: str | None
    """
    Reference to the purpose of the movement.
    """
    sequence: int | None
    """
    Number of the entry in the ledger; null until it is entered.
    """


@dataclass(frozen=True, kw_only=True)
class ListedTopUp(Model):
    """
    A payment through the gateway. `top_up.completed` reports the same ([`TopUp::to_json`]).
    """

    amount: float
    created_at: Timestamp
    credited_at: Timestamp | None
    """
    Time at which the money was in the wallet; null before.
    """
    currency: str
    id: str
    payment_method: PaymentMethod
    reference: str
    """
    Reference of the payment.
    """
    status: TopUpStatus


@dataclass(frozen=True, kw_only=True)
class Member(Model):
    """
    A member of an organization.
    """

    email: str
    email_verified: bool
    """
    True if the user has proved to read the mail of that address.
    """
    first_name: str
    joined_at: Timestamp
    last_name: str
    role: Role
    user_id: str


@dataclass(frozen=True, kw_only=True)
class Membership(Model):
    """
    An organization that a user belongs to.
    """

    closed_at: Timestamp | None
    """
    Time at which an owner closed it; null if it is open.
    """
    id: str
    name: str
    role: Role
    """
    Role of the user in the organization.
    """


@dataclass(frozen=True, kw_only=True)
class MessageFigure(Model):
    """
    Messages of one day or hour with one value.
    """

    at: Timestamp
    """
    Beginning of the day or hour.
    """
    cost: float
    """
    Payments for them, without refunds.
    """
    delivered: int
    """
    Number of these that reached their recipients.
    """
    failed: int
    """
    Number of these that failed.
    """
    is_other: bool
    """
    True if the row stands for all values without rows of their own.
    """
    name: str | None
    """
    Name of the campaign, event or template; null if it is deleted, and for all other values.
    """
    pending: int
    """
    Number of these that did neither yet, or whose outcome was not reported.
    """
    segments: int
    """
    Number of their segments.
    """
    sent: int
    """
    Number of messages accepted, whatever their outcome.
    """
    value: str | None
    """
    A name of a channel, provider or error, the identifier of a campaign or template, the slug of
    an event, or a country code; null for messages that no provider has taken, and with `isOther`.
    """


@dataclass(frozen=True, kw_only=True)
class MessageFigures(Model):
    """
    Numbers of messages by day or hour and one property.
    """

    by: FigureDimension
    currency: str
    """
    The currency of all costs.
    """
    figures: list[MessageFigure]
    """
    Days or hours and values that have messages, oldest first.
    """
    from_: Timestamp
    """
    Beginning of the first day or hour.
    """
    interval: FigureInterval
    to: Timestamp
    """
    End of the last day or hour.
    """
    totals: MessageFigureTotals


@dataclass(frozen=True, kw_only=True)
class MessageStatusUpdatedEvent(Model):
    """
    The delivery status of a message changed.
    """

    created_at: datetime
    data: DeliveryLog
    event: Literal["message.status.updated"]
    id: str
    organization_id: str


@dataclass(frozen=True, kw_only=True)
class NewApiKey(ApiKey):
    """
    Newly created API key.
    """

    key: str
    """
    The key itself. It is shown only once and stored nowhere.
    """


@dataclass(frozen=True, kw_only=True)
class OpenSession(Model):
    """
    A session of the user that has not ended.
    """

    address: str
    """
    Network address from which the user signed in.
    """
    created_at: Timestamp
    """
    Time at which the user signed in.
    """
    id: str
    is_current: bool
    """
    True if it is the session of this request.
    """
    last_used_at: Timestamp
    """
    Time of its last use, to ten minutes.
    """
    user_agent: str | None
    """
    Program with which the user signed in, as it names itself; null if it does not.
    """


@dataclass(frozen=True, kw_only=True)
class OptedOut(Model):
    """
    A recipient who opted out of a channel.
    """

    channel: Channel
    contact_id: str | None
    """
    The contact with the address, if there is one.
    """
    source: SuppressionSource
    email: str | None = None
    phone: str | None = None


@dataclass(frozen=True, kw_only=True)
class Organization(OrganizationProfile):
    """
    An organization, with its wallet and its members.
    """

    closed_at: Timestamp | None
    """
    Time at which an owner closed it; null if it is open.
    """
    created_at: Timestamp
    id: str
    members: list[Member]
    """
    The members, in the order in which they joined.
    """
    name: str
    settings: OrganizationSettings
    """
    Settings of its messages.
    """
    wallet: Balance


@dataclass(frozen=True, kw_only=True)
class OrganizationLimits(Model):
    """
    Limits of an organization, with their usage.
    """

    campaigns: CountUse
    """
    Campaigns that have not ended.
    """
    contact_bytes: CountUse
    """
    Size of the contacts, in bytes.
    """
    contact_imports: CountUse
    """
    Imports of contacts that are not done.
    """
    contacts: CountUse
    daily_approvals: CountUse
    """
    Approvals of templates and campaigns that were requested in the last 24 hours.
    """
    daily_imports: CountUse
    """
    Files that were imported in the last 24 hours.
    """
    daily_texts: CountUse | None
    """
    Texts that a language model wrote in the last 24 hours. Null: not limited.
    """
    events: CountUse
    invoices: CountUse
    """
    Invoices that are open.
    """
    live: RateUse | None
    """
    Live messages; a message counts one for every started 16 kB. Null: not limited.
    """
    pending_approvals: CountUse
    """
    Approvals of templates and campaigns that are pending.
    """
    requests: RateUse | None
    """
    Requests that send no message. Null: not limited.
    """
    sandbox: RateUse | None
    """
    Messages of the sandbox. Null: not limited.
    """
    segments: CountUse
    sender_names: CountUse
    sizes: RequestSizes
    spending: DailySpending
    suppression_imports: CountUse
    """
    Imports of suppression lists that are not done.
    """
    suppressions: CountUse
    """
    Entries of the suppression list. Those that recipients make are never refused.
    """
    template_bytes: CountUse
    """
    Size of the stored versions of all templates, in bytes.
    """
    templates: CountUse
    urgent: RateUse
    """
    Messages of the categories `OTP` and `ALERT` that are sent before all others. Further ones
    are not refused. Each instance of the service counts for itself.
    """
    velocity: VelocityLimits | None
    """
    Limits on messages to similar numbers. Null: not limited.
    """
    webhook_endpoints: CountUse
    """
    Webhook endpoints that are active.
    """


@dataclass(frozen=True, kw_only=True)
class PaymentException(Model):
    """
    Payment that succeeded and could not be credited.
    """

    amount: float | None
    """
    Paid amount; null if the gateway does not report it.
    """
    comment: str | None
    """
    Comment on the resolution.
    """
    currency: str | None
    """
    Currency of the paid amount.
    """
    expected_amount: float | None
    """
    Amount of the top-up, in GHS; null if there is none.
    """
    id: str
    noticed_at: Timestamp
    organization_id: str | None
    """
    Organization of the payment, if known.
    """
    reason: PaymentExceptionReason
    reference: str
    """
    Reference of the payment at the gateway.
    """
    resolved_at: Timestamp | None
    resolved_by: str | None
    """
    The user who resolved it.
    """


@dataclass(frozen=True, kw_only=True)
class PlatformUser(Model):
    """
    A user, as platform administrators see them.
    """

    created_at: Timestamp
    email: str
    email_verified: bool
    """
    True if the user has proved to read the mail of that address.
    """
    first_name: str
    id: str
    last_name: str
    platform_role: PlatformRole | None
    """
    Role on the platform itself; null for nearly everybody.
    """
    second_factor: bool
    """
    True if logins need a second factor.
    """


@dataclass(frozen=True, kw_only=True)
class Profile(User):
    """
    User, with the organizations that they belong to.
    """

    organizations: list[Membership]
    """
    The organizations that the user belongs to; for an administrator who impersonates one, that one.
    """


@dataclass(frozen=True, kw_only=True)
class ProviderHealth(Model):
    """
    Result of a check of a provider.
    """

    checked_at: Timestamp
    latency_ms: int | None
    message: str
    status: ProviderStatus


@dataclass(frozen=True, kw_only=True)
class ProviderHealthEvent(Model):
    """
    Event in a provider's health.
    """

    at: Timestamp
    event: ProviderHealthEventKind
    latency_ms: int | None
    message: str
    """
    Reason for people.
    """
    status: str
    """
    Resulting state: `UP`, `DEGRADED` or `DOWN`; `OPEN`, `PROBING` or `CLOSED`; or the number of
    steps that it is demoted.
    """


@dataclass(frozen=True, kw_only=True)
class Readiness(Model):
    """
    Readiness of this instance for its main work.
    """

    status: ReadyStatus


@dataclass(frozen=True, kw_only=True)
class Recommendation(Model):
    """
    Suggested improvement.
    """

    code: RecommendationCode
    evaluated_at: Timestamp | None
    """
    Time of the evaluation.
    """
    message: str
    """
    Reason and action, for people.
    """
    messages_at_stake: int
    """
    Approximate number of messages in thirty days that are concerned. It determines
    the order.
    """
    metric: str
    """
    Metric that `value` measures.
    """
    title: str
    value: float
    """
    Figure that led to the recommendation.
    """


@dataclass(frozen=True, kw_only=True)
class RefusedItem(Model):
    """
    Item of a request with `partial` that is wrong. Nothing was sent for it.
    """

    channel: Channel | None
    """
    Channel that the item names.
    """
    cost: float
    """
    Always 0.
    """
    error_code: str
    """
    Always `VALIDATION_ERROR`.
    """
    field_errors: dict[str, Any]
    """
    Faults by the path of the field in the item. Empty in a replay that finds no fault any more.
    """
    id: str | None
    """
    Always null.
    """
    internal_message_id: str | None
    """
    Always null.
    """
    recipient: str | None
    """
    Recipient as the item has it.
    """
    status: Status
    """
    Always `FAILED`.
    """


@dataclass(frozen=True, kw_only=True)
class RefusedRequest(Model):
    """
    Request that was answered with an error.
    """

    address: str
    """
    Network address of the client.
    """
    api_key_id: str | None
    """
    API key with which it was made; null for a session.
    """
    at: Timestamp
    """
    Time of the answer.
    """
    code: str
    """
    Code of the error.
    """
    id: str
    """
    `X-Request-Id` of the answer. Not unique, if the client sent it more than once.
    """
    message: str
    """
    Message of the error; its first 255 characters.
    """
    method: str
    path: str
    """
    Path without the query; its first 255 characters.
    """
    sampled: bool
    """
    True if it stands for several requests, which were not kept.
    """
    status: int
    """
    Status of the answer.
    """
    user_id: str | None
    """
    User who made it; null for an API key.
    """


@dataclass(frozen=True, kw_only=True)
class RequestedApproval(Model):
    """
    Approval that the organization requested.
    """

    comment: str | None
    """
    Comment of the administrator who decided.
    """
    created_at: Timestamp
    """
    Time of the request.
    """
    id: str
    name: str
    """
    Name of the template, the campaign or the sender name.
    """
    resource_id: str
    """
    Identifier of the template, the campaign or the sender name.
    """
    reviewed_at: Timestamp | None
    """
    Time of the decision; null if there is none.
    """
    risk_score: int
    """
    Risk score, 0 to 100.
    """
    status: RequestedApprovalStatus
    type: ApprovalType


@dataclass(frozen=True, kw_only=True)
class Resend(Model):
    """
    Progress of sending failed messages again.
    """

    completed_at: Timestamp | None
    """
    Time of its end.
    """
    count: int
    """
    Number of failed messages.
    """
    created_at: Timestamp
    failure: ResendFailure | None
    """
    Reason why it ended early.
    """
    id: str
    is_capped: bool
    """
    True if there may be more.
    """
    resent: int
    """
    Number of messages so far that were sent again.
    """
    skipped: int
    """
    Number of messages so far that were not, because they cannot be, or were before.
    """
    status: ResendStatus
    """
    State of the work.
    """


@dataclass(frozen=True, kw_only=True)
class ResendForecast(Model):
    """
    Failed messages, and the cost of sending them again.
    """

    by_reason: list[ResendableCount]
    """
    Messages by the reason for their failure, most messages first.
    """
    cost: float
    """
    Cost of those that would be sent again, at the prices of now.
    """
    count: int
    """
    Number of failed messages.
    """
    currency: str
    """
    The currency of the cost.
    """
    is_capped: bool
    """
    True if there may be more, because only the newest 100,000 failures were looked at.
    """


@dataclass(frozen=True, kw_only=True)
class RestoredSession(Model):
    """
    Session of an administrator.
    """

    expires_at: Timestamp
    """
    Time at which the token expires.
    """
    token: str
    """
    The token for the header `Authorization: Bearer …`.
    """


@dataclass(frozen=True, kw_only=True)
class RetriedWebhookDelivery(Model):
    """
    Delivery that is going to be tried once more.
    """

    id: str
    status: WebhookDeliveryStatus


@dataclass(frozen=True, kw_only=True)
class Segment(Model):
    """
    Subset of the contacts.
    """

    contact_count: int
    """
    Number of members.
    """
    counted_at: Timestamp
    """
    Time at which the members were counted.
    """
    created_at: Timestamp
    description: str | None
    id: str
    is_dynamic: bool
    """
    True if contacts join and leave as they fit the rules; if false, the members are those that
    fitted at its creation.
    """
    name: str
    rules: dict[str, Any]
    """
    Rules of membership, as they were written.
    """
    warnings: list[str]
    """
    Keys of the rules that are attributes and look like fields; except in lists also
    attributes that contacts have in another case only; after a creation or change also another
    segment that has the same name in any case.
    """


@dataclass(frozen=True, kw_only=True)
class SenderName(Model):
    """
    A sender name.
    """

    channel: Channel
    country_code: str
    """
    Country of the recipients who see it.
    """
    created_at: Timestamp
    id: str
    name: str
    """
    Name as recipients see it.
    """
    status: SenderNameStatus


@dataclass(frozen=True, kw_only=True)
class SendingWindow(Model):
    """
    Hours in which messages of a category may go to a country.
    """

    category: Category
    closes: str
    """
    Closing time; on the next day, if it is not after `opens`.
    """
    country_code: str
    created_at: Timestamp
    id: str
    is_active: bool
    """
    True if it is in force.
    """
    opens: str
    source: str
    """
    The rule that it follows.
    """
    utc_offset: str
    weekdays: list[Weekday]
    """
    Days on which it opens.
    """


@dataclass(frozen=True, kw_only=True)
class Session(Model):
    """
    A session.
    """

    expires_at: Timestamp
    """
    Time at which the token expires.
    """
    token: str
    """
    The token for the header `Authorization: Bearer …`.
    """
    user: User


@dataclass(frozen=True, kw_only=True)
class Statement(Model):
    """
    Movements of a wallet within a month. `openingBalance`, all credits and `refunds`, less
    `debits`, are `closingBalance`.
    """

    adjustments: float
    """
    All other changes of the balance.
    """
    closing_balance: float
    """
    Balance at the end of the month.
    """
    debits: float
    """
    Payments for messages.
    """
    lines: list[StatementLine]
    """
    Messages that were accepted.
    """
    manual_credits: float
    """
    Payments that platform administrators recorded.
    """
    month: str
    """
    The month, in UTC.
    """
    opening_balance: float
    """
    Balance at the beginning of the month.
    """
    refunds: float
    """
    Refunds of messages that failed.
    """
    top_ups: float
    """
    Payments through the gateway.
    """
    trial_credits: float
    turn_of_month: float
    """
    Difference between `debits` and the costs of `lines`: messages that were accepted at
    midnight of the first or the last day count in one month and may be paid in the other.
    """


@dataclass(frozen=True, kw_only=True)
class Suppression(Model):
    """
    An entry of a suppression list.
    """

    category: Category | None
    """
    Only category to which it applies; null for all.
    """
    channel: Channel | None
    """
    Only channel to which it applies; null for all.
    """
    created_at: Timestamp
    email: str | None
    id: str
    phone: str | None
    reason: str | None
    source: SuppressionSource
    """
    Origin of the entry.
    """


@dataclass(frozen=True, kw_only=True)
class Template(Model):
    """
    Prepared text with placeholders.
    """

    body: str
    body_truncated: bool
    """
    True if `body` is cut. Lists show the first 10,000 characters of a text.
    """
    category: Category
    channel: TemplateChannel
    comment: str | None
    """
    Comment of the user who decided about it.
    """
    country_code: str
    created_at: Timestamp
    format: TextFormat | None
    """
    Format of its text; null if not stated.
    """
    id: str
    issues: list[Issue]
    """
    Issues that were found in it.
    """
    language: str
    long_variables: bool
    """
    True if values may be long although the category needs approval.
    """
    name: str
    risk_score: int
    """
    Risk score, 0 to 100.
    """
    short_variables: list[str] | None
    """
    Placeholders with short values; null if not stated.
    """
    status: TemplateStatus
    subject: str | None
    variables: list[str]
    vendor_template: VendorTemplate | None
    """
    Template of the vendor for `WHATSAPP`.
    """
    version: int
    """
    Number of its version, from 1.
    """


@dataclass(frozen=True, kw_only=True)
class TemplateApprovedEvent(Model):
    """
    A template was approved.
    """

    created_at: datetime
    data: Template
    event: Literal["template.approved"]
    id: str
    organization_id: str


@dataclass(frozen=True, kw_only=True)
class TemplateRejectedEvent(Model):
    """
    A template was rejected.
    """

    created_at: datetime
    data: Template
    event: Literal["template.rejected"]
    id: str
    organization_id: str


@dataclass(frozen=True, kw_only=True)
class TemplateVersion(Model):
    """
    Version of a template.
    """

    body: str
    created_at: Timestamp
    created_by: str | None
    """
    The user who wrote it.
    """
    risk_score: int
    status: TemplateStatus
    subject: str | None
    version: int


@dataclass(frozen=True, kw_only=True)
class Tenant(Model):
    """
    An organization, as platform administrators see it.
    """

    closed_at: Timestamp | None
    """
    Time at which an owner closed it; null if it is open.
    """
    created_at: Timestamp
    currency: str
    """
    The currency of the wallet.
    """
    id: str
    limits: TenantLimits
    """
    Limits that differ from those of others.
    """
    member_count: int
    """
    Number of members.
    """
    name: str
    screening: bool
    """
    True if texts that it sends directly are scored before they are handed to a provider.
    """
    suspended_at: Timestamp | None
    """
    Time at which it was suspended; null if it may send.
    """
    suspension_reason: str | None
    """
    Reason for the suspension.
    """
    wallet_balance: float
    """
    Balance of its wallet.
    """


@dataclass(frozen=True, kw_only=True)
class TimelineEntry(Model):
    """
    Entry of a timeline.
    """

    amount: float | None
    """
    Amount paid or paid back, in GHS.
    """
    at: Timestamp
    code: str | None
    """
    Reason for programs: the `FailureCode`; the other channel of a `FALLBACK`; the HTTP status of
    a `WEBHOOK`, or the reason for which it did not answer.
    """
    kind: TimelineEntryKind
    provider: str | None
    """
    Provider that it is about.
    """
    text: str
    """
    Sentence for people, which may change.
    """


@dataclass(frozen=True, kw_only=True)
class TopUpCompletedEvent(Model):
    """
    A top-up was credited.
    """

    created_at: datetime
    data: ListedTopUp
    event: Literal["top_up.completed"]
    id: str
    organization_id: str


@dataclass(frozen=True, kw_only=True)
class TriggeredEvent(DeliveryLog):
    """
    Result of a triggered event: the delivery log of the message that is current.
    """

    channels: list[TriggeredChannel]
    """
    Channels of the event, in their order.
    """
    event: str
    """
    The slug of the event.
    """


@dataclass(frozen=True, kw_only=True)
class WebhookDelivery(Model):
    """
    Delivery of an event to a webhook endpoint.
    """

    attempted_at: Timestamp | None
    """
    Time of the last attempt.
    """
    attempts: int
    """
    Number of attempts, since its recovery if it was recovered.
    """
    body: dict[str, Any]
    """
    Body of the request. The request has all of a text in `data.body`; here are its first 10,000
    characters, and `data.bodyTruncated` is true if there are more.
    """
    created_at: Timestamp
    duration_ms: int | None
    """
    Duration of the last call, in milliseconds.
    """
    error: WebhookDeliveryError | None
    """
    Reason for which it did not succeed.
    """
    event: WebhookEvent
    id: str
    """
    Identifier of the event, which receivers see as `webhook-id`.
    """
    next_attempt_at: Timestamp | None
    """
    Time of the next attempt; null if there is none.
    """
    status: WebhookDeliveryStatus
    status_code: int | None
    """
    Status of the receiver's last answer.
    """


@dataclass(frozen=True, kw_only=True)
class WebhookEndpoint(Model):
    """
    Address at which an organization receives events.
    """

    all_events: bool
    """
    True if these are all events, including future ones.
    """
    created_at: Timestamp
    deactivation: WebhookDeactivation | None
    """
    Reason for which the service deactivated it, if it did.
    """
    events: list[WebhookEvent]
    """
    Events that it is subscribed to.
    """
    failing_since: Timestamp | None
    """
    Time since which every call has failed, if the last one did.
    """
    id: str
    is_active: bool
    """
    True if it receives events.
    """
    previous_secret_until: Timestamp | None
    """
    Time until which the previous secret also signs, or did.
    """
    url: str


@dataclass(frozen=True, kw_only=True)
class WebhookEndpointWithSecret(WebhookEndpoint):
    """
    Webhook endpoint with a new secret.
    """

    secret: str
    """
    Signing secret of the endpoint. It is shown only once.
    """


@dataclass(frozen=True, kw_only=True)
class Acceptance(Model):
    """
    Accepted invitation, with the session that it began if it created an account.
    """

    expires_at: Timestamp | None
    """
    Time at which the token expires.
    """
    organization: Membership
    """
    Organization that the user belongs to from now on.
    """
    token: str | None
    """
    Token of the session; null if the user was signed in.
    """
    user: User


@dataclass(frozen=True, kw_only=True)
class Approval(Model):
    """
    Content that needs approval, and the decision about it.
    """

    comment: str | None
    content: ApprovalContent
    decided_at: Timestamp | None
    decided_by: str | None
    """
    User who decided.
    """
    id: str
    issues: list[Issue]
    """
    Issues that were found in it.
    """
    name: str
    """
    Name that its organization gave it.
    """
    organization_id: str
    requested_at: Timestamp
    requested_by: str
    """
    User who requested the approval.
    """
    resource_id: str
    """
    Identifier of the template, the campaign or the sender name.
    """
    risk_score: int
    """
    Risk score, 0 to 100.
    """
    status: ApprovalStatus
    type: ApprovalType


BulkResult: TypeAlias = DeliveryLog | RefusedItem
"""
The delivery log of a message. With `partial`, the place of a wrong item says what is wrong with it.
"""


@dataclass(frozen=True, kw_only=True)
class Campaign(Model):
    """
    Text sent to many contacts. `campaign.completed` reports the same ([`CampaignProgress::to_json`]).
    """

    audience: int | None
    """
    Number of contacts at its start; null before. Once it is completed, of those that it passed:
    `sent`, `skipped` and `failed` add up to it.
    """
    body: str | None
    """
    Its own text.
    """
    body_truncated: bool
    """
    True if `body` is cut. Lists show the first 10,000 characters of a text.
    """
    by_reason: list[CampaignReason]
    """
    Contacts that were skipped or not reached by the reason, most contacts first.
    """
    channel: Channel
    completed_at: Timestamp | None
    """
    Time from which none of its messages waited any more.
    """
    cost: float
    """
    Cost of its messages, without those that were refunded.
    """
    created_at: Timestamp
    created_by: str
    """
    User who created it.
    """
    currency: str
    """
    The currency of the cost.
    """
    delivered: int
    """
    Number of messages that are `DELIVERED`.
    """
    failed: int
    """
    Number of messages that are `FAILED`, without those of contacts that were skipped.
    """
    format: TextFormat | None
    """
    Format of its own text; null if not stated.
    """
    id: str
    is_sandbox: bool
    """
    True if it is rehearsed in the sandbox.
    """
    metadata: dict[str, str]
    """
    Metadata of all its messages.
    """
    name: str
    paused_reason: PausedReason | None
    """
    Reason for which it is paused, if it is.
    """
    queued: int
    """
    Number of messages that no provider has yet.
    """
    scheduled_at: Timestamp | None
    segment_id: str | None
    sender_id: str | None
    """
    Sender that its messages request.
    """
    sent: int
    """
    Number of messages that are `SENT` or `DELIVERED`.
    """
    skipped: int
    """
    Number of contacts to whom nothing was to be sent: they have no address for its
    channel, are suppressed, or lack a value that the text needs.
    """
    started_at: Timestamp | None
    """
    Time at which it started.
    """
    status: CampaignStatus
    subject: str | None
    """
    Its own subject line.
    """
    template_id: str | None
    unreachable: int
    """
    Number of contacts without an address for its channel. They were skipped.
    """


@dataclass(frozen=True, kw_only=True)
class CampaignCompletedEvent(Model):
    """
    A campaign finished.
    """

    created_at: datetime
    data: Campaign
    event: Literal["campaign.completed"]
    id: str
    organization_id: str


@dataclass(frozen=True, kw_only=True)
class CampaignPreview(Model):
    """
    Expected result of a campaign.
    """

    audience: int
    """
    Number of contacts in its audience.
    """
    cost: float
    """
    Cost of the messages, in GHS.
    """
    currency: str
    is_estimate: bool
    """
    True if `unreachable`, `refused`, `withoutConsent`, `segments` and `cost` are projected from a part
    of the contacts.
    """
    issues: list[Issue]
    """
    Issues that were found in it.
    """
    refused: int
    """
    Number of others that would get nothing: they lack a value that the text needs, are
    suppressed, or cannot be reached by any provider.
    """
    requires_approval: bool
    """
    True if it would wait for approval.
    """
    risk_score: int
    """
    Risk score of the text as `MARKETING`, 0 to 100.
    """
    samples: list[CampaignSample]
    """
    Three of its messages.
    """
    segments: int
    """
    Number of segments of the messages.
    """
    unreachable: int
    """
    Number of these without an address for its channel.
    """
    without_consent: int | None
    """
    Number of contacts without a recorded consent; null unless the category is `MARKETING`.
    """


@dataclass(frozen=True, kw_only=True)
class CampaignStartedEvent(Model):
    """
    A campaign started.
    """

    created_at: datetime
    data: Campaign
    event: Literal["campaign.started"]
    id: str
    organization_id: str


@dataclass(frozen=True, kw_only=True)
class CheckedMessage(Model):
    """
    Result of checking a text.
    """

    encoding: str
    """
    Alphabet as a text message, `GSM-7` or `UCS-2`.
    """
    estimated_cost: float | None
    """
    Cost of one recipient, in GHS. Null without `channel` and `countryCode`, and
    without a price.
    """
    issues: list[Issue]
    """
    Issues, heaviest first.
    """
    requires_approval: bool
    """
    True if the score is 30 or more.
    """
    risk_score: int
    """
    Risk score, 0 to 100.
    """
    segments: int
    """
    Number of parts as a text message.
    """


@dataclass(frozen=True, kw_only=True)
class CompletedImport(Import):
    """
    An import whose rows are all processed.
    """

    kind: Literal["CONTACTS", "SUPPRESSIONS"] | str
    """
    The kind of the rows.
    """


@dataclass(frozen=True, kw_only=True)
class Contact(Model):
    """
    Person that the organization writes to.
    """

    attributes: dict[str, str]
    """
    Further attributes, by name.
    """
    consent: Consent | None
    """
    The person's consent to get messages; null if none is recorded.
    """
    country_code: str
    created_at: Timestamp
    email: str | None
    fcm_token: str | None
    first_name: str | None
    id: str
    last_message_at: Timestamp | None
    """
    Time at which the newest message to the phone, the email or the device was
    accepted, without those of the sandbox; null if there was none within 93 days.
    """
    last_name: str | None
    last_status: Status | None
    """
    Status of that message.
    """
    phone: str | None
    phone_type: PhoneType | None
    """
    Type of the phone by its numbering plan; null without a phone. A fixed line
    receives calls only.
    """
    suppressed: list[ContactSuppression]
    """
    Entries of the suppression list for the phone, the email or the device, newest
    first, at most a hundred for each.
    """
    tags: list[str]
    updated_at: Timestamp
    """
    Time at which a request or a file last wrote the contact.
    """


@dataclass(frozen=True, kw_only=True)
class ContactOptedOutEvent(Model):
    """
    A recipient opted out.
    """

    created_at: datetime
    data: OptedOut
    event: Literal["contact.opted_out"]
    id: str
    organization_id: str


@dataclass(frozen=True, kw_only=True)
class Content(Model):
    """
    Text, with the result of its check.
    """

    encoding: str
    """
    Alphabet as a text message, `GSM-7` or `UCS-2`.
    """
    issues: list[Issue]
    """
    Issues, heaviest first.
    """
    message: str
    notes: list[str]
    """
    Parts of the request that could not be fulfilled.
    """
    requires_approval: bool
    """
    True if the score is 30 or more.
    """
    risk_score: int
    """
    Risk score, 0 to 100.
    """
    segments: int
    """
    Number of parts as a text message, with its placeholders not filled.
    """
    subject: str | None
    """
    Subject of a new mail, or title of a new notification.
    """
    writer: ContentWriter


@dataclass(frozen=True, kw_only=True)
class DeliveryLogDetail(DeliveryLog):
    """
    Message, with the state of its delivery and its timeline.
    """

    timeline: list[TimelineEntry]
    """
    What happened to it, oldest first. The calls of webhooks are shown to those who may
    read the webhook endpoints; some are missing if the organization has very many events.
    """


@dataclass(frozen=True, kw_only=True)
class Event(Model):
    """
    Event that an organization notifies people of.
    """

    channel_priority: list[Channel]
    """
    The channels in the order in which they are tried.
    """
    country_code: str | None
    """
    Country of phone numbers without a calling code; null for `GH`.
    """
    created_at: Timestamp
    description: str | None
    fallback_rules: dict[str, Any] | None
    """
    Rules as they were written.
    """
    id: str
    is_active: bool
    """
    True if it may be triggered.
    """
    linked_templates: dict[str, Template]
    """
    Those templates, by channel.
    """
    name: str
    retry_rules: dict[str, Any] | None
    """
    Rules as they were written.
    """
    sender_id: str | None
    """
    Sender of its messages on the channels that can have it.
    """
    slug: str
    template: Template | None
    """
    Template with the identifier `templateId`.
    """
    template_id: str | None
    templates: dict[str, Any]
    """
    The templates of single channels.
    """


@dataclass(frozen=True, kw_only=True)
class ImportCompletedEvent(Model):
    """
    An import finished.
    """

    created_at: datetime
    data: CompletedImport
    event: Literal["import.completed"]
    id: str
    organization_id: str


@dataclass(frozen=True, kw_only=True)
class InvoiceDetails(Invoice):
    """
    Invoice with all its details.
    """

    statement: Statement | None
    """
    Details of a statement; null for other invoices.
    """


@dataclass(frozen=True, kw_only=True)
class Login(Session):
    """
    Session that a login began.
    """

    organizations: list[Membership]
    """
    The organizations that the user belongs to.
    """


@dataclass(frozen=True, kw_only=True)
class Provider(Model):
    """
    Provider that carries messages. Credentials are never shown.
    """

    channel: Channel
    health: ProviderHealth | None
    """
    Result of the latest check; null if there was none yet.
    """
    id: str
    is_active: bool
    """
    True if it is configured now.
    """
    kind: str
    """
    The vendor.
    """
    name: str
    """
    The operator's name for it.
    """
    routes: list[ProviderRoute]
    """
    Routes on which it may be used.
    """
    status: ProviderStatus
    """
    `DEGRADED` while it is tried after others because its reports are missing, `DOWN` while it
    is not used because it failed.
    """


@dataclass(frozen=True, kw_only=True)
class ProviderDetail(Provider):
    """
    Provider, with the latest events of its health.
    """

    health_history: list[ProviderHealthEvent]
    """
    Events, newest first, up to 100.
    """


@dataclass(frozen=True, kw_only=True)
class Registration(Session):
    """
    Session that a registration began.
    """

    organization: FoundedOrganization | None
    """
    Organization that was created, if one was named.
    """


@dataclass(frozen=True, kw_only=True)
class SegmentPreview(Model):
    """
    Result of evaluating rules.
    """

    count: int
    """
    Number of contacts that fit.
    """
    sample: list[Contact]
    """
    Newest contacts that fit, ten at most.
    """
    warnings: list[str]
    """
    Keys of the rules that are attributes and look like fields, and attributes that
    contacts have in another case only.
    """


@dataclass(frozen=True, kw_only=True)
class SelectedContacts(Model):
    """
    Contacts that a job would work on.
    """

    count: int
    """
    Number of contacts.
    """
    sample: list[Contact]
    """
    Newest of them, five at most.
    """


@dataclass(frozen=True, kw_only=True)
class SentCampaign(Campaign):
    """
    Campaign that was sent.
    """

    without_consent: int | None
    """
    Number of its contacts without a recorded consent, projected from a part of them if
    there are more than 2,000; null unless the category is `MARKETING`, and if they could not be
    counted in time.
    """


@dataclass(frozen=True, kw_only=True)
class TemplateDetail(Template):
    """
    A template with its versions.
    """

    versions: list[TemplateVersion]
    """
    Versions, newest first, including the current one.
    """


WebhookEvents: TypeAlias = (
    CampaignCompletedEvent
    | CampaignStartedEvent
    | ContactOptedOutEvent
    | ImportCompletedEvent
    | MessageStatusUpdatedEvent
    | TemplateApprovedEvent
    | TemplateRejectedEvent
    | TopUpCompletedEvent
    | WalletLowEvent
)
EVENTS: dict[str, type[Model]] = {
    "campaign.completed": CampaignCompletedEvent,
    "campaign.started": CampaignStartedEvent,
    "contact.opted_out": ContactOptedOutEvent,
    "import.completed": ImportCompletedEvent,
    "message.status.updated": MessageStatusUpdatedEvent,
    "template.approved": TemplateApprovedEvent,
    "template.rejected": TemplateRejectedEvent,
    "top_up.completed": TopUpCompletedEvent,
    "wallet.low": WalletLowEvent,
}
