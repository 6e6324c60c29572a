//! The scopes of API keys, and the endpoints that each opens. This is the one list of them.

use actix_web::http::Method;
use domain::identity::scope::Scope;

/// Endpoints that take a session or the key of a program, with the scope that the key needs.
const OPEN: &[(Scope, &[&str])] = &[
    (
        Scope::MessagesSend,
        &[
            "POST /messages/send",
            "POST /messages/bulk",
            "POST /messages/{id}/cancel",
            "POST /messages/{id}/resend",
            "POST /messages/resend",
            "PATCH /messages/{id}",
        ],
    ),
    (Scope::MessagesRead, &["GET /messages/{id}", "GET /messages/resend/{id}"]),
    (Scope::EventsTrigger, &["POST /events/trigger"]),
    (Scope::EventsRead, &["GET /events", "GET /events/{id}"]),
    (Scope::EventsWrite, &["POST /events", "PATCH /events/{id}", "DELETE /events/{id}"]),
    (
        Scope::ContactsRead,
        &[
            "GET /contacts",
            "GET /contacts/{id}",
            "GET /contacts/export",
            "GET /segments/{id}/contacts",
            "GET /contacts/jobs",
            "GET /contacts/jobs/{id}",
            "GET /contacts/imports",
            "GET /contacts/imports/{id}",
            "GET /contacts/imports/{id}/errors",
        ],
    ),
    (
        Scope::ContactsWrite,
        &[
            "POST /contacts",
            "PATCH /contacts/{id}",
            "DELETE /contacts/{id}",
            "POST /contacts/delete",
            "POST /contacts/tags",
            "POST /contacts/import",
            "POST /contacts/imports/{id}/undo",
        ],
    ),
    (Scope::SegmentsRead, &["GET /segments", "GET /segments/{id}", "POST /segments/preview"]),
    (Scope::SegmentsWrite, &["POST /segments", "PATCH /segments/{id}", "DELETE /segments/{id}"]),
    (
        Scope::TemplatesRead,
        &["GET /templates", "GET /templates/{id}", "POST /templates/{id}/render", "GET /approvals"],
    ),
    (
        Scope::TemplatesWrite,
        &["POST /templates", "PATCH /templates/{id}", "DELETE /templates/{id}"],
    ),
    (
        Scope::SuppressionsRead,
        &[
            "GET /compliance/suppression",
            "GET /compliance/suppression/imports",
            "GET /compliance/suppression/imports/{id}",
            "GET /compliance/suppression/imports/{id}/errors",
        ],
    ),
    (
        Scope::SuppressionsWrite,
        &[
            "POST /compliance/suppression",
            "DELETE /compliance/suppression/{id}",
            "POST /compliance/suppression/import",
        ],
    ),
    (
        Scope::CampaignsRead,
        &[
            "GET /campaigns",
            "GET /campaigns/{id}",
            "POST /campaigns/{id}/preview",
            "GET /campaigns/{id}/recipients",
            "GET /campaigns/{id}/recipients/export",
        ],
    ),
    (
        Scope::CampaignsWrite,
        &[
            "POST /campaigns",
            "PATCH /campaigns/{id}",
            "DELETE /campaigns/{id}",
            "POST /campaigns/{id}/duplicate",
            "POST /campaigns/{id}/send",
            "POST /campaigns/{id}/pause",
            "POST /campaigns/{id}/resume",
            "POST /campaigns/{id}/cancel",
            "POST /campaigns/{id}/resend-failed",
        ],
    ),
    (Scope::WebhooksRead, &["GET /webhook-endpoints", "GET /webhook-endpoints/{id}/deliveries"]),
    (
        Scope::WebhooksWrite,
        &[
            "POST /webhook-endpoints",
            "PATCH /webhook-endpoints/{id}",
            "DELETE /webhook-endpoints/{id}",
            "POST /webhook-endpoints/{id}/test",
            "POST /webhook-endpoints/{id}/rotate-secret",
            "POST /webhook-endpoints/{id}/deliveries/{deliveryId}/retry",
            "POST /webhook-endpoints/{id}/recover",
        ],
    ),
    (
        Scope::AnalyticsRead,
        &[
            "GET /analytics/overview",
            "GET /analytics/messages",
            "GET /analytics/recommendations",
            "GET /analytics/costs",
            "GET /analytics/failures",
        ],
    ),
    (
        Scope::BillingRead,
        &[
            "GET /billing/wallet",
            "GET /billing/ledger",
            "GET /billing/pricing",
            "GET /billing/usage",
            "GET /billing/invoices",
            "GET /billing/invoices/{id}",
            "GET /billing/top-ups",
        ],
    ),
    (
        Scope::DeliveryLogsRead,
        &["GET /delivery-logs", "GET /delivery-logs/export", "GET /contacts/{id}/messages"],
    ),
];

/// Beginnings of paths that no key may call with any scope: accounts, members and the organization,
/// keys, and the platform.
#[cfg(test)]
pub(in crate::inbound) const NEVER_OPEN: &[&str] =
    &["/admin/", "/api-keys", "/auth/", "/organizations", "/providers", "/requests"];

/// Further endpoints that take a session only.
#[cfg(test)]
pub(in crate::inbound) const CLOSED: &[&str] = &[
    "POST /billing/top-up",
    "POST /billing/verify-payment",
    "POST /billing/invoices/{id}/void",
    "GET /compliance/summary",
    "POST /compliance/check-message",
    "POST /content/generate",
    "POST /content/rewrite",
    "POST /content/translate",
    "GET /sender-names",
    "POST /sender-names",
    "DELETE /sender-names/{id}",
];

/// Scope that a key needs for an endpoint; `None` if no key may call it. Requests find it in the
/// data of their resource.
#[derive(Clone, Copy, Default)]
pub(in crate::inbound) struct OpenedBy(pub(in crate::inbound) Option<Scope>);

/// Returns the scope that a key needs for an endpoint; `None` if no key may call it.
pub(in crate::inbound) fn opening(method: &Method, path: &str) -> Option<Scope> {
    let name = format!("{method} {path}");
    let opens = |endpoints: &[&str]| endpoints.contains(&name.as_str());
    OPEN.iter().find(|(_, endpoints)| opens(endpoints)).map(|(scope, _)| *scope)
}

/// Returns all endpoints that a key may call, each with the scope that it needs.
#[cfg(test)]
pub(in crate::inbound) fn open() -> impl Iterator<Item = (&'static str, Scope)> {
    let of = |(scope, endpoints): &'static (Scope, &'static [&'static str])| {
        endpoints.iter().map(move |endpoint| (*endpoint, *scope))
    };
    OPEN.iter().flat_map(of)
}
