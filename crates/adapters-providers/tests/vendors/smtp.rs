//! Mail servers.

use std::{sync::Arc, time::Duration};

use adapters_providers::Declaration;
use chrono::DateTime;
use domain::{
    messaging::{
        delivery::FailureCode as Code,
        message::Message,
        outcome::{FollowUp, LookUp, Outcome},
    },
    providers::{
        breaker::{Breaker, BreakerSignal},
        provider::CheckStatus,
    },
    shared::{category::Category, channel::Channel},
};
use ports::providers::provider::MessagingProvider;
use testkit::smtp::{Manners, PlainSmtp};
use tokio::{io::AsyncWriteExt, net::TcpListener};

use crate::{
    smtp_server::{Certificate, SmtpServer},
    support::{credentials, declaration, kind, made, message},
    vendor_server::nobody,
};

pub(crate) fn declared(base_url: &str) -> Declaration {
    Declaration {
        sender: Some("Shop <no-reply@shop.example>".into()),
        ..declaration("smtp", Channel::Email, base_url)
    }
}

fn provider(base_url: &str) -> Arc<dyn MessagingProvider> {
    made(&declared(base_url))
}

pub(crate) fn mail(to: &str) -> Message {
    message(Channel::Email, to, "Hello Ama,\n.\nyour code is 1234.")
}

#[tokio::test]
async fn a_plain_server_gets_text_and_html() {
    let Some(mut server) = SmtpServer::start(&[]).await else { return };
    let provider = provider(&format!("smtp://127.0.0.1:{}", server.port));
    let text = mail("ama@example.com");
    let html = message(Channel::Email, "ama@example.com", "<p>Hello <b>Ama</b></p>");

    let outcome = provider.send(&text).await;
    let received = server.received().await;

    let reference = format!("{}@shop.example", text.id.internal());
    let content = &received.content;
    assert!(content.contains(&format!("Message-ID: <{reference}>\r\n")), "{content}");
    assert!(content.contains("From: Shop <no-reply@shop.example>\r\n"), "{content}");
    assert!(content.contains("Subject: Akwaaba =?utf-8?b?4oK1?=\r\n"), "{content}");
    assert!(content.ends_with("\r\n\r\nHello Ama,\r\n.\r\nyour code is 1234.\r\n"), "{content}");
    let follow_up = FollowUp::Nothing;
    assert_eq!(outcome, Outcome::Accepted { reference: Some(reference), follow_up });
    assert_eq!(received.sender, "no-reply@shop.example");
    assert_eq!(received.recipients, ["ama@example.com"]);
    assert_eq!((received.connections, received.user, received.encrypted), (1, None, false));

    assert_eq!(kind(&provider.send(&html).await), ('A', None));
    let received = server.received().await;
    assert!(received.content.contains("multipart/alternative"), "{}", received.content);
    assert_eq!(received.connections, 0, "the connection was kept");
    assert_eq!(provider.look_up(&html).await, LookUp::Unavailable);
}

#[tokio::test]
async fn only_advertising_has_the_unsubscribe_headers() {
    let Some(mut server) = SmtpServer::start(&[]).await else { return };
    let provider = provider(&format!("smtp://127.0.0.1:{}", server.port));
    let mut advertising = mail("ama@example.com");
    Arc::make_mut(&mut advertising.draft).category = Category::Marketing;

    assert_eq!(kind(&provider.send(&advertising).await), ('A', None));
    let content = server.received().await.content;
    let header = "\r\nList-Unsubscribe: \
                  <https://notify.example.com/unsubscribe/ama@example.com>\r\n";
    assert!(content.contains(header), "{content}");
    let header = "\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n";
    assert!(content.contains(header), "{content}");

    assert_eq!(kind(&provider.send(&mail("ama@example.com")).await), ('A', None));
    let content = server.received().await.content;
    assert!(!content.contains("List-Unsubscribe"), "{content}");
}

#[tokio::test]
async fn a_server_may_require_a_login() {
    let user = "no-reply@shop.example";
    let Some(mut server) = SmtpServer::start(&["--user", user, "--password", "s3cr3t"]).await
    else {
        return;
    };
    let base_url = format!("smtp://127.0.0.1:{}", server.port);
    let refused = ('N', Some(Code::ProviderAuth));
    for (credentials, expected) in [
        (credentials([("password", "s3cr3t")]), ('A', None)),
        (credentials([("username", user), ("password", "s3cr3t")]), ('A', None)),
        (credentials([("username", "other"), ("password", "s3cr3t")]), refused),
        (credentials([("password", "wrong")]), refused),
        (credentials([]), refused),
    ] {
        let declaration = Declaration { credentials, ..declared(&base_url) };
        let outcome = made(&declaration).send(&mail("ama@example.com")).await;

        assert_eq!(kind(&outcome), expected, "{declaration:?}: {outcome:?}");
        if expected.0 == 'A' {
            assert_eq!(server.received().await.user.as_deref(), Some(user));
        }
    }
}

#[tokio::test]
async fn a_check_logs_in_and_keeps_the_connection() {
    let user = "no-reply@shop.example";
    let Some(mut server) = SmtpServer::start(&["--user", user, "--password", "s3cr3t"]).await
    else {
        return;
    };
    let base_url = format!("smtp://127.0.0.1:{}", server.port);
    for (password, status, says) in [
        ("s3cr3t", CheckStatus::Up, "knows us"),
        ("wrong", CheckStatus::Down, "refused our credentials"),
    ] {
        let credentials = credentials([("password", password)]);
        let declaration = Declaration { credentials, ..declared(&base_url) };
        let provider = made(&declaration);

        let check = provider.check().await;
        assert_eq!(check.status, status, "{check:?}");
        assert!(check.message.contains(says), "{check:?}");

        if status == CheckStatus::Up {
            let outcome = provider.send(&mail("ama@example.com")).await;
            assert_eq!(kind(&outcome), ('A', None), "{outcome:?}");
            assert_eq!(server.received().await.connections, 1, "one for the look, and kept");
        }
    }
    let check = provider(&format!("smtp://{}", nobody().await)).check().await;
    assert_eq!(check.status, CheckStatus::Down, "{check:?}");
}

#[tokio::test]
async fn either_kind_of_tls_requires_a_trusted_certificate() {
    let certificate = Certificate::make();
    let (cert, key) = (certificate.certificate(), certificate.key());
    for (tls, scheme, query) in [
        ("starttls", "smtp", "tls=required&"),
        ("starttls", "smtp", "tls=opportunistic&"),
        ("implicit", "smtps", ""),
    ] {
        let Some(mut server) =
            SmtpServer::start(&["--tls", tls, "--cert", &cert, "--key", &key]).await
        else {
            return;
        };
        for host in ["127.0.0.1", "localhost"] {
            let address = format!("{scheme}://{host}:{}?{query}", server.port);

            let trusting = provider(&format!("{address}ca={cert}"));
            let outcome = trusting.send(&mail("ama@example.com")).await;
            assert_eq!(kind(&outcome), ('A', None), "{address}: {outcome:?}");
            assert!(server.received().await.encrypted);

            let doubting = provider(address.trim_end_matches(['&', '?']));
            let outcome = doubting.send(&mail("ama@example.com")).await;
            assert_eq!(kind(&outcome), ('N', Some(Code::ProviderUnavailable)), "{outcome:?}");
        }
    }
}

#[tokio::test]
async fn required_encryption_is_never_skipped() {
    let Some(server) = SmtpServer::start(&[]).await else { return };
    let provider = provider(&format!("smtp://127.0.0.1:{}?tls=required", server.port));

    let outcome = provider.send(&mail("ama@example.com")).await;

    assert_eq!(kind(&outcome), ('N', Some(Code::ProviderUnavailable)));
}

#[tokio::test]
async fn refusals_are_distinguished_and_keep_the_connection() {
    let Some(mut server) = SmtpServer::start(&[]).await else { return };
    let provider = provider(&format!("smtp://127.0.0.1:{}", server.port));
    let spam = message(Channel::Email, "ama@example.com", "SPAM");
    for (mail, expected, vendor_code) in [
        (mail("nobody@example.com"), ('R', Some(Code::InvalidRecipient)), "550 5.1.1"),
        (mail("greylisted@example.com"), ('N', Some(Code::RecipientUnreachable)), "451 4.7.1"),
        (spam, ('R', Some(Code::BlockedContent)), "554 5.7.1"),
    ] {
        let outcome = provider.send(&mail).await;

        assert_eq!(kind(&outcome), expected);
        let (Outcome::Rejected(failure) | Outcome::NotAccepted { failure, .. }) = outcome else {
            panic!("{outcome:?}")
        };
        assert_eq!(failure.vendor_code.as_deref(), Some(vendor_code));
        assert!(!failure.message.contains('@'), "{failure:?}");
    }

    assert_eq!(kind(&provider.send(&mail("ama@example.com")).await), ('A', None));
    assert_eq!(server.received().await.connections, 1);
}

#[tokio::test]
async fn refused_recipients_leave_the_breaker_closed() {
    let Some(server) = SmtpServer::start(&[]).await else { return };
    let provider = provider(&format!("smtp://127.0.0.1:{}", server.port));
    let mut breaker = Breaker::CLOSED;
    for to in ["greylisted@example.com", "nobody@example.com"].into_iter().cycle().take(24) {
        let outcome = provider.send(&mail(to)).await;
        breaker = breaker.after(BreakerSignal::of(&outcome), DateTime::UNIX_EPOCH);
    }
    assert_eq!(breaker, Breaker::CLOSED);
}

#[tokio::test]
async fn a_lone_cr_cannot_smuggle_commands() {
    let server = PlainSmtp::start(Manners::default()).await;
    let provider = provider(&format!("smtp://{}", server.address));
    let smuggled =
        "\r.\r\nMAIL FROM:<ceo@bank.example>\r\nRCPT TO:<a@b.example>\r\nDATA\r\n\r\npay";
    for body in [format!("Hello{smuggled}"), format!("<p>Hello{smuggled}</p>")] {
        let outcome = provider.send(&message(Channel::Email, "ama@example.com", &body)).await;
        assert_eq!(kind(&outcome), ('A', None), "{outcome:?}");
    }

    for text in server.transcript().texts {
        let text = String::from_utf8(text).unwrap();
        let lines = text.strip_suffix("\r\n.\r\n").unwrap();
        let is_end = |line: &str| line.trim_matches(['\r', '\n']) == ".";
        assert!(!lines.split_inclusive(['\r', '\n']).any(is_end), "{text:?}");
        assert!(!text.replace("\r\n", "").contains(['\r', '\n']), "{text:?}");
    }
}

#[tokio::test]
async fn an_out_of_step_server_accepts_nothing_and_is_disconnected() {
    for (at, reply) in [
        ("MAIL", "250 2.1.0 ok\r\n451 4.3.0 extra\r\n"),
        ("RCPT", "250 2.1.5 ok\r\n250 2.0.0 extra\r\n"),
        ("DATA", "354 go on\r\n250 2.0.0 queued\r\n"),
        ("DATA", "250 2.0.0 fine\r\n"),
    ] {
        let manners = Manners { replies: vec![(at, reply)], ..Manners::default() };
        let server = PlainSmtp::start(manners).await;
        let provider = provider(&format!("smtp://{}", server.address));
        for connections in 1..=2 {
            let outcome = provider.send(&mail("ama@example.com")).await;
            let transcript = server.transcript();
            let expected = ('N', Some(Code::ProviderUnavailable));
            assert_eq!(kind(&outcome), expected, "{at}: {outcome:?}");
            assert_eq!((transcript.connections, transcript.texts.len()), (connections, 0), "{at}");
        }
    }
}

#[tokio::test]
async fn a_surplus_reply_ends_the_connection_but_not_the_next_mail() {
    let manners = Manners {
        replies: vec![(".", "250 2.0.0 queued\r\n250 2.0.0 extra\r\n")],
        ..Manners::default()
    };
    let server = PlainSmtp::start(manners).await;
    let provider = provider(&format!("smtp://{}", server.address));
    for connections in 1..=2 {
        assert_eq!(kind(&provider.send(&mail("ama@example.com")).await), ('A', None));
        let transcript = server.transcript();
        assert_eq!((transcript.connections, transcript.texts.len()), (connections, connections));
    }
}

#[tokio::test]
async fn after_the_text_only_a_reply_gives_certainty() {
    let Some(server) = SmtpServer::start(&[]).await else { return };
    let declaration = Declaration {
        timeout: Some(Duration::from_millis(1_500)),
        ..declared(&format!("smtp://127.0.0.1:{}", server.port))
    };
    for body in ["hang up", "fall silent"] {
        let mail = message(Channel::Email, "ama@example.com", body);
        let outcome = made(&declaration).send(&mail).await;
        assert_eq!(kind(&outcome), ('U', Some(Code::UnknownOutcome)), "{body}: {outcome:?}");
    }
}

#[tokio::test]
async fn nothing_is_accepted_before_the_text() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let silent_address = silent.local_addr().unwrap().to_string();
    for address in [nobody().await, silent_address, greeting("SSH-2.0-x\r\n").await] {
        let declaration = Declaration {
            timeout: Some(Duration::from_millis(500)),
            ..declared(&format!("smtp://{address}"))
        };
        let outcome = made(&declaration).send(&mail("ama@example.com")).await;
        assert_eq!(kind(&outcome), ('N', Some(Code::ProviderUnavailable)), "{outcome:?}");
    }
}

/// Starts a server that sends `greeting` and hangs up.
async fn greeting(greeting: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.write_all(greeting.as_bytes()).await.unwrap();
    });
    address
}

#[tokio::test]
async fn a_connection_that_the_server_closed_is_replaced() {
    let Some(mut server) = SmtpServer::start(&["--patience", "0.3"]).await else { return };
    let provider = provider(&format!("smtp://127.0.0.1:{}", server.port));
    for _ in 0..2 {
        let outcome = provider.send(&mail("ama@example.com")).await;

        assert_eq!(kind(&outcome), ('A', None), "{outcome:?}");
        assert_eq!(server.received().await.connections, 1);
        tokio::time::sleep(Duration::from_millis(800)).await;
    }
}

#[tokio::test]
async fn many_messages_share_few_connections() {
    let Some(mut server) = SmtpServer::start(&[]).await else { return };
    let mut declaration = declared(&format!("smtp://127.0.0.1:{}", server.port));
    declaration.options.insert("max_connections".into(), "3".into());
    let provider = made(&declaration);

    let sending: Vec<_> = (0..40)
        .map(|_| {
            let provider = Arc::clone(&provider);
            tokio::spawn(async move { provider.send(&mail("ama@example.com")).await })
        })
        .collect();
    for sent in sending {
        assert_eq!(kind(&sent.await.unwrap()), ('A', None));
    }

    let mut connections = 0;
    for _ in 0..40 {
        connections += server.received().await.connections;
    }
    assert_eq!(connections, 3);
}
