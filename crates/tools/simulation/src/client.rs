//! Clients, which send messages, and repeat unanswered requests.

use std::time::Duration;

use domain::{
    identity::{
        caller::{Caller, Identity},
        organization::{Organization, Role},
        user::User,
    },
    messaging::message::{Message, MessageRequest},
    shared::{category::Category, channel::Channel, id::Id, trace::TraceHead},
};
use tokio::time::{sleep, timeout};
use usecases::{
    Error,
    messaging::messages::{Messages, SendBulk, SendMessage},
};

use crate::{chance::Chance, orders::OrderId, witness::Loss, world::World};

/// Most tries of a request.
const TRIES: usize = 8;
/// Time after which a client stops waiting for an answer.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Validities of messages, in seconds.
const VALIDITIES: [i64; 4] = [60, 120, 300, 900];

/// Client of an organization.
pub(crate) struct Client {
    pub(crate) caller: Caller,
    pub(crate) chance: Chance,
    pub(crate) world: World,
}

/// Request of a client.
#[derive(Clone)]
struct Command {
    messages: Vec<MessageRequest>,
    is_bulk: bool,
    is_async: bool,
    key: Option<String>,
}

/// Answer, as a client understands it.
enum Answer {
    Accepted(Vec<Id<Message>>),
    Refused(&'static str),
    /// The request may be repeated.
    Failed(&'static str),
}

impl Client {
    pub(crate) fn new(
        organization: Id<Organization>,
        user: Id<User>,
        chance: Chance,
        world: World,
    ) -> Self {
        let identity = Identity::Member { user, role: Role::Developer };
        let (policy, trace) = (std::sync::Arc::default(), TraceHead::default());
        let caller = Caller { organization, identity, policy, trace };
        Self { caller, chance, world }
    }

    /// Makes that number of requests, one after the other.
    pub(crate) async fn run(self, requests: usize) {
        for _ in 0..requests {
            sleep(self.chance.pause(0..=15_000)).await;
            self.order().await;
        }
    }

    async fn order(&self) {
        let is_bulk = self.chance.happens(400);
        let count = if is_bulk { self.chance.index(7) + 2 } else { 1 };
        let is_keyed = self.chance.happens(800);
        let organization = self.caller.organization;
        let (order, recipients) = self.world.orders.place(organization, is_keyed, count);
        let name = recipients.first().cloned().unwrap_or_default();
        let command = Command {
            messages: self.messages(&recipients),
            is_bulk,
            is_async: self.chance.happens(500),
            key: is_keyed.then(|| name.clone()),
        };
        let tries = if is_keyed { TRIES } else { 1 };
        for _ in 0..tries {
            match self.ask(command.clone()).await {
                Answer::Accepted(messages) => {
                    self.note(order, &format!("{} messages accepted", messages.len()));
                    self.world.orders.accept(order, messages);
                    // A careful client may repeat the request nevertheless.
                    if !self.chance.happens(150) {
                        return;
                    }
                }
                Answer::Refused(code) => {
                    self.note(order, code);
                    self.world.orders.refuse(order, code);
                    return;
                }
                Answer::Failed(code) => self.note(order, code),
            }
            sleep(self.chance.pause(100..=15_000)).await;
        }
    }

    fn note(&self, order: OrderId, what: &str) {
        self.world.trace.note(format_args!("{order:?}: {what}"));
    }

    /// Returns messages to these recipients, all of the same text or each of its own.
    fn messages(&self, recipients: &[String]) -> Vec<MessageRequest> {
        let category = match self.chance.index(5) {
            0 => Category::Otp,
            1 => Category::Alert,
            2 => Category::Marketing,
            _ => Category::Transactional,
        };
        let validity = self.chance.pick(&VALIDITIES).copied();
        let is_same = self.chance.happens(600);
        let message = |to: &String| MessageRequest {
            channel: Some(Channel::Sms),
            to: Some(to.clone()),
            body: Some(if is_same { "Akwaaba".to_owned() } else { format!("Akwaaba {to}") }),
            category: Some(category),
            validity,
            ..MessageRequest::default()
        };
        recipients.iter().map(message).collect()
    }

    /// Asks one of the processes. The answer is lost if that process ends meanwhile.
    async fn ask(&self, command: Command) -> Answer {
        let Some(instance) = self.world.any_instance(&self.chance) else {
            return Answer::Failed("no process");
        };
        let process = instance.process;
        let (messages, caller) = (instance.messages.clone(), self.caller.clone());
        let sending = async move { send(messages, caller, command).await };
        let (task, answer) = self.world.scheduler.ask(process, sending);
        match timeout(TIMEOUT, answer).await {
            Ok(Ok(Ok(messages))) => Answer::Accepted(messages),
            Ok(Ok(Err(error))) => self.judge(&error),
            Ok(Err(_)) => Answer::Failed("connection lost"),
            Err(_) => {
                if self.world.scheduler.abort(task) {
                    self.world.witness.lose(process, Loss::Request);
                }
                Answer::Failed("no answer")
            }
        }
    }

    fn judge(&self, error: &Error) -> Answer {
        let code = error.code();
        match error {
            Error::Store(_) | Error::Overloaded | Error::InProgress(_) => Answer::Failed(code),
            Error::InsufficientBalance(_) => Answer::Refused(code),
            _ => {
                self.world.witness.violation(format_args!("a request was refused: {error}"));
                Answer::Refused(code)
            }
        }
    }
}

async fn send(
    messages: Messages,
    caller: Caller,
    command: Command,
) -> Result<Vec<Id<Message>>, Error> {
    let Command { messages: mut requests, is_bulk, is_async, key } = command;
    let accepted = if is_bulk {
        let command =
            SendBulk { messages: requests, idempotency_key: key, is_async, ..SendBulk::default() };
        messages.send_bulk(&caller, command).await?.accepted
    } else {
        let message = requests.pop().unwrap_or_default();
        let command =
            SendMessage { message, idempotency_key: key, is_async, ..SendMessage::default() };
        vec![messages.send(&caller, command).await?.accepted]
    };
    Ok(accepted.into_iter().map(|message| message.id).collect())
}
