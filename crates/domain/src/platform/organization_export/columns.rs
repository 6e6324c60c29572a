//! Columns of the lists. Nothing that is not named here leaves the service.

use super::ExportedList;

/// Returns the names of the columns of a list.
pub(super) const fn of(list: ExportedList) -> &'static [&'static str] {
    match list {
        ExportedList::Organization => ORGANIZATION,
        ExportedList::Members => &["userId", "email", "firstName", "lastName", "role", "joinedAt"],
        ExportedList::ApiKeys => API_KEYS,
        ExportedList::SenderNames => {
            &["id", "name", "channel", "countryCode", "status", "createdAt"]
        }
        ExportedList::Contacts => CONTACTS,
        ExportedList::Suppressions => {
            &["id", "phone", "email", "channel", "category", "source", "reason", "createdAt"]
        }
        ExportedList::Segments => {
            &["id", "name", "description", "rules", "isDynamic", "contactCount", "createdAt"]
        }
        ExportedList::SegmentMembers => &["segmentId", "contactId"],
        ExportedList::Templates => TEMPLATES,
        ExportedList::TemplateVersions => TEMPLATE_VERSIONS,
        ExportedList::Approvals => APPROVALS,
        ExportedList::Events => EVENTS,
        ExportedList::Campaigns => CAMPAIGNS,
        ExportedList::CampaignSkips => &["campaignId", "contactId", "reason", "createdAt"],
        ExportedList::Messages => MESSAGES,
        ExportedList::DailyFigures => {
            &["day", "channel", "status", "isSandbox", "messages", "segments", "cost"]
        }
        ExportedList::Wallet => {
            &["balance", "currency", "dailySpendingLimit", "lowBalanceThreshold", "updatedAt"]
        }
        ExportedList::Ledger => LEDGER,
        ExportedList::TopUps => TOP_UPS,
        ExportedList::Invoices => INVOICES,
        ExportedList::WebhookEndpoints => {
            &["id", "url", "events", "isActive", "deactivation", "failingSince", "createdAt"]
        }
        ExportedList::WebhookDeliveries => WEBHOOK_DELIVERIES,
        ExportedList::Imports => IMPORTS,
        ExportedList::AuditLog => AUDIT_LOG,
    }
}

const ORGANIZATION: &[&str] = &[
    "id",
    "name",
    "industry",
    "businessPhone",
    "businessEmail",
    "timezone",
    "defaultLanguage",
    "website",
    "monthlyVolume",
    "preferredChannels",
    "allowPremiumNumbers",
    "allowedCountries",
    "optOutNumber",
    "optOutUssd",
    "createdAt",
    "suspendedAt",
    "closedAt",
];

const API_KEYS: &[&str] = &[
    "id",
    "name",
    "prefix",
    "scopes",
    "isSandbox",
    "createdBy",
    "createdAt",
    "rotatedAt",
    "expiresAt",
    "lastUsedAt",
    "revokedAt",
];

const CONTACTS: &[&str] = &[
    "id",
    "firstName",
    "lastName",
    "phone",
    "email",
    "pushAddress",
    "countryCode",
    "tags",
    "attributes",
    "consentAt",
    "consentSource",
    "createdAt",
    "updatedAt",
];

const TEMPLATES: &[&str] = &[
    "id",
    "name",
    "channel",
    "category",
    "countryCode",
    "language",
    "format",
    "subject",
    "body",
    "variables",
    "vendorTemplate",
    "valueRules",
    "version",
    "status",
    "comment",
    "createdBy",
    "createdAt",
    "deletedAt",
];

const TEMPLATE_VERSIONS: &[&str] = &[
    "templateId",
    "version",
    "status",
    "category",
    "countryCode",
    "language",
    "subject",
    "body",
    "variables",
    "vendorTemplate",
    "createdBy",
    "createdAt",
];

const APPROVALS: &[&str] = &[
    "id",
    "kind",
    "resourceId",
    "name",
    "subject",
    "body",
    "riskScore",
    "issues",
    "requestedBy",
    "requestedAt",
    "closedAt",
    "verdict",
    "comment",
];

const EVENTS: &[&str] = &[
    "id",
    "name",
    "slug",
    "description",
    "channelPriority",
    "templateId",
    "templates",
    "senderId",
    "countryCode",
    "retryRules",
    "fallbackRules",
    "isActive",
    "createdAt",
    "deletedAt",
];

const CAMPAIGNS: &[&str] = &[
    "id",
    "name",
    "channel",
    "status",
    "pausedReason",
    "templateId",
    "format",
    "subject",
    "body",
    "senderId",
    "content",
    "segmentId",
    "rules",
    "metadata",
    "isSandbox",
    "audience",
    "unreachable",
    "createdBy",
    "createdAt",
    "scheduledAt",
    "startedAt",
    "completedAt",
];

const MESSAGES: &[&str] = &[
    "id",
    "channel",
    "status",
    "recipient",
    "countryCode",
    "category",
    "senderId",
    "subject",
    "body",
    "segments",
    "cost",
    "isSandbox",
    "provider",
    "attempts",
    "errorCode",
    "errorMessage",
    "vendorCode",
    "templateId",
    "vendorTemplate",
    "campaignId",
    "event",
    "contactId",
    "metadata",
    "resentFrom",
    "createdAt",
    "scheduledAt",
    "sentAt",
    "deliveredAt",
    "failedAt",
    "expiresAt",
];

const LEDGER: &[&str] =
    &["id", "sequence", "kind", "amount", "messages", "reference", "contraAccount", "createdAt"];

const TOP_UPS: &[&str] =
    &["id", "reference", "amount", "method", "status", "requestedBy", "createdAt", "creditedAt"];

const INVOICES: &[&str] = &[
    "id",
    "number",
    "kind",
    "status",
    "amount",
    "month",
    "closingBalance",
    "statement",
    "isCredited",
    "issuedAt",
    "dueAt",
    "paidAt",
];

const WEBHOOK_DELIVERIES: &[&str] = &[
    "eventId",
    "endpointId",
    "status",
    "attempts",
    "attemptedAt",
    "statusCode",
    "failure",
    "milliseconds",
];

const IMPORTS: &[&str] = &[
    "id",
    "kind",
    "fileName",
    "status",
    "totalRows",
    "created",
    "updated",
    "failed",
    "consentSource",
    "createdAt",
    "completedAt",
    "undoneAt",
];

const AUDIT_LOG: &[&str] = &[
    "id",
    "sequence",
    "at",
    "userId",
    "action",
    "resourceType",
    "resourceId",
    "details",
    "requestId",
    "impersonated",
];
