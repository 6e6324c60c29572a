//! What Meta's error codes say. They come in answers and in reports alike.
//!
//! Their documentation:
//! <https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes>.
//! Only the code counts: Meta keeps neither titles nor subcodes stable.

use domain::delivery::FailureCode as Code;

use crate::verdict::Verdict::{self, NotAccepted, Rejected, Unknown};

/// Codes from the first to the second, and what they say.
#[rustfmt::skip]
const CODES: [(u32, u32, Verdict); 34] = [
    (0, 0, NotAccepted(Code::ProviderAuth)),                // the token is no longer good
    (1, 1, Unknown),                                        // a bad request, or a broken server
    (2, 2, NotAccepted(Code::ProviderUnavailable)),         // down or overloaded
    (3, 3, NotAccepted(Code::ProviderAuth)),                // a permission is missing
    (4, 4, NotAccepted(Code::ProviderThrottled)),           // calls of the application
    (10, 10, NotAccepted(Code::ProviderAuth)),              // a permission was withdrawn
    (33, 33, NotAccepted(Code::SenderNotAllowed)),          // our number was deleted
    (100, 100, Rejected(Code::ProviderRejected)),           // a parameter makes no sense
    (190, 190, NotAccepted(Code::ProviderAuth)),            // the token has expired
    (200, 299, NotAccepted(Code::ProviderAuth)),            // a permission is missing
    (368, 368, NotAccepted(Code::SenderNotAllowed)),        // we violated a policy
    (80_007, 80_007, NotAccepted(Code::ProviderThrottled)), // calls of the account
    (130_429, 130_429, NotAccepted(Code::ProviderThrottled)), // throughput of the number
    (130_472, 130_472, Rejected(Code::ProviderRejected)),   // Meta experiments with the recipient
    (130_497, 130_497, NotAccepted(Code::SenderNotAllowed)), // not to that country
    (131_000, 131_000, Unknown),                            // something went wrong
    (131_005, 131_005, NotAccepted(Code::ProviderAuth)),    // a permission is missing
    (131_008, 131_009, Rejected(Code::ProviderRejected)),   // a parameter is missing or wrong
    (131_016, 131_016, NotAccepted(Code::ProviderUnavailable)), // a service is down
    (131_021, 131_021, Rejected(Code::InvalidRecipient)),   // we would write to ourselves
    (131_026, 131_026, Rejected(Code::InvalidRecipient)),   // has no WhatsApp, or an old one
    (131_030, 131_031, NotAccepted(Code::SenderNotAllowed)), // a test number; a locked account
    (131_037, 131_037, NotAccepted(Code::SenderNotAllowed)), // our name is not approved
    (131_042, 131_042, NotAccepted(Code::ProviderBalance)), // a payment is due
    (131_045, 131_045, NotAccepted(Code::SenderNotAllowed)), // our number is badly registered
    (131_047, 131_047, Rejected(Code::SessionWindowClosed)), // no text for more than 24 hours
    (131_048, 131_048, NotAccepted(Code::ProviderThrottled)), // too many called us spam
    (131_049, 131_049, Rejected(Code::ProviderRejected)),   // Meta spares the recipient
    (131_050, 131_050, Rejected(Code::RecipientOptedOut)),  // wants no marketing
    (131_051, 131_053, Rejected(Code::ProviderRejected)),   // an unsupported type or medium
    (131_056, 131_056, NotAccepted(Code::ProviderThrottled)), // too much to one recipient
    (131_057, 131_057, NotAccepted(Code::ProviderUnavailable)), // maintenance
    (132_000, 132_999, Rejected(Code::ProviderRejected)),   // the template
    (133_010, 133_010, NotAccepted(Code::SenderNotAllowed)), // our number is not registered
];

/// With the code 100: `phone_number_id` names nothing that the token may see.
const NO_SUCH_OBJECT: u32 = 33;

/// What a code says, if it is documented.
pub(super) fn verdict(code: u32, subcode: Option<u32>) -> Option<Verdict> {
    if (code, subcode) == (100, Some(NO_SUCH_OBJECT)) {
        return Some(NotAccepted(Code::SenderNotAllowed));
    }
    let known = CODES.iter().find(|(first, last, _)| (*first..=*last).contains(&code));
    known.map(|(.., verdict)| *verdict)
}
