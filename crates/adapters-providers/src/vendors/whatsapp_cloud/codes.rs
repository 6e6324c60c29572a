//! Meta's error codes, which are the same in responses and in reports.
//!
//! Documentation:
//! <https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes>.
//! Only the code counts: Meta keeps neither titles nor subcodes stable.

use domain::messaging::delivery::FailureCode as Code;

use crate::verdict::{
    CodeTable,
    Verdict::{self, NotAccepted, Rejected, Unknown},
};

/// Codes outside the ranges.
#[rustfmt::skip]
const CODES: CodeTable<u32> = CodeTable(&[
    (0, "the token is no longer good", NotAccepted(Code::ProviderAuth)),
    (1, "a bad request, or a broken server", Unknown),
    (2, "down or overloaded", NotAccepted(Code::ProviderUnavailable)),
    (3, "a permission is missing", NotAccepted(Code::ProviderAuth)),
    (4, "calls of the application", NotAccepted(Code::ProviderThrottled)),
    (10, "a permission was withdrawn", NotAccepted(Code::ProviderAuth)),
    (33, "our number was deleted", NotAccepted(Code::SenderNotAllowed)),
    (100, "a parameter makes no sense", Rejected(Code::ProviderRejected)),
    (190, "the token has expired", NotAccepted(Code::ProviderAuth)),
    (368, "we violated a policy", NotAccepted(Code::SenderNotAllowed)),
    (803, "no such number of ours", NotAccepted(Code::SenderNotAllowed)),
    (80_007, "calls of the account", NotAccepted(Code::ProviderThrottled)),
    (130_429, "throughput of the number", NotAccepted(Code::ProviderThrottled)),
    (130_472, "Meta experiments with the recipient", Rejected(Code::ProviderRejected)),
    (130_497, "not to that country", NotAccepted(Code::SenderNotAllowed)),
    (131_000, "something went wrong", Unknown),
    (131_005, "a permission is missing", NotAccepted(Code::ProviderAuth)),
    (131_008, "a parameter is missing", Rejected(Code::ProviderRejected)),
    (131_009, "a parameter is wrong", Rejected(Code::ProviderRejected)),
    (131_016, "a service is down", NotAccepted(Code::ProviderUnavailable)),
    (131_021, "we would write to ourselves", Rejected(Code::InvalidRecipient)),
    (131_026, "has no WhatsApp, or an old one", Rejected(Code::InvalidRecipient)),
    (131_030, "not a recipient for tests", NotAccepted(Code::SenderNotAllowed)),
    (131_031, "our account is locked", NotAccepted(Code::SenderNotAllowed)),
    (131_037, "our name is not approved", NotAccepted(Code::SenderNotAllowed)),
    (131_042, "a payment is due", NotAccepted(Code::ProviderBalance)),
    (131_045, "our number is badly registered", NotAccepted(Code::SenderNotAllowed)),
    (131_047, "no text for more than 24 hours", Rejected(Code::SessionWindowClosed)),
    (131_048, "too many called us spam", NotAccepted(Code::ProviderThrottled)),
    (131_049, "Meta spares the recipient", Rejected(Code::ProviderRejected)),
    (131_050, "wants no marketing", Rejected(Code::RecipientOptedOut)),
    (131_051, "the type is not supported", Rejected(Code::ProviderRejected)),
    (131_052, "a medium could not be loaded", Rejected(Code::ProviderRejected)),
    (131_053, "a medium could not be sent", Rejected(Code::ProviderRejected)),
    (131_056, "too much to one recipient", NotAccepted(Code::RecipientUnreachable)),
    (131_057, "maintenance", NotAccepted(Code::ProviderUnavailable)),
    (132_000, "the parameters of the template", Rejected(Code::ProviderRejected)),
    (132_001, "no such template here", NotAccepted(Code::ProviderRejected)),
    (133_010, "our number is not registered", NotAccepted(Code::SenderNotAllowed)),
]);

/// Subcode of code 100: `phone_number_id` is not visible to the token.
const NO_SUCH_OBJECT: u32 = 33;

/// Returns the meaning of a code; `None` if it is not documented.
pub(super) fn verdict(code: u32, subcode: Option<u32>) -> Option<Verdict> {
    match (code, subcode) {
        (100, Some(NO_SUCH_OBJECT)) => Some(NotAccepted(Code::SenderNotAllowed)),
        // A permission is missing.
        (200..=299, _) => Some(NotAccepted(Code::ProviderAuth)),
        // Any problem with the template.
        (132_002..=132_999, _) => Some(Rejected(Code::ProviderRejected)),
        _ => CODES.get(code),
    }
}
