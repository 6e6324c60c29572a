//! Refusals of operations on events.

use domain::outreach::event::{MAX_EVENTS, NotReady};

use crate::{Error, Reason, messaging::messages::template_not_approved};

/// The event was changed concurrently.
pub const EVENT_CHANGED: Reason =
    Reason::new("EVENT_CHANGED", "the event was changed meanwhile; try again");
/// The contact does not exist.
pub const CONTACT_NOT_FOUND: Reason = Reason::new("CONTACT_NOT_FOUND", "contact not found");

/// Another event of the organization has the slug.
pub fn slug_exists(slug: &str) -> Error {
    let message = format!("there is an event with the slug `{slug}`");
    Error::Conflict(Reason::with_message("SLUG_EXISTS", message).about("slug", slug))
}

/// The organization has the maximum number of events.
pub fn event_limit_reached() -> Error {
    let message = format!("an organization has at most {MAX_EVENTS} events");
    Error::Conflict(Reason::with_message("EVENT_LIMIT_REACHED", message))
}

/// The organization has no event with the slug.
pub fn event_not_found(slug: &str) -> Error {
    let message = format!("event `{slug}` not found");
    Error::UnknownReference(Reason::with_message("EVENT_NOT_FOUND", message).about("event", slug))
}

/// The event is not active.
pub fn event_inactive(slug: &str) -> Error {
    let message = format!("event `{slug}` is not active");
    Error::Conflict(Reason::with_message("EVENT_INACTIVE", message).about("event", slug))
}

/// Error of a trigger of an event that is not ready.
pub(super) fn not_ready(slug: &str, why: NotReady) -> Error {
    match why {
        NotReady::Inactive => event_inactive(slug),
        NotReady::NoTemplate(channel) => {
            let message = format!("event `{slug}` has no template for {channel}");
            let reason = Reason::with_message("TEMPLATE_NOT_FOUND", message);
            Error::UnknownReference(reason.about("event", slug))
        }
        NotReady::Unapproved(template) => template_not_approved(template),
    }
}
