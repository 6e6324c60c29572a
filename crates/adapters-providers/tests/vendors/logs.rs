//! Tests that the log contains no credential, text or recipient.

use std::{
    io,
    sync::{Arc, Mutex},
    thread::{self, ThreadId},
};

use adapters_providers::Declaration;
use domain::shared::channel::Channel;
use tracing_subscriber::fmt::MakeWriter;

use crate::{
    conformance::{Fixture, TEXT, each, misadventures},
    smtp::declared,
    smtp_server::SmtpServer,
    support::{credentials, made, message},
    vendor_server::nobody,
};

/// The log of one test, which runs on one thread.
#[derive(Clone)]
struct Log {
    thread: ThreadId,
    lines: Arc<Mutex<Vec<u8>>>,
}

impl Log {
    /// Collects the lines of this thread.
    ///
    /// The subscriber is that of the process: when another test is the first to pass a log line,
    /// `tracing` would ask the subscriber of that test's thread, and never again.
    fn start() -> Self {
        let log = Self { thread: thread::current().id(), lines: Arc::default() };
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::TRACE)
            .with_writer(log.clone())
            .finish();
        tracing::subscriber::set_global_default(subscriber).unwrap();
        log
    }

    fn text(&self) -> String {
        String::from_utf8(self.lines.lock().unwrap().clone()).unwrap()
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if thread::current().id() == self.thread {
            self.lines.lock().unwrap().extend_from_slice(bytes);
        }
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
    let log = Log::start();
    let private = Mutex::new(Vec::new());
    each(|fixture| {
        private.lock().unwrap().extend(secrets(&fixture));
        misadventures(fixture)
    })
    .await;
    talk_to_a_mail_server().await;

    let log = log.text();
    assert!(log.contains("a call to a provider failed"), "{log}");
    let of_vendors = private.lock().unwrap().clone();
    for private in ["s3cr3t", "czNjcjN0", "nobody@", "a code"].into_iter().chain(of_vendors) {
        assert!(!log.contains(private), "{private}: {log}");
    }
}

/// Returns the private parts of a message to a vendor, in a form that survives any encoding.
fn secrets(fixture: &Fixture) -> impl Iterator<Item = &'static str> + use<> {
    let recipient = fixture.recipient.trim_start_matches('+').split('@').next();
    let text = TEXT.split(' ').next();
    fixture.secrets.iter().copied().chain(recipient).chain(text)
}

async fn talk_to_a_mail_server() {
    let Some(server) = SmtpServer::start(&["--user", "ama", "--password", "s3cr3t"]).await else {
        return;
    };
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
