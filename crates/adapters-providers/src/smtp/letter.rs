//! Messages as mail (RFC 5322).

use std::time::SystemTime;

use domain::message::Message;
use lettre::{
    Address,
    error::Error as MailError,
    message::{Mailbox, MultiPart, SinglePart},
};

use super::plain_text::{is_html, plain_text};

/// A message that is ready to be handed over.
pub(super) struct Letter {
    pub(super) from: Address,
    pub(super) to: Address,
    /// Identifies the message in the mail system, without angle brackets.
    pub(super) message_id: String,
    /// Headers and body, without the end of the last line.
    pub(super) text: Vec<u8>,
}

impl Letter {
    /// Writes a message, from `sender`. None if its recipient is no address that mail can have.
    ///
    /// A sender that the message asks for shows as a name, and as where replies go. It is not the
    /// address the mail comes from: the mail server speaks for its own domain only.
    pub(super) fn write(message: &Message, sender: &Mailbox) -> Option<Self> {
        let draft = &message.draft;
        let to = ascii(&draft.recipient.as_str().parse().ok()?)?;
        let asked = draft.sender.as_deref().map(Asked::read).unwrap_or_default();
        let from = Mailbox::new(asked.name.or_else(|| sender.name.clone()), sender.email.clone());
        let message_id = format!("{}@{}", message.id.internal(), sender.email.domain());

        let mut builder = lettre::Message::builder()
            .from(from)
            .to(to.clone().into())
            .date(SystemTime::from(message.created_at))
            .message_id(Some(format!("<{message_id}>")));
        if let Some(address) = asked.address.filter(|address| *address != sender.email) {
            builder = builder.reply_to(address.into());
        }
        if let Some(subject) = &draft.subject {
            builder = builder.subject(subject);
        }
        let mut text = body(builder, &draft.body).ok()?.formatted();
        // The end of the last line comes with the dot that ends the text.
        if text.ends_with(b"\r\n") {
            text.truncate(text.len() - 2);
        }
        Some(Self { from: sender.email.clone(), to, message_id, text })
    }
}

fn body(
    builder: lettre::message::MessageBuilder,
    body: &str,
) -> Result<lettre::Message, MailError> {
    if is_html(body) {
        builder.multipart(MultiPart::alternative_plain_html(plain_text(body), body.to_owned()))
    } else {
        builder.singlepart(SinglePart::plain(body.to_owned()))
    }
}

/// A sender that a message asks for.
#[derive(Default)]
struct Asked {
    name: Option<String>,
    address: Option<Address>,
}

impl Asked {
    /// Reads `Name <address>`, an address, or a name.
    fn read(text: &str) -> Self {
        match mailbox(text) {
            Some(Mailbox { name, email }) => Self { name, address: Some(email) },
            None => Self { name: Some(text.trim().to_owned()), address: None },
        }
    }
}

/// Reads `Name <address>` or an address.
pub(super) fn mailbox(text: &str) -> Option<Mailbox> {
    let mailbox: Mailbox = text.trim().parse().ok()?;
    Some(Mailbox::new(mailbox.name, ascii(&mailbox.email)?))
}

/// The address with its domain in the form that every mail server understands (RFC 5890).
fn ascii(address: &Address) -> Option<Address> {
    let domain = idna::domain_to_ascii(address.domain()).ok()?;
    Address::new(address.user(), domain).ok()
}

#[cfg(test)]
mod tests {
    use domain::address::Address as Recipient;

    use super::*;
    use crate::fixture::message;

    fn written(edit: impl FnOnce(&mut Message)) -> String {
        let mut message = message();
        edit(&mut message);
        let sender = mailbox("Shop <no-reply@shop.example>").unwrap();
        String::from_utf8(Letter::write(&message, &sender).unwrap().text).unwrap()
    }

    #[test]
    fn a_letter_carries_the_identifier_and_the_time_of_the_message() {
        let message = message();
        let sender = mailbox("Shop <no-reply@shop.example>").unwrap();

        let letter = Letter::write(&message, &sender).unwrap();
        let text = String::from_utf8(letter.text).unwrap();

        assert_eq!(letter.message_id, format!("{}@shop.example", message.id.internal()));
        assert!(text.contains(&format!("Message-ID: <{}>\r\n", letter.message_id)), "{text}");
        assert!(text.contains("Date: Tue, 14 Nov 2023 22:13:20 +0000\r\n"), "{text}");
        assert!(text.contains("From: Shop <no-reply@shop.example>\r\n"), "{text}");
        assert!(text.contains("To: ama@example.com\r\n"), "{text}");
        assert!(text.contains("Subject: Your code\r\n"), "{text}");
        assert!(text.contains("Content-Type: text/plain; charset=utf-8\r\n"), "{text}");
        assert!(!text.contains("Reply-To"), "{text}");
    }

    #[test]
    fn html_gets_a_plain_alternative() {
        let text = written(|message| message.draft.body = "<p>Hello <b>Ama</b></p>".into());

        assert!(text.contains("Content-Type: multipart/alternative"), "{text}");
        assert!(text.contains("\r\n\r\nHello Ama\r\n"), "{text}");
        assert!(text.contains("\r\n\r\n<p>Hello <b>Ama</b></p>\r\n"), "{text}");
    }

    #[test]
    fn a_sender_that_is_asked_for_is_a_name_and_takes_the_replies() {
        for (asked, lines) in [
            ("Other Shop", vec!["From: \"Other Shop\" <no-reply@shop.example>"]),
            ("a@x.gh", vec!["From: Shop <no-reply@shop.example>", "Reply-To: a@x.gh"]),
            ("Ama <a@x.gh>", vec!["From: Ama <no-reply@shop.example>", "Reply-To: a@x.gh"]),
        ] {
            let text = written(|message| message.draft.sender = Some(asked.into()));
            for line in lines {
                assert!(text.contains(&format!("{line}\r\n")), "{line}: {text}");
            }
        }
    }

    #[test]
    fn whatever_is_written_is_ascii() {
        let text = written(|message| {
            message.draft.recipient = Recipient::stored("ama@bücher.example".into());
            message.draft.subject = Some("Akwaaba, Ɔdɔ 😀".into());
            message.draft.body = "₵5 for Kɔjo\n".repeat(100);
            message.draft.sender = Some("Kɔjo".into());
        });

        assert!(text.is_ascii(), "{text}");
        assert!(text.contains("To: ama@xn--bcher-kva.example\r\n"), "{text}");
        assert!(text.lines().all(|line| line.len() < 998), "{text}");
    }

    #[test]
    fn nothing_but_a_mailbox_is_a_sender() {
        assert!(mailbox("Shop").is_none());
        assert!(mailbox("").is_none());
        assert_eq!(mailbox(" a@x.gh ").unwrap().email.to_string(), "a@x.gh");
    }
}
