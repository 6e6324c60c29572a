//! Code shared by email vendors: the envelope of an email, the forms of its text, and the meaning
//! of bounces.

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

/// Subject of an email without one.
pub(crate) const NO_SUBJECT: &str = "(no subject)";

/// Sender and recipient of an email.
#[derive(Debug)]
pub(crate) struct Envelope {
    pub(crate) from: Mailbox,
    /// Address for replies; `None` is the sender.
    pub(crate) reply_to: Option<Address>,
    pub(crate) to: Address,
    /// `Message-ID` of the email, without angle brackets.
    pub(crate) message_id: String,
}

impl Envelope {
    /// Returns the envelope of a message from `sender`; `None` if its recipient is not a valid
    /// email address.
    ///
    /// A sender that the message requests becomes the display name and the reply address. It is not
    /// the address in `From`, because the server or vendor is authorized for its own domain only.
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

    /// Returns the envelopes of messages, or the outcome of all if one of them has none.
    pub(crate) fn of_each(messages: &[&Message], sender: &Mailbox) -> Result<Vec<Self>, Outcome> {
        let envelopes = messages.iter().map(|message| Self::of(message, sender));
        envelopes.collect::<Option<_>>().ok_or_else(Self::missing)
    }

    /// Returns the outcome of a message that has no envelope.
    pub(crate) fn missing() -> Outcome {
        let problem = "the recipient has no address that mail can be sent to";
        Outcome::Rejected(Failure::new(FailureCode::InvalidRecipient, problem))
    }
}

/// Returns the email address of a message's recipient; `None` if it is not valid.
pub(crate) fn recipient(message: &Message) -> Option<Address> {
    ascii(&message.draft.recipient.as_str().parse().ok()?)
}

/// Returns the `Message-ID` of a message's email, without angle brackets.
pub(crate) fn message_id(message: &Message, sender: &Mailbox) -> String {
    format!("{}@{}", message.id.internal(), sender.email.domain())
}

/// Returns the message whose email has this `Message-ID`; `None` if it is not one of this service.
pub(crate) fn about(message_id: &str) -> Option<MessageRef> {
    let (local, _) = message_id.trim_matches(['<', '>']).split_once('@')?;
    our_message(local)
}

/// Names of the headers with the unsubscribe link, and with the permission to unsubscribe by one
/// click (RFC 8058). Both must be signed with the email (DKIM), which the servers and vendors do.
pub(crate) const LIST_UNSUBSCRIBE: &str = "List-Unsubscribe";
pub(crate) const LIST_UNSUBSCRIBE_POST: &str = "List-Unsubscribe-Post";
/// Only permitted value of `List-Unsubscribe-Post`.
pub(crate) const ONE_CLICK: &str = "List-Unsubscribe=One-Click";

/// Returns the link by which the recipient of an email unsubscribes; `None` if it does not
/// advertise.
pub(crate) fn unsubscribe_link(message: &Message, links: &dyn UnsubscribeLinks) -> Option<String> {
    Some(links.link(&Subscription::of_mail(message)?))
}

/// Sender that a message requests.
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

/// Returns the declared sender. Fails without one: every email provider needs one.
pub(crate) fn sender(declaration: &Declaration) -> Result<Mailbox, DeclarationError> {
    let sender = mailbox(declaration.sender.as_deref().unwrap_or_default());
    sender.ok_or_else(|| declaration.invalid("sender", "must be an address, or a name <address>"))
}

/// Reads `Name <address>` or an address.
fn mailbox(text: &str) -> Option<Mailbox> {
    let mailbox: Mailbox = text.trim().parse().ok()?;
    Some(Mailbox::new(mailbox.name, ascii(&mailbox.email)?))
}

/// Converts the domain of an address to ASCII (RFC 5890). The local part has no such form: it must
/// be ASCII.
fn ascii(address: &Address) -> Option<Address> {
    if !address.user().is_ascii() {
        return None;
    }
    let domain = idna::domain_to_ascii(address.domain()).ok()?;
    Address::new(address.user(), domain).ok()
}

/// Text of an email, as plain text and as HTML.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Text<'a> {
    pub(crate) plain: String,
    /// Unchanged body; `None` if it is not HTML.
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

/// Returns the reason for a bounce, by the enhanced status code (RFC 3463) in the `prose` of the
/// recipient's server.
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

/// Returns the class of the first enhanced status code of a failure in `text`, and the rest of the
/// code.
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

/// True if a text is two numbers of up to three digits, such as `1.10`.
fn is_subject_and_detail(text: &str) -> bool {
    let numbers: Vec<_> = text.split('.').collect();
    numbers.len() == 2 && numbers.iter().all(|number| (1..=3).contains(&number.len()))
}

/// Builds a complaint or an unsubscription by the recipient of an email.
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
    fn only_a_mailbox_is_a_sender() {
        assert!(mailbox("Shop").is_none());
        assert!(mailbox("").is_none());
        assert_eq!(mailbox(" a@x.gh ").unwrap().email.to_string(), "a@x.gh");
    }

    #[test]
    fn a_requested_sender_is_a_name_and_gets_the_replies() {
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
    fn a_message_id_identifies_its_message() {
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
        for (reason, code, vendor_code) in [
            ("550 5.1.1 The email account does not exist", Code::InvalidRecipient, "5.1.1"),
            ("smtp; 550-5.1.10 null MX", Code::InvalidRecipient, "5.1.10"),
            ("554 5.7.1 [CS01] Message rejected", Code::BlockedContent, "5.7.1"),
            ("5.2.2", Code::Undelivered, "5.2.2"),
            ("550 from 5.135.1.1 or 1.5.1.1 at 5.1", Code::Undelivered, "bounce"),
            ("", Code::Undelivered, "bounce"),
        ] {
            let failure = bounce(reason, "bounce");
            assert_eq!(
                (failure.code, failure.vendor_code.as_deref()),
                (code, Some(vendor_code)),
                "{reason}"
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
