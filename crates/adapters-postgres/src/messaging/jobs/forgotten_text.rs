//! Texts that the log keeps no longer.

use domain::messaging::{delivery::Status, message::Message};

/// True if the text is to be removed. A confidential text is kept no longer than it takes to hand
/// it over, and one with a code until its message is final: then the masked text replaces it.
pub(super) fn forgets_text(message: &Message) -> bool {
    let is_waiting = matches!(message.delivery.status(), Status::Queued | Status::Pending);
    message.is_confidential && !is_waiting || message.hides_codes()
}
