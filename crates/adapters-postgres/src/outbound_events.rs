//! What organizations are told of by their webhooks.

/// Writes what happened, as a part of the statement in which it happens. A `SELECT` of the
/// organization, a new identifier (`uuid_v7_in`), the name and data of the event, and the time follows.
pub(crate) const TELL: &str =
    "INSERT INTO outbound_events (organization_id, id, event, data, created_at) ";
