//! Operations that an impersonating administrator may and may not call.

/// Operations of an owner that an impersonating administrator may not call, by their beginnings.
pub(super) const NOT_LENT: &[&str] = &[
    "DELETE /api-keys/{id}",
    "DELETE /organizations/",
    "DELETE /webhook-endpoints/{id}",
    "GET /organizations/invitations",
    "PATCH /messages/",
    "PATCH /organizations/members/",
    "PATCH /webhook-endpoints/{id}",
    "POST /api-keys",
    "POST /billing/invoices/{id}/void",
    "POST /billing/top-up",
    "POST /billing/verify-payment",
    "POST /campaigns/{id}/cancel",
    "POST /campaigns/{id}/resend-failed",
    "POST /campaigns/{id}/resume",
    "POST /campaigns/{id}/send",
    "POST /events/trigger",
    "POST /messages/",
    "POST /organizations/current/",
    "POST /organizations/invit",
    "POST /organizations/leave",
    "POST /webhook-endpoints",
];
/// Operations outside organizations that an impersonating administrator may call.
pub(super) const OPEN_OUTSIDE: [&str; 4] =
    ["GET /auth/me", "GET /providers", "GET /providers/{id}", "POST /admin/exit-impersonation"];
