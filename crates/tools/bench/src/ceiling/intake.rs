//! Writer of accepted messages: one statement, hence one commit, for all that wait.

use std::time::SystemTime;

use tokio::sync::{
    mpsc::{UnboundedReceiver, UnboundedSender},
    oneshot,
};
use tokio_postgres::{Client, Error, Statement};
use uuid::Uuid;

use super::{
    database::connect,
    journal::{Changes, Parameter},
    message::{Message, new_id},
    statements,
};

/// Maximum number of requests in a batch.
const BATCH: usize = 500;

/// Messages of a request, and the channel for its answer.
pub(super) struct Submission {
    pub(super) messages: Vec<Message>,
    pub(super) key: Option<Key>,
    pub(super) written: oneshot::Sender<()>,
}

/// Idempotency key of the first message of a request.
pub(super) struct Key {
    pub(super) text: String,
    pub(super) fingerprint: Vec<u8>,
}

/// Writes batches until nothing can come any more. What was accepted is passed on to be handed over,
/// if there is somewhere to pass it.
pub(super) async fn write(
    url: String,
    mut waiting: UnboundedReceiver<Submission>,
    accepted: Option<UnboundedSender<Message>>,
) -> Result<(), Error> {
    let client = connect(&url).await?;
    let statement = client.prepare(&statements::accept()).await?;
    let lease = accepted.as_ref().map(|_| new_id(SystemTime::now()));
    let mut batch = Vec::with_capacity(BATCH);
    while waiting.recv_many(&mut batch, BATCH).await > 0 {
        accept(&client, &statement, &batch, lease).await?;
        for Submission { messages, written, .. } in batch.drain(..) {
            let _ = written.send(());
            if let Some(accepted) = &accepted {
                for message in messages {
                    let _ = accepted.send(message);
                }
            }
        }
    }
    Ok(())
}

async fn accept(
    client: &Client,
    statement: &Statement,
    batch: &[Submission],
    lease: Option<Uuid>,
) -> Result<(), Error> {
    let messages: Vec<&Message> = batch.iter().flat_map(|it| &it.messages).collect();
    let mut changes = Changes::default();
    for message in &messages {
        changes.enter(message.organization, "QUEUED");
        changes.pay(message.organization);
    }
    let line = changes.line(SystemTime::now());
    let keyed = batch.iter().filter_map(|it| Some((it.key.as_ref()?, it.messages.first()?)));
    let keyed: Vec<(&Key, &Message)> = keyed.collect();
    let key_organizations: Vec<Uuid> = keyed.iter().map(|(_, it)| it.organization).collect();
    let keys: Vec<&str> = keyed.iter().map(|(key, _)| key.text.as_str()).collect();
    let fingerprints: Vec<&[u8]> =
        keyed.iter().map(|(key, _)| key.fingerprint.as_slice()).collect();
    let key_messages: Vec<Uuid> = keyed.iter().map(|(_, it)| it.id).collect();
    let ids: Vec<Uuid> = messages.iter().map(|it| it.id).collect();
    let organizations: Vec<Uuid> = messages.iter().map(|it| it.organization).collect();
    let channels: Vec<&str> = messages.iter().map(|it| it.channel.as_str()).collect();
    let recipients: Vec<&str> = messages.iter().map(|it| it.recipient.as_str()).collect();
    let bodies: Vec<&str> = messages.iter().map(|it| it.body.as_str()).collect();
    let attempts: Vec<String> = messages.iter().map(|it| it.planned_attempts()).collect();
    let created_at: Vec<SystemTime> = messages.iter().map(|it| it.created_at).collect();
    let own: [Parameter<'_>; 12] = [
        &key_organizations,
        &keys,
        &fingerprints,
        &key_messages,
        &lease,
        &ids,
        &organizations,
        &channels,
        &recipients,
        &bodies,
        &attempts,
        &created_at,
    ];
    let mut parameters = line.parameters();
    parameters.extend(own);
    client.execute(statement, &parameters).await?;
    Ok(())
}
