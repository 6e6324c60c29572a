//! Nothing that is logged gives a credential, a text or a recipient away.

use std::{
    io,
    sync::{Arc, Mutex},
};

use adapters_providers::{Declaration, Kind};
use domain::channel::Channel;
use tracing_subscriber::fmt::MakeWriter;

use crate::{
    smtp::declared,
    smtp_server::{SmtpServer, is_available},
    support::{credentials, declaration, made, message},
    vendor_server::{Then, VendorServer, answer, nobody},
};

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

#[tokio::test]
async fn neither_credentials_nor_recipients_are_logged() {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(log.clone())
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);

    talk_to_africas_talking().await;
    if is_available() {
        talk_to_a_mail_server().await;
    }

    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(log.contains("a call to a provider failed"), "{log}");
    for private in ["s3cr3t", "czNjcjN0", "244123456", "nobody@", "a code"] {
        assert!(!log.contains(private), "{private}: {log}");
    }
}

async fn talk_to_africas_talking() {
    let sms = message(Channel::Sms, "+233244123456", "a code");
    let unauthorized = VendorServer::start(answer("401 Unauthorized", "", "s3cr3t")).await;
    let broken = VendorServer::start(Then::HangUp).await;
    let refused = format!("http://{}", nobody().await);
    for url in [&unauthorized.url, &broken.url, &refused] {
        let declaration = Declaration {
            credentials: credentials([("username", "ama"), ("api_key", "s3cr3t")]),
            ..declaration(Kind::AfricasTalking, Channel::Sms, url)
        };
        made(&declaration).send(&sms).await;
    }
}

async fn talk_to_a_mail_server() {
    let server = SmtpServer::start(&["--user", "ama", "--password", "s3cr3t"]).await;
    let address = format!("smtp://127.0.0.1:{}", server.port);
    for base_url in [address, format!("smtp://{}", nobody().await)] {
        for password in ["s3cr3t", "s3cr3t too"] {
            let declaration = Declaration {
                credentials: credentials([("username", "ama"), ("password", password)]),
                ..declared(&base_url)
            };
            let mail = message(Channel::Email, "nobody@example.com", "a code");
            made(&declaration).send(&mail).await;
        }
    }
}
