//! Calls that outlive their callers.

use std::{sync::Arc, time::Duration};

use adapters_providers::Declaration;
use domain::{messaging::message::Message, shared::channel::Channel};
use ports::providers::provider::MessagingProvider;
use testkit::{
    HttpServer, Reply,
    smtp::{Manners, PlainSmtp},
};
use tokio::{
    runtime::{Builder, Runtime},
    sync::{Semaphore, mpsc},
    task::{spawn, spawn_blocking},
    time::timeout,
};

use crate::{
    smtp,
    support::{credentials, declaration, kind, made, message},
};

const DEADLINE: Duration = Duration::from_secs(20);

/// Returns a runtime like that of a thread which serves requests.
fn brief() -> Runtime {
    Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

/// Service that accepts messages as JSON, keeps its connections, and responds when permitted.
struct Service {
    server: HttpServer,
    let_answer: Arc<Semaphore>,
    requests: mpsc::UnboundedReceiver<()>,
}

impl Service {
    async fn start() -> Self {
        let let_answer = Arc::new(Semaphore::new(0));
        let (sender, requests) = mpsc::unbounded_channel();
        let gate = Arc::clone(&let_answer);
        let server = HttpServer::start(move |_| {
            let _ = sender.send(());
            Reply::text(202, "{\"id\":\"x\"}").when(&gate)
        })
        .await;
        Self { server, let_answer, requests }
    }

    async fn request(&mut self) {
        timeout(DEADLINE, self.requests.recv()).await.unwrap().unwrap();
    }

    fn provider(&self) -> Arc<dyn MessagingProvider> {
        let secret = [("secret", "whsec_plJ3nmyCDGBKInavdOK15jslplJ3nmyC")];
        made(&Declaration {
            credentials: credentials(secret),
            ..declaration("http", Channel::Sms, &self.server.url())
        })
    }
}

fn sms() -> Message {
    message(Channel::Sms, "+233244123456", "Hello")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_outlives_the_runtime_on_which_its_connection_was_opened() {
    let mut service = Service::start().await;
    let provider = service.provider();
    let brief = brief();
    let (opener, text) = (Arc::clone(&provider), sms());
    let opening = brief.spawn(async move { opener.send(&text).await });
    service.request().await;
    service.let_answer.add_permits(1);
    assert_eq!(kind(&opening.await.unwrap()).0, 'A');

    let call = spawn(async move { provider.send(&sms()).await });
    service.request().await;
    spawn_blocking(move || drop(brief)).await.unwrap();
    service.let_answer.add_permits(1);

    let outcome = timeout(DEADLINE, call).await.unwrap().unwrap();
    assert_eq!(kind(&outcome).0, 'A', "{outcome:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_smtp_message_outlives_the_runtime_of_its_connection() {
    let let_reply = Arc::new(Semaphore::new(1));
    let waits_at = Some(("RCPT", Arc::clone(&let_reply)));
    let server = PlainSmtp::start(Manners { waits_at, ..Manners::default() }).await;
    let provider = made(&smtp::declared(&format!("smtp://{}", server.address)));
    let brief = brief();
    let (opener, mail) = (Arc::clone(&provider), smtp::mail("ama@example.com"));
    let first = brief.spawn(async move { opener.send(&mail).await }).await.unwrap();
    assert_eq!(kind(&first).0, 'A');

    let call = spawn(async move { provider.send(&smtp::mail("ama@example.com")).await });
    let is_at = |command: &String| command.starts_with("RCPT");
    let asked =
        server.transcript_when(|seen| seen.commands.iter().filter(|it| is_at(it)).count() == 2);
    let transcript = timeout(DEADLINE, asked).await.unwrap();
    assert_eq!(transcript.connections, 1, "on the connection that was opened before");
    spawn_blocking(move || drop(brief)).await.unwrap();
    let_reply.add_permits(1);

    let outcome = timeout(DEADLINE, call).await.unwrap().unwrap();
    assert_eq!(kind(&outcome).0, 'A', "{outcome:?}");
}

#[tokio::test]
async fn a_dropped_caller_does_not_cut_off_a_call() {
    let let_reply = Arc::new(Semaphore::new(0));
    let waits_at = Some(("RCPT", Arc::clone(&let_reply)));
    let server = PlainSmtp::start(Manners { waits_at, ..Manners::default() }).await;
    let provider = made(&smtp::declared(&format!("smtp://{}", server.address)));
    let call = spawn(async move { provider.send(&smtp::mail("ama@example.com")).await });
    let asked =
        server.transcript_when(|seen| seen.commands.iter().any(|it| it.starts_with("RCPT")));
    timeout(DEADLINE, asked).await.unwrap();

    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    let_reply.add_permits(1);

    let taken = server.transcript_when(|seen| seen.texts.len() == 1);
    timeout(DEADLINE, taken).await.unwrap();
}
