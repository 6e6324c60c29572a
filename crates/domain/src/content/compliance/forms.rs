//! Classes of tokens recognised by their form, such as numbers and links.

use super::vocabulary::Classes;

/// Names of these classes in patterns, in the order of the constants.
pub(super) const NAMES: [&str; 24] = [
    "number",
    "digits",
    "money",
    "mobile",
    "phone",
    "ussd",
    "link",
    "shortener",
    "odd-link",
    "false-link",
    "raw-link",
    "chat-link",
    "email",
    "placeholder",
    "way-out",
    "card",
    "ghana-card",
    "disguised",
    "mixed",
    "given",
    "forwarding",
    "file-link",
    "amount",
    "high-percent",
];

/// A number, or a placeholder.
pub(super) const NUMBER: Classes = 1;
/// Three to eight digits, as codes have.
pub(super) const DIGITS: Classes = 1 << 1;
/// A number with a currency.
pub(super) const MONEY: Classes = 1 << 2;
/// The number of a mobile phone.
pub(super) const MOBILE: Classes = 1 << 3;
/// The number of any phone.
pub(super) const PHONE: Classes = 1 << 4;
/// A code to dial, such as `*170#`.
pub(super) const USSD: Classes = 1 << 5;
/// Any link.
pub(super) const LINK: Classes = 1 << 6;
/// A link that hides its destination.
pub(super) const SHORTENER: Classes = 1 << 7;
/// A link to a host under a free or cheap domain.
pub(super) const ODD_LINK: Classes = 1 << 8;
/// A link with the name of another organization in its host.
pub(super) const FALSE_LINK: Classes = 1 << 9;
/// A link to a bare or disguised address.
pub(super) const RAW_LINK: Classes = 1 << 10;
/// A link to a chat.
pub(super) const CHAT_LINK: Classes = 1 << 11;
/// A mail address.
pub(super) const EMAIL: Classes = 1 << 12;
/// A placeholder of a template.
pub(super) const PLACEHOLDER: Classes = 1 << 13;
/// A placeholder for an unsubscribe link.
pub(super) const WAY_OUT: Classes = 1 << 14;
/// The number of a payment card.
pub(super) const CARD: Classes = 1 << 15;
/// The number of a Ghana Card.
pub(super) const GHANA_CARD: Classes = 1 << 16;
/// A known word with digits for letters, look-alike letters, or spaces between its letters.
pub(super) const DISGUISED: Classes = 1 << 17;
/// A word with letters of two scripts.
pub(super) const MIXED: Classes = 1 << 18;
/// A secret that the text itself discloses.
pub(super) const GIVEN: Classes = 1 << 19;
/// A code that forwards calls to another number.
pub(super) const FORWARDING: Classes = 1 << 20;
/// A link to a program.
pub(super) const FILE_LINK: Classes = 1 << 21;
/// A number that may be an amount in cedis.
pub(super) const AMOUNT: Classes = 1 << 22;
/// A percentage that is high for interest.
pub(super) const HIGH_PERCENT: Classes = 1 << 23;
/// All these classes.
pub(super) const ALL: Classes = (1 << NAMES.len()) - 1;

/// Words that belong to forms: `GHA-…` begins the number of a Ghana Card, and `%` and currency signs are
/// read as words.
pub(super) const WORDS: [&str; 3] = ["gha", "percent", "cedis"];
