//! Mail servers: email over SMTP (RFC 5321).
//!
//! The conversation is run here, command by command, so that its end shows if the server may have
//! accepted the message: only after the text was being sent.

mod mime;
mod one_click;
mod reply;
mod server;
mod subject;

use std::{
    fmt::Display,
    future::poll_fn,
    pin::pin,
    sync::{Arc, Mutex, PoisonError},
    task::Poll,
    time::Duration,
};

use async_trait::async_trait;
use domain::{
    messaging::{
        message::Message,
        outcome::{FollowUp, LookUp, Outcome},
    },
    providers::provider::Check,
    shared::channel::Channel,
};
use lettre::{
    message::Mailbox,
    transport::smtp::{
        authentication::Credentials,
        client::AsyncSmtpConnection,
        commands::{Data, Mail, Noop, Rcpt, Rset},
        response::Response,
    },
};
use ports::{audience::unsubscribes::UnsubscribeLinks, providers::provider::MessagingProvider};
use tokio::{
    sync::Semaphore,
    time::{Instant, timeout},
};

use crate::{
    declaration::{Declaration, DeclarationError},
    deps::Deps,
    health,
    kind::{BaseUrl, Vendor},
    mail::{self, Envelope},
    registration::Registration,
    secret::Secret,
};
use mime::MimeMessage;
use reply::{Broken, Phase};
use server::Server;

const VENDOR: Vendor = Vendor {
    name: "smtp",
    channels: &[Channel::Email],
    base_url: BaseUrl::Declared,
    optional_credentials: &["username", "password"],
    options: &["max_connections"],
    ..Vendor::DEFAULTS
};

pub(super) const REGISTRATION: Registration = Registration {
    vendor: &VENDOR,
    check: |declaration| Settings::read(declaration).map(drop),
    build,
    usual_concurrency,
};

/// Default number of connections; common servers refuse more at once.
const USUAL_CONNECTIONS: usize = 16;
/// Time for which an unused connection is kept.
const IDLE_TIME: Duration = Duration::from_secs(30);
/// Time in which a kept connection must show that it still works.
const PROBE_TIME: Duration = Duration::from_secs(2);
/// Reply code that requests the text.
const START_MAIL_INPUT: u16 = 354;

/// Declared settings of a mail server.
struct Settings {
    server: Server,
    sender: Mailbox,
    timeout: Duration,
    connections: usize,
}

struct Smtp {
    server: Server,
    sender: Mailbox,
    links: Arc<dyn UnsubscribeLinks>,
    timeout: Duration,
    /// Permits for open connections.
    places: Semaphore,
    idle: Mutex<Vec<Idle>>,
}

/// Open connection that is not in use.
struct Idle {
    connection: AsyncSmtpConnection,
    since: Instant,
}

fn build(
    declaration: &Declaration,
    deps: &Deps,
) -> Result<Arc<dyn MessagingProvider>, DeclarationError> {
    let settings = Settings::read(declaration)?;
    Ok(Arc::new(Smtp::new(settings, Arc::clone(&deps.links))))
}

/// Reads the credentials. The user name is the sender unless declared; `None` if no password is
/// declared either.
fn credentials(
    declaration: &Declaration,
    sender: &Mailbox,
) -> Result<Option<Credentials>, DeclarationError> {
    let username = declaration.credentials.get("username").map(Secret::expose);
    if username.is_none() && !declaration.credentials.contains_key("password") {
        return Ok(None);
    }
    let password = declaration.credential("password")?.expose();
    let username = username.map_or_else(|| sender.email.to_string(), ToOwned::to_owned);
    Ok(Some(Credentials::new(username, password.to_owned())))
}

#[async_trait]
impl MessagingProvider for Smtp {
    async fn send(&self, message: &Message) -> Outcome {
        let Some(letter) = MimeMessage::write(message, &self.sender, &*self.links) else {
            return Envelope::missing();
        };
        let mut phase = Phase::Waiting;
        match timeout(self.timeout, self.deliver(&letter, &mut phase)).await {
            Ok(Ok(())) => Outcome::Accepted {
                reference: Some(letter.message_id),
                follow_up: FollowUp::Nothing,
            },
            Ok(Err(broken)) => broken.outcome(phase),
            Err(_) => reply::timed_out(phase),
        }
    }

    async fn look_up(&self, _: &Message) -> LookUp {
        LookUp::Unavailable
    }

    async fn check(&self) -> Check {
        let mut phase = Phase::Waiting;
        let broken = match timeout(self.timeout, self.probe(&mut phase)).await {
            Ok(Ok(())) => {
                return health::up("the mail server answers, and knows us");
            }
            Ok(Err(broken)) => broken.outcome(phase),
            Err(_) => reply::timed_out(phase),
        };
        health::check_of(broken)
    }
}

/// Returns the number of connections, so that a message waits for one in the provider queue and not
/// in a call.
fn usual_concurrency(declaration: &Declaration) -> Option<u32> {
    match declaration.option("max_connections") {
        Ok(Some(declared)) => Some(declared),
        _ => u32::try_from(USUAL_CONNECTIONS).ok(),
    }
}

impl Settings {
    fn read(declaration: &Declaration) -> Result<Self, DeclarationError> {
        let sender = mail::sender(declaration)?;
        let url = declaration.base_url.as_deref();
        let url = url.ok_or_else(|| declaration.invalid("base_url", "is missing"))?;
        let server = Server::new(url, credentials(declaration, &sender)?)
            .map_err(|problem| declaration.invalid("base_url", problem))?;
        let connections = declaration.option("max_connections")?.unwrap_or(USUAL_CONNECTIONS);
        if !(1..=1_000).contains(&connections) {
            return Err(declaration.invalid_option("max_connections", "must be from 1 to 1000"));
        }
        Ok(Self { server, sender, timeout: declaration.longest_call(), connections })
    }
}

impl Smtp {
    fn new(settings: Settings, links: Arc<dyn UnsubscribeLinks>) -> Self {
        Self {
            server: settings.server,
            sender: settings.sender,
            links,
            timeout: settings.timeout,
            places: Semaphore::new(settings.connections),
            idle: Mutex::default(),
        }
    }

    /// Sends a MIME message. `phase` records the progress.
    async fn deliver(&self, letter: &MimeMessage, phase: &mut Phase) -> Result<(), Broken> {
        let _place = self.places.acquire().await;
        let mut connection = self.connection(phase).await?;
        let result = hand_over(&mut connection, letter, phase).await;
        // After a refusal the connection is still usable; without a reply it is not.
        if result.as_ref().err().is_none_or(Broken::is_refusal) {
            self.keep(connection);
        }
        result
    }

    /// Runs a conversation as far as possible without sending anything.
    async fn probe(&self, phase: &mut Phase) -> Result<(), Broken> {
        let _place = self.places.acquire().await;
        let mut connection = self.connection(phase).await?;
        connection.command(Noop).await?;
        self.keep(connection);
        Ok(())
    }

    /// Returns a new or kept connection that is ready for a message.
    async fn connection(&self, phase: &mut Phase) -> Result<AsyncSmtpConnection, Broken> {
        *phase = Phase::Connecting;
        match self.idle_connection().await {
            Some(connection) => Ok(connection),
            None => Ok(self.server.connect(phase).await?),
        }
    }

    /// Returns a kept connection that still works.
    async fn idle_connection(&self) -> Option<AsyncSmtpConnection> {
        loop {
            let mut idle = self.idle().pop()?;
            if idle.since.elapsed() < IDLE_TIME && idle.works().await {
                return Some(idle.connection);
            }
        }
    }

    fn keep(&self, connection: AsyncSmtpConnection) {
        self.idle().push(Idle { connection, since: Instant::now() });
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Idle>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Idle {
    /// True if the server still replies, and only to commands. Also resets a transaction that a
    /// refusal may have left open.
    async fn works(&mut self) -> bool {
        let reset = async {
            is_in_step(&mut self.connection).await && self.connection.command(Rset).await.is_ok()
        };
        timeout(PROBE_TIME, reset).await.is_ok_and(|works| works)
    }
}

/// True if the server has sent nothing since its last reply. An unsolicited reply would be taken
/// for the reply to the next command, and all later replies would be off by one.
async fn is_in_step(connection: &mut AsyncSmtpConnection) -> bool {
    let mut surplus = pin!(connection.read_response());
    poll_fn(|context| Poll::Ready(surplus.as_mut().poll(context).is_pending())).await
}

/// Sends a command, if the previous one got exactly one reply.
async fn command(
    connection: &mut AsyncSmtpConnection,
    command: impl Display,
) -> Result<Response, Broken> {
    if !is_in_step(connection).await {
        return Err(Broken::OutOfStep);
    }
    Ok(connection.command(command).await?)
}

async fn hand_over(
    connection: &mut AsyncSmtpConnection,
    letter: &MimeMessage,
    phase: &mut Phase,
) -> Result<(), Broken> {
    *phase = Phase::Sender;
    command(connection, Mail::new(Some(letter.from.clone()), vec![])).await?;
    *phase = Phase::Recipient;
    command(connection, Rcpt::new(letter.to.clone(), vec![])).await?;
    *phase = Phase::Data;
    let reply = command(connection, Data).await?;
    if !reply.has_code(START_MAIL_INPUT) || !is_in_step(connection).await {
        return Err(Broken::OutOfStep);
    }
    *phase = Phase::Text;
    connection.message(&letter.text).await?;
    Ok(())
}
