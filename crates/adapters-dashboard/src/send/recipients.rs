//! Recipients of a message, as they are pasted and chosen.

use std::collections::HashSet;

use domain::shared::{address::Address, channel::Channel, country::Country};

/// Characters between recipients on one line. Blanks are a part of phone numbers.
const SEPARATORS: [char; 3] = [',', ';', '\t'];
/// Maximum number of recipients that are told apart: so many are too many already.
const MAX_DISTINCT: usize = 1_000;

/// Recipient as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Recipient {
    /// Number or address as it was written.
    pub(super) written: String,
    /// Line on which it was pasted, from 1; `None` if it was chosen from the contacts.
    pub(super) line: Option<usize>,
}

impl Recipient {
    pub(super) fn chosen(written: &str) -> Self {
        Self { written: written.to_owned(), line: None }
    }
}

/// Returns the recipients of a pasted text: one on each line, or several with commas between them.
pub(super) fn pasted(text: &str) -> Vec<Recipient> {
    let mut recipients = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let entries = line.split(SEPARATORS).map(str::trim).filter(|entry| !entry.is_empty());
        recipients.extend(
            entries.map(|entry| Recipient { written: entry.to_owned(), line: Some(number) }),
        );
    }
    recipients
}

/// Returns each recipient once, however it is spelt. Of far too many, the first are returned.
pub(super) fn distinct(channel: Channel, recipients: Vec<Recipient>) -> Vec<Recipient> {
    let (mut spellings, mut seen) = (HashSet::new(), HashSet::new());
    let is_new = |recipient: &Recipient| {
        // A number takes longer to read than to compare.
        if !spellings.insert(recipient.written.clone()) {
            return false;
        }
        let address = Address::parse(channel, Country::GH, &recipient.written);
        let known = address.map_or(recipient.written.clone(), |it| it.as_str().to_owned());
        seen.insert(known)
    };
    recipients.into_iter().filter(is_new).take(MAX_DISTINCT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(recipients: &[Recipient]) -> Vec<(&str, Option<usize>)> {
        recipients.iter().map(|it| (it.written.as_str(), it.line)).collect()
    }

    #[test]
    fn a_pasted_recipient_knows_its_line() {
        let recipients = pasted("024 123 4567\n\n 0201234567, 0271234567;\tama@example.com\r\n,");
        assert_eq!(
            written(&recipients),
            [
                ("024 123 4567", Some(1)),
                ("0201234567", Some(3)),
                ("0271234567", Some(3)),
                ("ama@example.com", Some(3)),
            ]
        );
    }

    #[test]
    fn a_recipient_in_two_spellings_gets_one_message() {
        let mut recipients = pasted("024 123 4567\n+233241234567\nnobody\nnobody\n0201234567");
        recipients.push(Recipient::chosen("+233201234567"));
        let left = distinct(Channel::Sms, recipients);
        assert_eq!(
            written(&left),
            [("024 123 4567", Some(1)), ("nobody", Some(3)), ("0201234567", Some(5))]
        );
    }
    #[test]
    fn far_too_many_recipients_are_not_read_to_their_end() {
        let repeated = "0241234567,".repeat(5_000) + "0201234567";
        assert_eq!(distinct(Channel::Sms, pasted(&repeated)).len(), 2);
        let many: Vec<String> = (0..5_000).map(|number| format!("020100{number:04}")).collect();
        let many = many.join("\n");
        assert_eq!(distinct(Channel::Sms, pasted(&many)).len(), MAX_DISTINCT);
    }
}
