"""Parts of requests.

Written by `python -m generator` from docs/openapi.json.
"""

from datetime import datetime
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict


class AcceptInvitationRequest(TypedDict):
    """
    The token of an invitation, and a new user if nobody is signed in.
    """

    email: NotRequired[str]
    """
    The invited address, which is also the default.
    """
    first_name: NotRequired[str]
    """
    Given name. Required without a session.
    """
    last_name: NotRequired[str]
    """
    Family name. Required without a session.
    """
    password: NotRequired[str]
    """
    Required without a session.
    """
    token: str
    """
    The token that was mailed.
    """


Category: TypeAlias = Literal[
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
"""
The category of a message.
"""


class ChangePasswordRequest(TypedDict):
    """
    The present password, and a new one.
    """

    current_password: str
    new_password: str


Channel: TypeAlias = Literal["SMS", "WHATSAPP", "EMAIL", "PUSH", "VOICE"]
"""
The channel of a message.
"""


class CheckMessageRequest(TypedDict):
    """
    A text to check.
    """

    category: NotRequired[Category]
    """
    The category of the text; `MARKETING` if absent.
    """
    channel: NotRequired[Channel]
    """
    The channel of the text. With `countryCode` the answer includes the cost.
    """
    country_code: NotRequired[str]
    """
    The country of the recipients.
    """
    message: str
    """
    The text.
    """
    sender_id: NotRequired[str]
    """
    The sender of the text. Nobody can answer a name, so a text message from one that can be stopped by a reply only gets an issue.
    """


class CloseOrganizationRequest(TypedDict):
    """
    The password of the user, and consent to lose the balance.
    """

    forfeit: NotRequired[bool]
    """
    True to give up the money in the wallet.
    """
    password: str


class ConfirmSecondFactorRequest(TypedDict):
    """
    The first code.
    """

    code: str
    """
    Code that the app shows.
    """


class ConsentRequest(TypedDict):
    """
    The consent of a contact.
    """

    at: datetime
    """
    The time of the consent, not in the future.
    """
    source: str
    """
    The occasion or form by which the person consented.
    """


class ContactFilterRequest(TypedDict):
    """
    Conditions that select contacts, all of which must fit. None of them may be null.
    """

    ids: NotRequired[list[str]]
    """
    Only these contacts.
    """
    search: NotRequired[str]
    """
    Only contacts whose name, phone or email contains this text, as in the list of contacts.
    """
    segment_id: NotRequired[str]
    """
    Only contacts of this segment.
    """
    suppressed: NotRequired[bool]
    """
    True for contacts of whom an address is suppressed, false for all others.
    """
    tag: NotRequired[str]
    """
    Only contacts with this tag, in any letter case.
    """


ContentStyle: TypeAlias = Literal["professional", "friendly", "urgent", "formal"]
"""
The style of a text.
"""


class CreateContactRequest(TypedDict):
    """
    A contact to create.
    """

    attributes: NotRequired[dict[str, str]]
    """
    Further attributes: texts of at most 500 characters, by names of at most 64.
    """
    consent: NotRequired[ConsentRequest]
    """
    The person's consent to get messages: its time and its source. It replaces the existing one as a whole.
    """
    country_code: NotRequired[str]
    """
    The country in which `phone` is dialled, if it has no calling code; `GH` if absent.
    """
    email: NotRequired[str]
    """
    An email address. Unique in the organization.
    """
    fcm_token: NotRequired[str]
    """
    The push token of the device.
    """
    first_name: NotRequired[str]
    last_name: NotRequired[str]
    phone: NotRequired[str]
    """
    A number in E.164, or as dialled in the country. Unique in the organization.
    """
    tags: NotRequired[list[str]]
    """
    At most 50 characters each. Of tags that differ in letter case only, the first is kept.
    """


class CreateOrganizationRequest(TypedDict):
    """
    An organization to create.
    """

    name: str


class CreatePlanRequest(TypedDict):
    """
    A subscription.
    """

    features: NotRequired[list[str]]
    """
    Further features, in words.
    """
    included_messages: int
    """
    The number of messages included in a month.
    """
    monthly_fee: float
    """
    The monthly fee in GHS.
    """
    name: str


class CreatePricingRuleRequest(TypedDict):
    """
    A price for one segment of a message.
    """

    channel: Channel
    country_code: NotRequired[str]
    """
    The recipients' country, `001` for numbers of none; all if absent.
    """
    organization_id: NotRequired[str]
    """
    The organization with which it is agreed; all if absent.
    """
    unit_price: float
    """
    The price of one segment in GHS, with at most six decimals.
    """


class CreateSuppressionRequest(TypedDict):
    """
    An address to suppress: a phone number, an email address, or both.
    """

    category: NotRequired[Category]
    """
    The only category to which the entry applies; all if absent.
    """
    channel: NotRequired[Channel]
    """
    The only channel to which the entry applies; all if absent. If the channel does not use the given address, the entry applies to the address that the contact has on the channel.
    """
    email: NotRequired[str]
    """
    An email address.
    """
    phone: NotRequired[str]
    """
    A number, as for a message. Without a country code it is a number of Ghana.
    """
    reason: NotRequired[str]
    """
    The reason.
    """


class DecisionRequest(TypedDict):
    """
    A comment on a decision.
    """

    comment: NotRequired[str]
    """
    The reason, for the user who requested the approval.
    """


class DeleteContactsRequest(TypedDict):
    """
    Contacts to delete.
    """

    all: NotRequired[bool]
    """
    True to select all contacts; then the filter must be absent or empty.
    """
    dry_run: NotRequired[bool]
    """
    True to count the contacts and change nothing.
    """
    filter: NotRequired[ContactFilterRequest]
    """
    The conditions, all of which must fit.
    """


class EventFallbackRules(TypedDict):
    """
    Channels to try after the others, with their conditions. Other keys are stored.
    """

    after_seconds: NotRequired[int]
    """
    The number of seconds after the acceptance of a message after which the next channel is tried, if the message has not reached `untilStatus`. If absent, it is tried only if the message fails.
    """
    channels: NotRequired[list[Channel]]
    until_status: NotRequired[Literal["SENT", "DELIVERED"]]
    """
    `DELIVERED` if absent.
    """


class EventRetryRules(TypedDict):
    """
    Rules for retries of the messages of an event. Other keys are stored.
    """

    backoff_seconds: NotRequired[int]
    """
    The number of seconds between two rounds. A provider may request more.
    """
    max_attempts: NotRequired[int]
    """
    The maximum number of rounds of calls to providers. After that the message fails; if absent, the message is tried until it expires.
    """


FailureCode: TypeAlias = Literal[
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


FigureDimension: TypeAlias = Literal[
    "channel", "campaign", "event", "template", "provider", "errorCode", "country"
]
"""
The property by which messages are counted.
"""


FigureInterval: TypeAlias = Literal["day", "hour"]
"""
The length of the parts of a period.
"""


class ForgotPasswordRequest(TypedDict):
    """
    A request for a new password.
    """

    email: str


class GenerateContentRequest(TypedDict):
    """
    A request to write a text.
    """

    category: NotRequired[Category]
    """
    The category of the text; `TRANSACTIONAL` if absent.
    """
    channel: Channel
    """
    The channel of the text.
    """
    goal: str
    """
    A description of the purpose of the text. For an SMS at most 600 characters.
    """
    language: NotRequired[str]
    """
    The language, as a code or by name; `en` if absent.
    """
    max_segments: NotRequired[int]
    """
    The maximum number of parts of an SMS. If it nevertheless takes more, `notes` report it.
    """
    tone: NotRequired[str]
    """
    The style of the text. Rules support the styles of `/content/rewrite`.
    """
    variables: NotRequired[list[str]]
    """
    The names of the placeholders. The text contains all of them.
    """


class LoginRequest(TypedDict):
    """
    The credentials of a user.
    """

    code: NotRequired[str]
    """
    Code of the authenticator app. A user with a second factor needs it, or `recoveryCode`.
    """
    email: str
    password: str
    recovery_code: NotRequired[str]
    """
    Recovery code, in place of `code`.
    """


class MoveMessageRequest(TypedDict):
    """
    Another time for a scheduled message.
    """

    scheduled_at: datetime
    """
    The time at which it is to go, 1 minute to 90 days ahead, in the sandbox at most 6 days after it was accepted.
    """


class OptOutRequest(TypedDict):
    """
    The number and the code to opt out. Both are optional.
    """

    number: NotRequired[str]
    """
    A phone number in E.164 or as dialled in Ghana, or a short code of 3 to 6 digits.
    """
    ussd: NotRequired[str]
    """
    A code to dial, such as `*713*2#`.
    """


class PaymentExceptionResolution(TypedDict):
    """
    The resolution of a payment exception.
    """

    comment: str
    """
    A description of the resolution.
    """


PaymentMethod: TypeAlias = Literal["mobile_money", "card", "invoice"]
"""
The method of payment.
"""


PlatformRole: TypeAlias = Literal["PLATFORM_SUPER_ADMIN"]
"""
The role of a user on the platform.
"""


class RateLimitRequest(TypedDict):
    """
    A rate limit.
    """

    burst: int
    """
    The number allowed at once.
    """
    per_second: int
    """
    The number that flows in per second.
    """


RecipientOutcome: TypeAlias = Literal["SENT", "SKIPPED", "FAILED"]
"""
What became of a recipient of a campaign.
"""


RecipientReason: TypeAlias = Literal[
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
"""
The reason why a recipient of a campaign was skipped or not reached: `NO_ADDRESS` (the contact has no address for the channel), or the reason for the failure of the message.
"""


class RecoverWebhookDeliveriesRequest(TypedDict):
    """
    A selection of deliveries to retry.
    """

    since: datetime
    """
    Deliveries of events since this time, at most 30 days ago.
    """


class RegisterRequest(TypedDict):
    """
    A new user, optionally with a new organization.
    """

    email: str
    """
    The address to sign in with.
    """
    first_name: str
    """
    Given name.
    """
    last_name: str
    """
    Family name.
    """
    organization_name: NotRequired[str]
    """
    If present, an organization with this name and its wallet are created.
    """
    password: str


class RemoveSecondFactorRequest(TypedDict):
    """
    The password, and a code or a recovery code.
    """

    code: NotRequired[str]
    """
    Code of the app. Required without `recoveryCode`.
    """
    password: str
    recovery_code: NotRequired[str]
    """
    Recovery code, in place of `code`.
    """


class RenderTemplateRequest(TypedDict):
    """
    Values for the placeholders of a template.
    """

    channel: NotRequired[Channel]
    """
    The channel to show, for a template of `IN_APP`. For any other template it is the channel of the template, or absent.
    """
    variables: NotRequired[dict[str, str]]
    """
    Values for the placeholders, with the rules of messages: at most 10,000 characters each and 100,000 in total. They are escaped in an HTML body.
    """


RequestedApprovalStatus: TypeAlias = Literal["PENDING", "APPROVED", "REJECTED", "WITHDRAWN"]
"""
The state of an approval. `WITHDRAWN`: the content changed or was deleted before a decision.
"""


class ResendCampaignRequest(TypedDict):
    """
    Options for sending failed messages of a campaign again.
    """

    dry_run: NotRequired[bool]
    """
    True to count the messages and send nothing.
    """


class ResendFailedRequest(TypedDict):
    """
    Filters for failed messages, all of which must fit.
    """

    campaign_id: NotRequired[str]
    """
    Only messages of this campaign.
    """
    channel: NotRequired[Channel]
    """
    Only messages of this channel.
    """
    dry_run: NotRequired[bool]
    """
    True to count the messages and send nothing.
    """
    error_code: NotRequired[FailureCode]
    """
    Only messages that failed for this reason.
    """
    event: NotRequired[str]
    """
    Only messages that notify of the event with this slug.
    """
    from_: datetime
    """
    Only messages accepted at this time or later.
    """
    is_sandbox: NotRequired[bool]
    """
    True for messages of the sandbox, false for all others; the caller's mode if absent. With an API key it must agree with the mode of the key.
    """
    metadata: NotRequired[dict[str, str]]
    """
    Only messages with these pairs among their metadata.
    """
    provider: NotRequired[str]
    """
    Only messages that this provider had last.
    """
    recipient: NotRequired[str]
    """
    Only messages to this recipient, as a send would take it.
    """
    to: NotRequired[datetime]
    """
    Only messages accepted before this time, at most 31 days after `from`; now if absent.
    """


class ResendMessageRequest(TypedDict):
    """
    Options for sending a message again.
    """

    again: NotRequired[bool]
    """
    True to send it again though it was sent again before.
    """
    idempotency_key: NotRequired[str]
    """
    Within 24 hours the same request with the same key returns the first new message.
    """


class ResetPasswordRequest(TypedDict):
    """
    A new password.
    """

    password: str
    token: str
    """
    The token that was mailed.
    """


class RewriteContentRequest(TypedDict):
    """
    A text to rewrite.
    """

    category: NotRequired[Category]
    """
    The category of the text; `TRANSACTIONAL` if absent.
    """
    channel: NotRequired[Channel]
    """
    The channel of the text.
    """
    max_segments: NotRequired[int]
    """
    The maximum number of parts of an SMS. If it nevertheless takes more, `notes` report it.
    """
    message: str
    """
    The text. `{{name}}` is a placeholder for a value.
    """
    style: ContentStyle
    """
    The style of the text.
    """


Role: TypeAlias = Literal[
    "TENANT_OWNER", "TENANT_ADMIN", "CAMPAIGN_MANAGER", "COMPLIANCE_REVIEWER", "DEVELOPER", "VIEWER"
]
"""
The role of a member in an organization.
"""


class RotateApiKeyRequest(TypedDict):
    """
    The replacement of an API key.
    """

    overlap_hours: NotRequired[int]
    """
    The number of hours for which the present key remains valid; 24 if absent. With 0 it stops working at once, on every instance within a second.
    """


Scope: TypeAlias = Literal[
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
"""
A permission of an API key. `x-atumpan-scope` of an operation names the scope that opens it.
"""


class SecondFactorRequest(TypedDict):
    """
    The password of the user.
    """

    password: str


class SegmentRules(TypedDict):
    """
    Each key is a field of a contact with a condition; all conditions must be met. `{}` matches all contacts.

    **Keys**: `tags`, `countryCode`, `email`, `phone`, `firstName`, `lastName`, `createdAt`, `consent` (with `exists` only), `campaign`; any other is a key of the contact's `attributes`, in the same spelling (`city`). `attributes.x` is the attribute `x`, whatever its name. `all` and `any` take an array of rules, of which all or at least one must match; `not` takes rules that must not match.

    **Values**: a text, a number or a boolean must equal the field (a number or boolean as JSON writes it: `12`, `true`); for an array, one of its values must; an object has operators, all of which must match:
    - `contains`, `startsWith`: a part or the beginning of the text: `{"email": {"contains": "@example"}}`
    - `exists`: true if the contact must have the field, or any tag, false if not: `{"email": {"exists": false}}`
    - `in`: the same as an array: `{"countryCode": {"in": ["GH", "NG"]}}`
    - `not`: a value, an array or operators that must not match: `{"tags": {"not": ["vip", "gold"]}}`
    - `before`, `after`: for `createdAt` and attributes: `{"createdAt": {"after": "2026-01-31"}}`

    **Campaigns**: `{"campaign": {"id": "…", "outcome": "FAILED"}}` matches by what became of a campaign of the organization. `SENT`: a provider has accepted a message of it to the contact, which did not fail since. `FAILED`: its message failed. `SKIPPED`: it was passed over, is suppressed, or lacks a value that the text needs. An array stands for any of its outcomes.

    Null, empty arrays, empty objects of operators and empty texts to search for are refused.

    **Comparison**: texts are compared without letter case, names of attributes with it. `tags` match if one of them does. A missing field matches no condition, and therefore matches `not`. `countryCode` is an ISO 3166-1 code. A `phone` is compared in E.164: `0241234567` is `+233241234567`, and `startsWith` with `024` means `+23324`; `contains` searches for a part of E.164. A date is the whole day in UTC: `after` begins on the next day. A time has an offset (`2026-01-31T09:00:00Z`) and a precision of milliseconds. An attribute is `before` or `after` a date (not a time) if it begins with a date written as `2026-01-31`.

    At most 100 conditions, 1,000 values of at most 500 characters, 8 levels and 64 KiB.
    """


class SenderNameRequest(TypedDict):
    """
    A sender name to request.
    """

    channel: Channel
    """
    `SMS`, `WHATSAPP` or `VOICE`.
    """
    country_code: NotRequired[str]
    """
    The country of the recipients who are to see it; `GH` if absent.
    """
    name: str
    """
    For SMS a name of 1 to 11 letters, digits and spaces, or a number; for `WHATSAPP` and `VOICE` a number. A short code has 3 to 6 digits.
    """


SenderNameStatus: TypeAlias = Literal["PENDING_APPROVAL", "APPROVED", "REJECTED"]
"""
The state of a sender name.
"""


class SettingsUpdate(TypedDict):
    """
    Changes to the settings of an organization. Absent fields keep their values; null clears an amount.
    """

    allow_premium_numbers: NotRequired[bool]
    """
    True if messages to premium-rate and shared-cost numbers are allowed.
    """
    allowed_countries: NotRequired[list[str] | None]
    """
    The codes of the countries to whose numbers the organization writes; `001` for numbers of no country. Messages to others fail with `COUNTRY_NOT_ALLOWED`, at no cost. Null: all that a provider serves.
    """
    daily_spending_limit: NotRequired[float | None]
    """
    The maximum spending on messages in GHS in a day of UTC. Messages beyond it are refused with `SPENDING_LIMIT_REACHED`. Refunds do not raise the remaining amount. Null: no limit.
    """
    low_balance_threshold: NotRequired[float | None]
    """
    The balance in GHS below which owners and administrators are notified by email, once each time it is crossed. Null: no notification.
    """
    opt_out: NotRequired[OptOutRequest | None]
    """
    The number and the code by which recipients stop the organization's promotion. A promotional text that names one of them says how to get no more of it. They replace the existing ones. Null: none.
    """
    time_zone: NotRequired[str | None]
    """
    A time zone of the IANA database, the same as `timezone` of the organization. Null: `Africa/Accra`.
    """
    velocity_limit: NotRequired[int | None]
    """
    The maximum number of messages within an hour to a thousand consecutive numbers. Further ones fail with `VELOCITY_LIMIT`, at no cost. Campaigns are not limited. Null: 200.
    """


Status: TypeAlias = Literal["QUEUED", "PENDING", "SENT", "DELIVERED", "FAILED"]
"""
The state of a message.
"""


class SuspendRequest(TypedDict):
    """
    The reason for a suspension.
    """

    reason: str
    """
    The reason, in one line. It is shown to the owners.
    """


class TagContactsRequest(TypedDict):
    """
    Contacts whose tags change.
    """

    add: NotRequired[list[str]]
    """
    Tags that each of the contacts gets.
    """
    all: NotRequired[bool]
    """
    True to select all contacts; then the filter must be absent or empty.
    """
    dry_run: NotRequired[bool]
    """
    True to count the contacts and change nothing.
    """
    filter: NotRequired[ContactFilterRequest]
    """
    The conditions, all of which must fit.
    """
    remove: NotRequired[list[str]]
    """
    Tags that each of them loses.
    """


TemplateChannel: TypeAlias = Literal["SMS", "WHATSAPP", "EMAIL", "PUSH", "IN_APP", "VOICE"]
"""
The channel that a template is written for. `IN_APP` sends nothing; an event with such a template sends its text on the event's channels.
"""


TemplateStatus: TypeAlias = Literal["PENDING_APPROVAL", "APPROVED", "REJECTED", "WITHDRAWN"]
"""
The state of a template. Only a version can be `WITHDRAWN`: it was changed before a decision.
"""


class TenantLimitsUpdate(TypedDict):
    """
    Limits specific to an organization. Absent fields keep their values; null restores the general limit.
    """

    invoice_credit: NotRequired[float | None]
    """
    The maximum sum in GHS, with at most two decimals, that the organization may owe for invoices credited on issue. 0: every invoice is credited when it is paid. Without effect unless the installation credits invoices on issue.
    """
    live: NotRequired[RateLimitRequest | None]
    """
    The limit on live messages.
    """
    requests: NotRequired[RateLimitRequest | None]
    """
    The limit on requests that send no message.
    """
    sandbox: NotRequired[RateLimitRequest | None]
    """
    The limit on messages of the sandbox.
    """


class TenantUpdate(TypedDict):
    """
    Changes to the platform's settings of an organization. Absent fields keep their values.
    """

    limits: NotRequired[TenantLimitsUpdate]
    """
    Limits of the organization.
    """
    screening: NotRequired[bool]
    """
    True if texts that the organization sends directly are scored before they are handed to a provider. A text that scores 60 or more fails with `BLOCKED_CONTENT`. Texts of templates are not scored.
    """


TextFormat: TypeAlias = Literal["TEXT", "HTML"]
"""
The format of a text.
"""


class TopUpRequest(TypedDict):
    """
    A top-up to request.
    """

    amount: float
    """
    The amount in GHS, with at most two decimals.
    """
    payment_method: NotRequired[PaymentMethod]
    """
    `mobile_money` if absent.
    """
    reference: NotRequired[str]
    """
    The reference of a payment outside the gateway. For platform administrators only; the number of an open invoice pays that invoice.
    """


TopUpStatus: TypeAlias = Literal["PENDING", "CREDITED", "FAILED", "ABANDONED"]
"""
The state of a top-up. `ABANDONED` was not paid within three days; a later payment is still credited.
"""


class TranslateContentRequest(TypedDict):
    """
    A text to translate.
    """

    category: NotRequired[Category]
    """
    The category of the text; `TRANSACTIONAL` if absent.
    """
    channel: NotRequired[Channel]
    """
    The channel of the text.
    """
    message: str
    """
    The text. `{{name}}` is a placeholder for a value.
    """
    source_language: NotRequired[str]
    """
    The language of the text, as a code or by name.
    """
    target_language: str
    """
    The target language, as a code or by name.
    """


class TriggerEventRequest(TypedDict):
    """
    An event to trigger. Either `to` or `contactId` is required.
    """

    async_: NotRequired[bool]
    """
    True to get the answer before the outcome; false if absent.
    """
    contact_id: NotRequired[str]
    """
    The contact to notify. Beside `to`, only its fields and attributes are used.
    """
    country_code: NotRequired[str]
    """
    The country of a phone number without a calling code; that of the event if absent.
    """
    event: str
    """
    The slug of the event.
    """
    idempotency_key: NotRequired[str]
    """
    Within 24 hours the same request with the same key returns the first message.
    """
    is_sandbox: NotRequired[bool]
    """
    True to rehearse in the sandbox with a session: nothing reaches a provider, and it costs 0. With an API key it must agree with the mode of the key.
    """
    metadata: NotRequired[dict[str, str]]
    """
    Up to 20 pairs by which your own systems know the message: keys of at most 40 characters, values of at most 500. They are not sent; the log and webhooks show them.
    """
    scheduled_at: NotRequired[datetime]
    """
    The time at which it is to go, 1 minute to 90 days ahead, in the sandbox at most 6 days; at once if absent. It is paid for now. The suppression list, the approval of the template and sending windows are looked at again when it is due. Not for codes (`OTP`).
    """
    sender_id: NotRequired[str]
    """
    The sender on the channels that can have it (`SMS`, `WHATSAPP`, `VOICE`), if it is approved for one of them; that of the event if absent.
    """
    to: NotRequired[str]
    """
    A phone number, an email address or a device token.
    """
    variables: NotRequired[dict[str, str]]
    """
    Values for the placeholders `{{name}}`.
    """


class UpdateCampaignRequest(TypedDict):
    """
    Changes to a draft. Absent fields keep their values; null clears a value.
    """

    body: NotRequired[str | None]
    """
    A text of its own, without a template. Its category is `MARKETING`. The text before filling may be as long as the channel allows.
    """
    format: NotRequired[TextFormat | None]
    """
    The format of its own text, only for `EMAIL`; detected if absent (see `sendMessage`).
    """
    metadata: NotRequired[dict[str, Any] | None]
    """
    The metadata of all its messages, as for a message.
    """
    name: NotRequired[str]
    """
    A name for people.
    """
    scheduled_at: NotRequired[datetime | None]
    """
    The time of its start. A time that has passed when it is sent means now.
    """
    segment_id: NotRequired[str | None]
    """
    The segment of its recipients; all contacts if absent.
    """
    sender_id: NotRequired[str | None]
    """
    The sender of its messages, as for a message.
    """
    subject: NotRequired[str | None]
    """
    A subject line of its own, without a template.
    """
    template_id: NotRequired[str | None]
    """
    The template of its text. It must have the same channel.
    """


class UpdateContactRequest(TypedDict):
    """
    Changes to a contact. Absent fields keep their values; null clears a value.
    """

    attributes: NotRequired[dict[str, Any] | None]
    """
    Further attributes: texts of at most 500 characters, by names of at most 64.
    """
    consent: NotRequired[ConsentRequest | None]
    """
    The person's consent to get messages: its time and its source. It replaces the existing one as a whole.
    """
    country_code: NotRequired[str | None]
    """
    The country in which `phone` is dialled, if it has no calling code; `GH` if absent.
    """
    email: NotRequired[str | None]
    """
    An email address. Unique in the organization.
    """
    fcm_token: NotRequired[str | None]
    """
    The push token of the device.
    """
    first_name: NotRequired[str | None]
    last_name: NotRequired[str | None]
    phone: NotRequired[str | None]
    """
    A number in E.164, or as dialled in the country. Unique in the organization.
    """
    tags: NotRequired[list[str] | None]
    """
    At most 50 characters each. Of tags that differ in letter case only, the first is kept.
    """


class UpdateEventRequest(TypedDict):
    """
    Changes to an event.
    """

    channel_priority: NotRequired[list[Channel]]
    """
    The channels in the order in which they are tried; `SMS` if absent.
    """
    country_code: NotRequired[str | None]
    """
    The country of phone numbers without a calling code; `GH` if absent.
    """
    description: NotRequired[str | None]
    """
    The purpose of the event.
    """
    fallback_rules: NotRequired[EventFallbackRules | None]
    is_active: NotRequired[bool]
    """
    True if it may be triggered.
    """
    name: NotRequired[str]
    retry_rules: NotRequired[EventRetryRules | None]
    sender_id: NotRequired[str | None]
    """
    The sender of messages on the channels that can have it (`SMS`, `WHATSAPP`, `VOICE`), if it is approved for one of them. Other channels are used without.
    """
    template_id: NotRequired[str | None]
    """
    The template of all channels that have none in `templates`. On a channel that it is not written for, its text is sent, and for `EMAIL` its subject.
    """
    templates: NotRequired[dict[str, Any] | None]
    """
    Templates of single channels: names of channels, and identifiers.
    """


class UpdateMemberRequest(TypedDict):
    """
    A change of a member.
    """

    role: Role
    """
    The new role of the member.
    """


class UpdatePlanRequest(TypedDict):
    """
    Changes to a plan. Absent fields keep their values.
    """

    features: NotRequired[list[str]]
    """
    Further features, in words.
    """
    included_messages: NotRequired[int]
    """
    The number of messages included in a month.
    """
    is_active: NotRequired[bool]
    """
    True if it can be booked.
    """
    monthly_fee: NotRequired[float]
    """
    The monthly fee in GHS.
    """
    name: NotRequired[str]


class UpdatePricingRuleRequest(TypedDict):
    """
    Changes to a price. Absent fields keep their values.
    """

    is_active: NotRequired[bool]
    """
    True if it is in force.
    """
    unit_price: NotRequired[float]
    """
    The price of one segment in GHS, with at most six decimals.
    """


class UpdateProfileRequest(TypedDict):
    """
    Changes to the signed-in user.
    """

    first_name: NotRequired[str]
    """
    Given name.
    """
    last_name: NotRequired[str]
    """
    Family name.
    """


class UpdateSegmentRequest(TypedDict):
    """
    Changes to a segment.
    """

    description: NotRequired[str | None]
    """
    The purpose of the segment.
    """
    name: NotRequired[str]
    rules: NotRequired[SegmentRules]


class UserUpdate(TypedDict):
    """
    Changes to a user by the platform. Absent fields keep their values.
    """

    email_verified: NotRequired[bool]
    """
    True if the user is known to read the mail of the address.
    """
    platform_role: NotRequired[PlatformRole | None]
    """
    The role on the platform; null for an ordinary user.
    """


class VendorTemplateRequest(TypedDict):
    """
    A template that the vendor has approved and stores.
    """

    button: NotRequired[str]
    """
    The placeholder that fills its button.
    """
    language: NotRequired[str]
    """
    The vendor's code for its language; `language` if absent.
    """
    name: str
    """
    The vendor's name for it; at Twilio the `ContentSid`.
    """
    parameters: NotRequired[list[str]]
    """
    The placeholders that fill `{{1}}`, `{{2}}`, … in its text.
    """


class VerifyEmailRequest(TypedDict):
    """
    A mailed token.
    """

    token: str
    """
    The token that was mailed. It may also be in the query of the address.
    """


class VerifyPaymentRequest(TypedDict):
    """
    The payment to verify.
    """

    reference: str
    """
    The reference in the answer of `POST /billing/top-up`.
    """


class WalletCorrectionRequest(TypedDict):
    """
    Money to put into a wallet or to take out of it.
    """

    amount: float
    """
    The amount in GHS, above 0, with at most six decimals.
    """
    reason: str
    """
    The reason, in one line. The organization sees it in its ledger.
    """


WebhookDeliveryStatus: TypeAlias = Literal["PENDING", "DELIVERED", "FAILED"]
"""
The state of a delivery to a webhook endpoint.
"""


WebhookEvent: TypeAlias = Literal[
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
"""
An event that webhooks report.
"""


Weekday: TypeAlias = Literal["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"]
"""
A day of the week.
"""


class BulkItemRequest(TypedDict):
    """
    One message of several.
    """

    body: str
    """
    The text. A template's text takes precedence.
    """
    category: NotRequired[Category]
    """
    The category of the message, `TRANSACTIONAL` if absent; a template's own category takes precedence.
    """
    channel: Channel
    format: NotRequired[TextFormat]
    """
    The format of the body; only for the channel `EMAIL`, whose body may be HTML. If absent it is HTML when the body, or else that of the template, begins with `<html` or `<!DOCTYPE html` or has one of the tags `<br>`, `</p>`, `</a>`, `</div>`, `</td>`, `</li>`, `</h1>`, `</strong>`, `</b>` before placeholders are filled. A template's own format takes precedence. In HTML the values of placeholders are escaped.
    """
    metadata: NotRequired[dict[str, str]]
    """
    Up to 20 pairs by which your own systems know the message: keys of at most 40 characters, values of at most 500. They are not sent; the log and webhooks show them.
    """
    scheduled_at: NotRequired[datetime]
    """
    The time at which it is to go, 1 minute to 90 days ahead, in the sandbox at most 6 days; at once if absent. It is paid for now. The suppression list, the approval of the template and sending windows are looked at again when it is due. Not for codes (`OTP`).
    """
    sender_id: NotRequired[str]
    """
    The sender to show, if the provider allows it. For an SMS: 1 to 11 letters, digits and spaces, or a number.
    """
    subject: NotRequired[str]
    """
    The subject line. On channels without one it is logged and not sent.
    """
    template_id: NotRequired[str]
    """
    An approved template of the same channel, which provides the text.
    """
    to: str
    """
    A phone number, an email address or a device token, depending on the channel.
    """
    validity_period: NotRequired[int]
    """
    The number of seconds for which sending is tried. Default: 600 for `OTP`, 3600 for `ALERT` and 86400 for all others. At most 3600 for `OTP`.
    """
    variables: NotRequired[dict[str, str]]
    """
    Values for the placeholders `{{name}}`: at most 10,000 characters each and 100,000 in total. They are escaped in an HTML body.
    """


class CreateApiKeyRequest(TypedDict):
    """
    An API key to create.
    """

    expires_at: NotRequired[datetime]
    """
    The time at which it expires; never if absent.
    """
    is_sandbox: NotRequired[bool]
    """
    True for a sandbox key, whose messages are only simulated. True if absent.
    """
    name: str
    """
    A name for people.
    """
    scopes: NotRequired[list[Scope]]
    """
    The permissions of the key. Default: `messages:send`, `messages:read`, `events:read` and `events:trigger`. All others open endpoints for sessions to the key; those that end in `:write` are of no use to a sandbox key.
    """


class CreateCampaignRequest(TypedDict):
    """
    A campaign to create.
    """

    body: NotRequired[str]
    """
    A text of its own, without a template. Its category is `MARKETING`. The text before filling may be as long as the channel allows.
    """
    channel: Channel
    format: NotRequired[TextFormat]
    """
    The format of its own text, only for `EMAIL`; detected if absent (see `sendMessage`).
    """
    is_sandbox: NotRequired[bool]
    """
    True to rehearse it in the sandbox: nothing reaches a provider, and it costs 0. It stays so, and goes on as fast as sandbox messages may. With an API key it must agree with the mode of the key.
    """
    metadata: NotRequired[dict[str, str]]
    """
    The metadata of all its messages, as for a message.
    """
    name: str
    """
    A name for people.
    """
    scheduled_at: NotRequired[datetime]
    """
    The time of its start. A time that has passed when it is sent means now.
    """
    segment_id: NotRequired[str]
    """
    The segment of its recipients; all contacts if absent.
    """
    sender_id: NotRequired[str]
    """
    The sender of its messages, as for a message.
    """
    subject: NotRequired[str]
    """
    A subject line of its own, without a template.
    """
    template_id: NotRequired[str]
    """
    The template of its text. It must have the same channel.
    """


class CreateEventRequest(TypedDict):
    """
    An event to create.
    """

    channel_priority: NotRequired[list[Channel]]
    """
    The channels in the order in which they are tried; `SMS` if absent.
    """
    country_code: NotRequired[str]
    """
    The country of phone numbers without a calling code; `GH` if absent.
    """
    description: NotRequired[str]
    """
    The purpose of the event.
    """
    fallback_rules: NotRequired[EventFallbackRules]
    is_active: NotRequired[bool]
    """
    True if it may be triggered; true if absent.
    """
    name: str
    retry_rules: NotRequired[EventRetryRules]
    sender_id: NotRequired[str]
    """
    The sender of messages on the channels that can have it (`SMS`, `WHATSAPP`, `VOICE`), if it is approved for one of them. Other channels are used without.
    """
    slug: str
    """
    The name of the event for programs: 1 to 100 of the characters `a` to `z`, `0` to `9`, `.`, `_` and `-`. It never changes.
    """
    template_id: NotRequired[str]
    """
    The template of all channels that have none in `templates`. On a channel that it is not written for, its text is sent, and for `EMAIL` its subject.
    """
    templates: NotRequired[dict[str, str]]
    """
    Templates of single channels: names of channels, and identifiers.
    """


class CreateInvitationRequest(TypedDict):
    """
    A person to invite.
    """

    email: str
    """
    The address to which the link is mailed.
    """
    role: NotRequired[Role]
    """
    The role of the invited person; `VIEWER` if absent.
    """


class CreateSegmentRequest(TypedDict):
    """
    A segment to create.
    """

    description: NotRequired[str]
    """
    The purpose of the segment.
    """
    is_dynamic: NotRequired[bool]
    """
    True if contacts join and leave as they match the rules; false for fixed members. True if absent.
    """
    name: str
    rules: SegmentRules


class CreateSendingWindowRequest(TypedDict):
    """
    Hours in which messages of a category may be sent to a country.
    """

    category: Category
    """
    The category of the messages; not `OTP` or `ALERT`.
    """
    closes: str
    """
    The closing time, such as `19:00`: on the next day, if it is not after `opens`.
    """
    country_code: str
    """
    The recipients' country.
    """
    is_active: NotRequired[bool]
    """
    True if it is in force.
    """
    opens: str
    """
    The opening time, such as `08:00`.
    """
    source: str
    """
    The regulation on which it is based.
    """
    utc_offset: NotRequired[str]
    """
    The country's offset from UTC, such as `+01:00`. For countries with daylight saving time or several time zones, choose hours that suit all of them.
    """
    weekdays: list[Weekday]
    """
    The days on which it opens. It is closed on all others.
    """


class CreateTemplateRequest(TypedDict):
    """
    A template to create.
    """

    body: str
    """
    The text. `{{name}}` is a placeholder for a value. The text before filling may be as long as the channel allows.
    """
    category: NotRequired[Category]
    """
    `TRANSACTIONAL` if absent.
    """
    channel: TemplateChannel
    country_code: NotRequired[str]
    """
    `GH` if absent.
    """
    format: NotRequired[TextFormat]
    """
    The format of the text, only for `EMAIL`; detected if absent (see `sendMessage`).
    """
    language: NotRequired[str]
    """
    `en` if absent.
    """
    long_variables: NotRequired[bool]
    """
    True if values may have more than 160 characters although the category is `HEALTHCARE`, `INSURANCE` or `FINTECH`. Shown to the administrator who approves the template.
    """
    name: str
    """
    A name for people.
    """
    short_variables: NotRequired[list[str]]
    """
    The placeholders whose values are one line of at most 40 characters without a link. If absent, all placeholders of a template of the category `OTP`, and none of others. A text with fewer than 20 characters of its own and a placeholder that is not short is scored at each send, with its values.
    """
    subject: NotRequired[str]
    """
    The subject line.
    """
    variables: NotRequired[list[str]]
    """
    The names of the placeholders: all that the texts use, and others for later use. Taken from the texts if absent.
    """
    vendor_template: NotRequired[VendorTemplateRequest]
    """
    Only for `WHATSAPP`: the template that the vendor has approved. It requires approval by the platform.
    """


class CreateWebhookEndpointRequest(TypedDict):
    """
    A webhook endpoint to create.
    """

    events: NotRequired[list[WebhookEvent]]
    """
    The events that it is subscribed to; all, including future ones, if absent, null or empty.
    """
    url: str
    """
    The URL of the receiver: https, in development also http. It must lead to a public address.
    """


class InviteRequest(TypedDict):
    """
    A registered user to add, or a member to give another role.
    """

    email: str
    """
    The address of a registered user.
    """
    role: NotRequired[Role]
    """
    The role of the member; `VIEWER` if absent.
    """


class OrganizationUpdate(TypedDict):
    """
    Changes to an organization. Absent fields keep their values; null clears a value.
    """

    business_email: NotRequired[str | None]
    business_phone: NotRequired[str | None]
    compliance_acknowledged: NotRequired[bool]
    default_language: NotRequired[str | None]
    industry: NotRequired[str | None]
    monthly_volume: NotRequired[int | None]
    """
    The expected number of messages a month.
    """
    name: NotRequired[str]
    onboarding_complete: NotRequired[bool]
    preferred_channels: NotRequired[list[Channel] | None]
    settings: NotRequired[SettingsUpdate]
    """
    Settings of the organization for its messages.
    """
    timezone: NotRequired[str | None]
    """
    A time zone of the IANA database.
    """
    website: NotRequired[str | None]


class PreviewSegmentRequest(TypedDict):
    """
    Rules to preview.
    """

    rules: SegmentRules


class SendBulkRequest(TypedDict):
    """
    Messages to send: all or none, unless `partial` is true.
    """

    async_: NotRequired[bool]
    """
    True to get the answer before the outcomes; false if absent.
    """
    country_code: NotRequired[str]
    """
    The country of phone numbers without a calling code, in all messages; `GH` if absent.
    """
    idempotency_key: NotRequired[str]
    """
    Within 24 hours the same request with the same key returns the first messages.
    """
    is_sandbox: NotRequired[bool]
    """
    True to rehearse in the sandbox with a session: nothing reaches a provider, and it costs 0. With an API key it must agree with the mode of the key.
    """
    messages: list[BulkItemRequest]
    partial: NotRequired[bool]
    """
    True to accept the valid messages if others are not; false if absent. The place of a wrong message in the answer says what is wrong with it.
    """
    scheduled_at: NotRequired[datetime]
    """
    The time at which it is to go, 1 minute to 90 days ahead, in the sandbox at most 6 days; at once if absent. It is paid for now. The suppression list, the approval of the template and sending windows are looked at again when it is due. Not for codes (`OTP`).
    """


class SendMessageRequest(TypedDict):
    """
    A message to send.
    """

    async_: NotRequired[bool]
    """
    True to get the answer before the outcome; false if absent.
    """
    body: NotRequired[str]
    """
    The text. Required without a template.
    """
    category: NotRequired[Category]
    """
    The category of the message, `TRANSACTIONAL` if absent; a template's own category takes precedence.
    """
    channel: Channel
    country_code: NotRequired[str]
    """
    The country of phone numbers without a calling code; `GH` if absent.
    """
    format: NotRequired[TextFormat]
    """
    The format of the body; only for the channel `EMAIL`, whose body may be HTML. If absent it is HTML when the body, or else that of the template, begins with `<html` or `<!DOCTYPE html` or has one of the tags `<br>`, `</p>`, `</a>`, `</div>`, `</td>`, `</li>`, `</h1>`, `</strong>`, `</b>` before placeholders are filled. A template's own format takes precedence. In HTML the values of placeholders are escaped.
    """
    idempotency_key: NotRequired[str]
    """
    Within 24 hours the same request with the same key returns the first message.
    """
    is_sandbox: NotRequired[bool]
    """
    True to rehearse in the sandbox with a session: nothing reaches a provider, and it costs 0. With an API key it must agree with the mode of the key.
    """
    metadata: NotRequired[dict[str, str]]
    """
    Up to 20 pairs by which your own systems know the message: keys of at most 40 characters, values of at most 500. They are not sent; the log and webhooks show them.
    """
    scheduled_at: NotRequired[datetime]
    """
    The time at which it is to go, 1 minute to 90 days ahead, in the sandbox at most 6 days; at once if absent. It is paid for now. The suppression list, the approval of the template and sending windows are looked at again when it is due. Not for codes (`OTP`).
    """
    sender_id: NotRequired[str]
    """
    The sender to show, if the provider allows it. For an SMS: 1 to 11 letters, digits and spaces, or a number.
    """
    subject: NotRequired[str]
    """
    The subject line. On channels without one it is logged and not sent; an EMAIL without one is sent with `(no subject)`.
    """
    template_id: NotRequired[str]
    """
    An approved template of the same channel, which provides the text.
    """
    to: str
    """
    A phone number, an email address or a device token, depending on the channel.
    """
    validity_period: NotRequired[int]
    """
    The number of seconds for which sending is tried. Default: 600 for `OTP`, 3600 for `ALERT` and 86400 for all others. At most 3600 for `OTP`.
    """
    variables: NotRequired[dict[str, str]]
    """
    Values for the placeholders `{{name}}`: at most 10,000 characters each and 100,000 in total. They are escaped in an HTML body.
    """


class TestWebhookEndpointRequest(TypedDict):
    """
    The event to send as a test.
    """

    event: NotRequired[WebhookEvent]
    """
    `message.status.updated` if absent.
    """


class UpdateSendingWindowRequest(TypedDict):
    """
    Changes to a sending window. Absent fields keep their values.
    """

    category: NotRequired[Category]
    """
    The category of the messages; not `OTP` or `ALERT`.
    """
    closes: NotRequired[str]
    """
    The closing time, such as `19:00`: on the next day, if it is not after `opens`.
    """
    country_code: NotRequired[str]
    """
    The recipients' country.
    """
    is_active: NotRequired[bool]
    """
    True if it is in force.
    """
    opens: NotRequired[str]
    """
    The opening time, such as `08:00`.
    """
    source: NotRequired[str]
    """
    The regulation on which it is based.
    """
    utc_offset: NotRequired[str]
    """
    The country's offset from UTC, such as `+01:00`. For countries with daylight saving time or several time zones, choose hours that suit all of them.
    """
    weekdays: NotRequired[list[Weekday]]
    """
    The days on which it opens. It is closed on all others.
    """


class UpdateTemplateRequest(TypedDict):
    """
    Changes to a template. Absent fields keep their values; null clears a value.
    """

    body: NotRequired[str]
    """
    The text. `{{name}}` is a placeholder for a value. The text before filling may be as long as the channel allows.
    """
    category: NotRequired[Category]
    """
    The category of the content.
    """
    country_code: NotRequired[str]
    """
    The country of the recipients.
    """
    format: NotRequired[TextFormat | None]
    """
    The format of the text, only for `EMAIL`; detected if absent (see `sendMessage`).
    """
    language: NotRequired[str]
    """
    The code of the language.
    """
    long_variables: NotRequired[bool]
    """
    True if values may have more than 160 characters although the category is `HEALTHCARE`, `INSURANCE` or `FINTECH`. Shown to the administrator who approves the template.
    """
    name: NotRequired[str]
    """
    A name for people.
    """
    short_variables: NotRequired[list[str] | None]
    """
    The placeholders whose values are one line of at most 40 characters without a link. If absent, all placeholders of a template of the category `OTP`, and none of others. A text with fewer than 20 characters of its own and a placeholder that is not short is scored at each send, with its values.
    """
    subject: NotRequired[str | None]
    """
    The subject line.
    """
    variables: NotRequired[list[str] | None]
    """
    The names of the placeholders: all that the texts use, and others for later use. Taken from the texts if absent.
    """
    vendor_template: NotRequired[VendorTemplateRequest | None]
    """
    Only for `WHATSAPP`: the template that the vendor has approved. It requires approval by the platform.
    """


class UpdateWebhookEndpointRequest(TypedDict):
    """
    Changes to a webhook endpoint. Absent fields keep their values.
    """

    events: NotRequired[list[WebhookEvent] | None]
    """
    The events that it is subscribed to; all, including future ones, if absent, null or empty.
    """
    is_active: NotRequired[bool]
    """
    True if it receives events.
    """
    url: NotRequired[str]
    """
    The URL of the receiver: https, in development also http. It must lead to a public address.
    """
