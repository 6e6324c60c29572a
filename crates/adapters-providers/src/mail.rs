//! What vendors of mail have in common: who a mail is from, the forms of its text, and what a bounce
//! means.

mod plain_text;

use chrono::{DateTime, Utc};
use domain::{
    audience::unsubscribe::Subscription,
    messaging::{
        callback::{MessageRef, RecipientRequest, RecipientRequestKind},
        delivery::{Failure, FailureCode},
        message::Message,
        outcome::Outcome,
    },
    shared::{address, channel::Channel, country::Country, text_format::TextFormat},
};
use lettre::{Address, message::Mailbox};
use ports::audience::unsubscribes::UnsubscribeLinks;

use crate::{
    callbacks::our_message,
    declaration::{Declaration, DeclarationError},
    verdict,
};

/// The subject of a mail without one.
pub(crate) const NO_SUBJECT: &str = "(no subject)";

/// Who a mail is from and to.
#[derive(Debug)]
pub(crate) struct Envelope {
    pub(crate) from: Mailbox,
    /// Where replies go, if not to the sender.
    pub(crate) reply_to: Option<Address>,
    pub(crate) to: Address,
    /// Identifies the message in the mail system, without angle brackets.
    pub(crate) message_id: String,
}

impl Envelope {
    /// The envelope of a message from `sender`. None if its recipient is no address that mail can
    /// have.
    ///
    /// A sender that the message asks for shows as a name, and as where replies go. It is not the
    /// address the mail comes from: who carries it speaks for its own domain only.
    pub(crate) fn of(message: &Message, sender: &Mailbox) -> Option<Self> {
        let to = recipient(message)?;
        let requested = message.draft.sender.as_deref();
        let requested = requested.map(RequestedSender::read).unwrap_or_default();
        let name = requested.name.or_else(|| sender.name.clone());
        Some(Self {
            from: Mailbox::new(name, sender.email.clone()),
            reply_to: requested.address.filter(|address| *address != sender.email),
            to,
            message_id: message_id(message, sender),
        })
    }

    /// The envelopes of messages, or what becomes of all if one of them has none.
    pub(crate) fn of_each(messages: &[&Message], sender: &Mailbox) -> Result<Vec<Self>, Outcome> {
        let envelopes = messages.iter().map(|message| Self::of(message, sender));
        envelopes.collect::<Option<_>>().ok_or_else(Self::missing)
    }

    /// What becomes of a message that has no envelope.
    pub(crate) fn missing() -> Outcome {
        let problem = "the recipient has no address that mail can be sent to";
        Outcome::Rejected(Failure::new(FailureCode::InvalidRecipient, problem))
    }
}

/// The address that a message's mail goes to. None if it is none that mail can have.
pub(crate) fn recipient(message: &Message) -> Option<Address> {
    ascii(&message.draft.recipient.as_str().parse().ok()?)
}

/// The identifier of a message's mail, without angle brackets.
pub(crate) fn message_id(message: &Message, sender: &Mailbox) -> String {
    format!("{}@{}", message.id.internal(), sender.email.domain())
}

/// The message whose mail has this identifier, if it is one of ours.
pub(crate) fn about(message_id: &str) -> Option<MessageRef> {
    let (local, _) = message_id.trim_matches(['<', '>']).split_once('@')?;
    our_message(local)
}

/// The header with the link by which a recipient unsubscribes, and the one which says that a click is
/// enough (RFC 8058). Both must be signed with the mail (DKIM), as those do who carry it.
pub(crate) const LIST_UNSUBSCRIBE: &str = "List-Unsubscribe";
pub(crate) const LIST_UNSUBSCRIBE_POST: &str = "List-Unsubscribe-Post";
/// All that the second one may say.
pub(crate) const ONE_CLICK: &str = "List-Unsubscribe=One-Click";

/// The link by which the recipient of a mail unsubscribes. None of what is no advertising.
pub(crate) fn unsubscribe_link(message: &Message, links: &dyn UnsubscribeLinks) -> Option<String> {
    Some(links.link(&Subscription::of_mail(message)?))
}

/// A sender that a message asks for.
#[derive(Default)]
struct RequestedSender {
    name: Option<String>,
    address: Option<Address>,
}

impl RequestedSender {
    /// Reads `Name <address>`, an address, or a name.
    fn read(text: &str) -> Self {
        match text.trim().parse() {
            Ok(Mailbox { name, email }) => Self { name, address: ascii(&email) },
            Err(_) => Self { name: Some(text.trim().to_owned()), address: None },
        }
    }
}

/// The declared sender: all that carry mail need one.
pub(crate) fn sender(declaration: &Declaration) -> Result<Mailbox, DeclarationError> {
    let sender = mailbox(declaration.sender.as_deref().unwrap_or_default());
    sender.ok_or_else(|| declaration.invalid("sender", "must be an address, or a name <address>"))
}

/// Reads `Name <address>` or an address.
fn mailbox(text: &str) -> Option<Mailbox> {
    let mailbox: Mailbox = text.trim().parse().ok()?;
    Some(Mailbox::new(mailbox.name, ascii(&mailbox.email)?))
}

/// The address with its domain in the form that every mail server understands (RFC 5890). There is
/// no such form of what stands before the domain: it must be ASCII.
fn ascii(address: &Address) -> Option<Address> {
    if !address.user().is_ascii() {
        return None;
    }
    let domain = idna::domain_to_ascii(address.domain()).ok()?;
    Address::new(address.user(), domain).ok()
}

/// The text of a mail in the forms that readers may want.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Text<'a> {
    pub(crate) plain: String,
    /// The body as it is, if it is HTML.
    pub(crate) html: Option<&'a str>,
}

impl<'a> Text<'a> {
    pub(crate) fn of(body: &'a str, format: TextFormat) -> Self {
        match format {
            TextFormat::Html => Self { plain: plain_text::plain_text(body), html: Some(body) },
            TextFormat::Text => Self { plain: body.to_owned(), html: None },
        }
    }
}

/// Why a mail bounced, by the enhanced status code (RFC 3463) in the `prose` of the recipient's
/// server.
pub(crate) fn bounce(prose: &str, vendor_code: &str) -> Failure {
    let code = enhanced(prose);
    let reason = match code.map(|(_, rest)| rest.split('.').next()) {
        Some(Some("1")) => FailureCode::InvalidRecipient,
        Some(Some("7")) => FailureCode::BlockedContent,
        _ => FailureCode::Undelivered,
    };
    match code {
        Some((class, rest)) => verdict::failure(reason, &format!("{class}.{rest}")),
        None => verdict::failure(reason, vendor_code),
    }
}

/// The class of the first enhanced status code of a failure in `text`, and the rest of the code.
fn enhanced(text: &str) -> Option<(&str, &str)> {
    for word in text.split(|c: char| !c.is_ascii_digit() && c != '.') {
        if let Some((class, rest)) = word.trim_end_matches('.').split_once('.')
            && matches!(class, "4" | "5")
            && is_subject_and_detail(rest)
        {
            return Some((class, rest));
        }
    }
    None
}

/// Whether a text is two numbers of up to three digits, such as `1.10`.
fn is_subject_and_detail(text: &str) -> bool {
    let numbers: Vec<_> = text.split('.').collect();
    numbers.len() == 2 && numbers.iter().all(|number| (1..=3).contains(&number.len()))
}

/// A complaint or an unsubscription of the recipient of a mail.
pub(crate) fn recipient_request(
    about: MessageRef,
    address: Option<&str>,
    kind: RecipientRequestKind,
    at: DateTime<Utc>,
) -> RecipientRequest {
    let recipient = address.map(|it| address::Address::parse(Channel::Email, Country::GH, it));
    let recipient = recipient.and_then(Result::ok);
    RecipientRequest { about, channel: Channel::Email, recipient, kind, at }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::fixture::message;

    #[test]
    fn nothing_but_a_mailbox_is_a_sender() {
        assert!(mailbox("Shop").is_none());
        assert!(mailbox("").is_none());
        assert_eq!(mailbox(" a@x.gh ").unwrap().email.to_string(), "a@x.gh");
    }

    #[test]
    fn a_sender_that_is_asked_for_is_a_name_and_takes_the_replies() {
        let shop = mailbox("Shop <no-reply@shop.example>").unwrap();
        for (asked, from, reply_to) in [
            ("Other Shop", "Other Shop <no-reply@shop.example>", None),
            ("a@x.gh", "Shop <no-reply@shop.example>", Some("a@x.gh")),
            ("Ama <a@x.gh>", "Ama <no-reply@shop.example>", Some("a@x.gh")),
            ("Ama <no-reply@shop.example>", "Ama <no-reply@shop.example>", None),
            ("\u{e4}m\u{e4}@x.gh", "Shop <no-reply@shop.example>", None),
            ("Ama <\u{e4}m\u{e4}@x.gh>", "Ama <no-reply@shop.example>", None),
        ] {
            let mut message = message();
            Arc::make_mut(&mut message.draft).sender = Some(asked.into());

            let envelope = Envelope::of(&message, &shop).unwrap();

            assert_eq!(envelope.from.to_string(), from, "{asked}");
            assert_eq!(envelope.reply_to.map(|it| it.to_string()).as_deref(), reply_to, "{asked}");
        }
    }

    #[test]
    fn the_identifier_of_a_mail_leads_back_to_its_message() {
        let message = message();
        let envelope = Envelope::of(&message, &mailbox("no-reply@shop.example").unwrap()).unwrap();

        assert_eq!(about(&envelope.message_id), Some(MessageRef::Ours(message.id)));
        assert_eq!(
            about(&format!("<{}>", envelope.message_id)),
            Some(MessageRef::Ours(message.id))
        );
        assert_eq!(about("20231114.1@mail.example"), None);
        assert_eq!(about("msg_1"), None);
    }

    #[test]
    fn html_comes_with_plain_text() {
        let text = Text::of("a <br> b", TextFormat::Text);
        assert_eq!(text, Text { plain: "a <br> b".into(), html: None });
        let html = "<p>Hello <b>Ama</b></p>";
        let text = Text::of(html, TextFormat::Html);
        assert_eq!(text, Text { plain: "Hello Ama\n".into(), html: Some(html) });
    }

    #[test]
    fn a_bounce_is_understood_by_its_enhanced_code() {
        use FailureCode as Code;
        for (said, code, vendor_code) in [
            ("550 5.1.1 The email account does not exist", Code::InvalidRecipient, "5.1.1"),
            ("smtp; 550-5.1.10 null MX", Code::InvalidRecipient, "5.1.10"),
            ("554 5.7.1 [CS01] Message rejected", Code::BlockedContent, "5.7.1"),
            ("5.2.2", Code::Undelivered, "5.2.2"),
            ("550 from 5.135.1.1 or 1.5.1.1 at 5.1", Code::Undelivered, "bounce"),
            ("", Code::Undelivered, "bounce"),
        ] {
            let failure = bounce(said, "bounce");
            assert_eq!(
                (failure.code, failure.vendor_code.as_deref()),
                (code, Some(vendor_code)),
                "{said}"
            );
        }
    }

    #[test]
    fn a_request_names_the_message_even_if_not_the_recipient() {
        let (about, at) = (MessageRef::Ours(message().id), DateTime::UNIX_EPOCH);
        for (address, recipient) in [
            (Some("Ama@example.com"), Some(address::Address::stored("Ama@example.com".into()))),
            (Some("nobody"), None),
            (None, None),
        ] {
            let request =
                recipient_request(about.clone(), address, RecipientRequestKind::Complaint, at);
            assert_eq!((&request.about, request.recipient), (&about, recipient), "{address:?}");
        }
    }
}
