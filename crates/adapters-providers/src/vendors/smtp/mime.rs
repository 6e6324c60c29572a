//! Messages in the Internet Message Format (RFC 5322).

use std::time::SystemTime;

use domain::{
    messaging::message::Message,
    shared::{text::with_plain_line_breaks, text_format::TextFormat},
};
use lettre::{
    Address,
    error::Error as MailError,
    message::{Mailbox, MultiPart, SinglePart},
};
use ports::audience::unsubscribes::UnsubscribeLinks;

use super::{
    one_click::{ListUnsubscribe, OneClick},
    subject::Subject,
};
use crate::mail::{Envelope, NO_SUBJECT, Text, unsubscribe_link};

/// Message that is ready to be sent.
pub(super) struct MimeMessage {
    pub(super) from: Address,
    pub(super) to: Address,
    /// `Message-ID`, without angle brackets.
    pub(super) message_id: String,
    /// Headers and body, without the end of the last line.
    pub(super) text: Vec<u8>,
}

impl MimeMessage {
    /// Formats a message from `sender`; `None` if its recipient is not a valid email address.
    pub(super) fn write(
        message: &Message,
        sender: &Mailbox,
        links: &dyn UnsubscribeLinks,
    ) -> Option<Self> {
        let Envelope { from, reply_to, to, message_id } = Envelope::of(message, sender)?;
        let mut builder = lettre::Message::builder()
            .from(from)
            .to(to.clone().into())
            .date(SystemTime::from(message.created_at))
            .message_id(Some(format!("<{message_id}>")));
        if let Some(address) = reply_to {
            builder = builder.reply_to(address.into());
        }
        if let Some(link) = unsubscribe_link(message, links) {
            builder = builder.header(ListUnsubscribe::new(&link)).header(OneClick);
        }
        let subject = message.draft.subject.as_deref().unwrap_or(NO_SUBJECT);
        builder = builder.header(Subject::new(subject));
        // Some servers take a lone CR for the end of a line: the text after it could pass for
        // commands.
        let text = with_plain_line_breaks(message.draft.body.clone());
        let mut text = body(builder, &text, message.draft.format).ok()?.formatted();
        // The end of the last line is part of the dot that ends the text.
        if text.ends_with(b"\r\n") {
            text.truncate(text.len() - 2);
        }
        Some(Self { from: sender.email.clone(), to, message_id, text })
    }
}

fn body(
    builder: lettre::message::MessageBuilder,
    body: &str,
    format: TextFormat,
) -> Result<lettre::Message, MailError> {
    match Text::of(body, format) {
        Text { plain, html: Some(html) } => {
            builder.multipart(MultiPart::alternative_plain_html(plain, html.to_owned()))
        }
        Text { plain, html: None } => builder.singlepart(SinglePart::plain(plain)),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use domain::shared::{address::Address as Recipient, category::Category};

    use super::*;
    use crate::fixture::{Links, message};

    fn shop() -> Mailbox {
        "Shop <no-reply@shop.example>".parse().unwrap()
    }

    fn written(edit: impl FnOnce(&mut Message)) -> String {
        let mut message = message();
        edit(&mut message);
        let sender = shop();
        String::from_utf8(MimeMessage::write(&message, &sender, &Links).unwrap().text).unwrap()
    }

    #[test]
    fn a_mime_message_has_the_identifier_and_time_of_its_message() {
        let message = message();
        let sender = shop();

        let letter = MimeMessage::write(&message, &sender, &Links).unwrap();
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
    fn a_long_address_does_not_fold_the_unsubscribe_link() {
        let address = format!("{}@{}.example", "a".repeat(64), "b".repeat(60));
        let text = written(|message| {
            Arc::make_mut(&mut message.draft).category = Category::Marketing;
            Arc::make_mut(&mut message.draft).recipient = Recipient::stored(address.clone());
        });

        let link = format!("https://notify.example.com/unsubscribe/{address}");
        assert!(text.contains(&format!("\r\nList-Unsubscribe: <{link}>\r\n")), "{text}");
        let post = "\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n";
        assert!(text.contains(post), "{text}");
        assert!(!written(|_| {}).contains("List-Unsubscribe"));
    }

    #[test]
    fn html_gets_a_plain_alternative() {
        let text = written(|message| {
            crate::fixture::write(message, "<p>Hello <b>Ama</b></p>");
        });

        assert!(text.contains("Content-Type: multipart/alternative"), "{text}");
        assert!(text.contains("\r\n\r\nHello Ama\r\n"), "{text}");
        assert!(text.contains("\r\n\r\n<p>Hello <b>Ama</b></p>\r\n"), "{text}");
    }

    #[test]
    fn a_requested_sender_is_a_name_and_gets_the_replies() {
        for (asked, lines) in [
            ("Other Shop", vec!["From: \"Other Shop\" <no-reply@shop.example>"]),
            ("a@x.gh", vec!["From: Shop <no-reply@shop.example>", "Reply-To: a@x.gh"]),
            ("Ama <a@x.gh>", vec!["From: Ama <no-reply@shop.example>", "Reply-To: a@x.gh"]),
        ] {
            let text =
                written(|message| Arc::make_mut(&mut message.draft).sender = Some(asked.into()));
            for line in lines {
                assert!(text.contains(&format!("{line}\r\n")), "{line}: {text}");
            }
        }
    }

    #[test]
    fn a_line_ends_with_both_characters_or_with_none() {
        for body in ["a\rb\r\nc\nd\n\re\r", "<p>a\rb&#13;.&#13;\r\nc</p>\r.\r<p>d</p>\r"] {
            let text = written(|message| Arc::make_mut(&mut message.draft).body = body.into());
            let rest = text.replace("\r\n", "");
            assert!(!rest.contains(['\r', '\n']), "{text:?}");
        }
    }

    #[test]
    fn mail_without_a_subject_says_so() {
        let text = written(|message| Arc::make_mut(&mut message.draft).subject = None);
        assert!(text.contains("Subject: (no subject)\r\n"), "{text}");
    }

    #[test]
    fn a_mime_message_is_ascii() {
        let text = written(|message| {
            Arc::make_mut(&mut message.draft).recipient =
                Recipient::stored("ama@bücher.example".into());
            Arc::make_mut(&mut message.draft).subject = Some("Akwaaba, Ɔdɔ 😀".into());
            Arc::make_mut(&mut message.draft).body = "₵5 for Kɔjo\n".repeat(100);
            Arc::make_mut(&mut message.draft).sender = Some("Kɔjo".into());
        });

        assert!(text.is_ascii(), "{text}");
        assert!(text.contains("To: ama@xn--bcher-kva.example\r\n"), "{text}");
        assert!(text.lines().all(|line| line.len() < 998), "{text}");
    }
}
