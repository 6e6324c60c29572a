//! Writer of the steps of accepted messages: a provider takes each, and reports that it was delivered.

use std::time::SystemTime;

use tokio::sync::mpsc::UnboundedReceiver;
use tokio_postgres::{Client, Error, Statement};
use uuid::Uuid;

use super::{
    database::connect,
    journal::{Changes, Parameter},
    message::Message,
    statements,
};

/// Maximum number of messages that are handed over in a batch.
const BATCH: usize = 500;

/// Writes batches until nothing can come any more. A batch hands over what was accepted meanwhile, and
/// reports on what the last batch handed over.
pub(super) async fn write(
    url: String,
    mut accepted: UnboundedReceiver<Message>,
) -> Result<(), Error> {
    let client = connect(&url).await?;
    let statement = client.prepare(&statements::step()).await?;
    let mut reported: Vec<Message> = Vec::new();
    loop {
        let mut handed_over = Vec::new();
        if reported.is_empty() {
            accepted.recv_many(&mut handed_over, BATCH).await;
        }
        while handed_over.len() < BATCH
            && let Ok(message) = accepted.try_recv()
        {
            handed_over.push(message);
        }
        if handed_over.is_empty() && reported.is_empty() {
            return Ok(());
        }
        step(&client, &statement, &handed_over, &reported).await?;
        reported = handed_over;
    }
}

async fn step(
    client: &Client,
    statement: &Statement,
    handed_over: &[Message],
    reported: &[Message],
) -> Result<(), Error> {
    let now = SystemTime::now();
    let mut changes = Changes::default();
    for message in handed_over {
        changes.leave(message.organization, "QUEUED");
        changes.enter(message.organization, "SENT");
    }
    for message in reported {
        changes.leave(message.organization, "SENT");
        changes.enter(message.organization, "DELIVERED");
    }
    let line = changes.line(now);
    let (handed_ids, handed_organizations) = keys(handed_over);
    let (reported_ids, reported_organizations) = keys(reported);
    let ids = [handed_ids.as_slice(), &reported_ids].concat();
    let organizations = [handed_organizations.as_slice(), &reported_organizations].concat();
    let sent = handed_over.iter().map(|_| "SENT");
    let statuses: Vec<&str> = sent.chain(reported.iter().map(|_| "DELIVERED")).collect();
    let sent = handed_over.iter().map(|it| Some(it.ended_attempts(now)));
    let attempts: Vec<Option<String>> = sent.chain(reported.iter().map(|_| None)).collect();
    let sent = handed_over.iter().map(|_| Some(now));
    let sent_at: Vec<Option<SystemTime>> = sent.chain(reported.iter().map(|_| None)).collect();
    let sent = handed_over.iter().map(|_| None);
    let delivered_at: Vec<Option<SystemTime>> =
        sent.chain(reported.iter().map(|_| Some(now))).collect();
    let own: [Parameter<'_>; 8] = [
        &reported_ids,
        &reported_organizations,
        &ids,
        &organizations,
        &statuses,
        &attempts,
        &sent_at,
        &delivered_at,
    ];
    let mut parameters = line.parameters();
    parameters.extend(own);
    client.execute(statement, &parameters).await?;
    Ok(())
}

fn keys(messages: &[Message]) -> (Vec<Uuid>, Vec<Uuid>) {
    messages.iter().map(|it| (it.id, it.organization)).unzip()
}
