//! Line of the journal: what a batch changes in the totals.

use std::{
    collections::BTreeMap,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::message::{PROVIDER, new_id};

const SECONDS_OF_A_SLOT: u64 = 60;
/// Price of a message.
const COST_MICROS: i64 = 35_000;

/// Parameter of a statement.
pub(super) type Parameter<'p> = &'p (dyn ToSql + Sync);

/// Changes that a batch makes, by organization.
#[derive(Default)]
pub(super) struct Changes {
    /// Messages that entered a state, or left it.
    messages: BTreeMap<(Uuid, &'static str), i64>,
    /// Messages that were paid for.
    paid: BTreeMap<Uuid, i32>,
}

/// [`Changes`], column by column.
pub(super) struct Line {
    id: Uuid,
    now: SystemTime,
    organizations: Vec<Uuid>,
    slots: Vec<SystemTime>,
    channels: Vec<&'static str>,
    statuses: Vec<&'static str>,
    are_sandbox: Vec<bool>,
    messages: Vec<i64>,
    costs: Vec<i64>,
    dimensions: Vec<String>,
    payers: Vec<Uuid>,
    debits: Vec<i64>,
    paid: Vec<i32>,
}

impl Changes {
    /// Counts a message that entered a state.
    pub(super) fn enter(&mut self, organization: Uuid, status: &'static str) {
        *self.messages.entry((organization, status)).or_default() += 1;
    }

    /// Counts a message that left a state.
    pub(super) fn leave(&mut self, organization: Uuid, status: &'static str) {
        *self.messages.entry((organization, status)).or_default() -= 1;
    }

    /// Debits a wallet for a message.
    pub(super) fn pay(&mut self, organization: Uuid) {
        *self.paid.entry(organization).or_default() += 1;
    }

    /// Returns the line that is written at `now`.
    pub(super) fn line(self, now: SystemTime) -> Line {
        let seconds = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let slot = UNIX_EPOCH + Duration::from_secs(seconds - seconds % SECONDS_OF_A_SLOT);
        let (keys, messages): (Vec<_>, Vec<_>) = self.messages.into_iter().unzip();
        let (payers, paid): (Vec<_>, Vec<_>) = self.paid.into_iter().unzip();
        Line {
            id: new_id(now),
            now,
            organizations: keys.iter().map(|(organization, _)| *organization).collect(),
            slots: vec![slot; keys.len()],
            channels: vec!["SMS"; keys.len()],
            statuses: keys.iter().map(|(_, status)| *status).collect(),
            are_sandbox: vec![false; keys.len()],
            costs: messages.iter().map(|messages| messages * COST_MICROS).collect(),
            messages,
            dimensions: keys.iter().map(|(_, status)| dimensions(status)).collect(),
            debits: paid.iter().map(|messages| -COST_MICROS * i64::from(*messages)).collect(),
            payers,
            paid,
        }
    }
}

/// Returns the country, and the provider that has the message.
fn dimensions(status: &str) -> String {
    match status {
        "QUEUED" => "GH".to_owned(),
        _ => format!("GH|{PROVIDER}"),
    }
}

impl Line {
    /// Returns the parameters of the statement that writes it. Each message has one segment.
    pub(super) fn parameters(&self) -> Vec<Parameter<'_>> {
        let parameters: [Parameter<'_>; 14] = [
            &self.id,
            &self.now,
            &self.organizations,
            &self.slots,
            &self.channels,
            &self.statuses,
            &self.are_sandbox,
            &self.messages,
            &self.messages,
            &self.costs,
            &self.dimensions,
            &self.payers,
            &self.debits,
            &self.paid,
        ];
        parameters.to_vec()
    }
}
