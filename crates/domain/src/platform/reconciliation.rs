//! Reconciliation: an inquiry about messages whose outcome was lost when the database was restored to an
//! earlier time.
//!
//! ```
//! use domain::{messaging::finding::Finding, platform::reconciliation::Findings};
//!
//! let mut findings = Findings::default();
//! findings.count(Finding::Delivered);
//! assert_eq!((findings.examined, findings.delivered), (1, 1));
//! ```

use std::{collections::BTreeMap, fmt};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::{
    identity::organization::Organization,
    messaging::{finding::Finding, message::Message},
    shared::id::Id,
};

/// Time of which the database has lost the writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LostTime {
    /// Time to which the database was restored.
    pub since: DateTime<Utc>,
    /// End of the service that wrote to the database until then.
    pub until: DateTime<Utc>,
}

/// Place of a message in the order in which messages are examined.
pub type Position = (Id<Organization>, Id<Message>);

/// Reconciliation with its progress.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Reconciliation {
    /// Time of which the writes are lost.
    #[serde(flatten)]
    pub lost: LostTime,
    /// Last message that was examined; `None` at the beginning.
    #[serde(skip)]
    pub position: Option<Position>,
    /// Numbers of messages so far.
    #[serde(flatten)]
    pub findings: Findings,
    /// Time of its end; `None` until then.
    pub finished_at: Option<DateTime<Utc>>,
}

/// Numbers of messages, and of what else was stopped.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Findings {
    /// Messages that were examined.
    pub examined: u64,
    /// Messages whose delivery a provider confirmed.
    pub delivered: u64,
    /// Messages that a provider has, and on which a report is awaited.
    pub sent: u64,
    /// Messages that failed, and are refunded.
    pub failed: u64,
    /// Messages that no provider can have, and that are sent.
    pub not_sent: u64,
    /// Messages that are not sent again, because a provider may have them.
    pub in_doubt: u64,
    /// The same by the name of the provider that could not be asked.
    pub in_doubt_by_provider: BTreeMap<String, u64>,
    /// Work that would have sent more messages, and was stopped.
    #[serde(flatten)]
    pub stopped: Stopped,
}

/// Numbers of what would have sent messages that may have been sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Stopped {
    /// Campaigns that were paused.
    pub paused_campaigns: u64,
    /// Triggered events whose further channels are not tried.
    pub ended_triggers: u64,
    /// Repetitions of failed messages that were ended.
    pub ended_resends: u64,
}

impl Findings {
    /// Counts the finding about a message.
    pub fn count(&mut self, finding: Finding) {
        self.examined += 1;
        match finding {
            Finding::Delivered => self.delivered += 1,
            Finding::Failed => self.failed += 1,
            Finding::Sent => self.sent += 1,
            Finding::NotSent => self.not_sent += 1,
            Finding::InDoubt { provider } => {
                self.in_doubt += 1;
                *self.in_doubt_by_provider.entry(provider).or_default() += 1;
            }
        }
    }
}

impl Reconciliation {
    /// Returns a reconciliation that has not examined anything.
    pub fn begin(lost: LostTime) -> Self {
        Self { lost, position: None, findings: Findings::default(), finished_at: None }
    }
}

impl fmt::Display for Reconciliation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (LostTime { since, until }, found) = (self.lost, &self.findings);
        let stopped = &found.stopped;
        writeln!(f, "Writes are lost from {since} to {until}.")?;
        writeln!(f, "  examined     {:>9}  messages that were on their way", found.examined)?;
        writeln!(f, "  delivered    {:>9}", found.delivered)?;
        writeln!(f, "  sent         {:>9}  a report is awaited", found.sent)?;
        writeln!(f, "  failed       {:>9}  refunded", found.failed)?;
        writeln!(
            f,
            "  not sent     {:>9}  no provider has them; they go when the service starts",
            found.not_sent
        )?;
        writeln!(
            f,
            "  in doubt     {:>9}  not sent again; refunded after 72 hours without a report",
            found.in_doubt
        )?;
        for (provider, messages) in &found.in_doubt_by_provider {
            writeln!(f, "    {messages:>9}  {provider} could not be asked")?;
        }
        writeln!(f, "  paused       {:>9}  campaigns", stopped.paused_campaigns)?;
        writeln!(
            f,
            "  ended        {:>9}  triggered events with channels left",
            stopped.ended_triggers
        )?;
        writeln!(f, "  ended        {:>9}  repetitions of failed messages", stopped.ended_resends)?;
        write!(f, "Nothing is known about what was accepted from {since} on.")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn findings_are_counted_and_written_in_one_level() {
        let at = |seconds: i64| DateTime::from_timestamp(1_790_000_000 + seconds, 0).unwrap();
        let mut reconciliation = Reconciliation::begin(LostTime { since: at(0), until: at(60) });
        for finding in [
            Finding::Delivered,
            Finding::NotSent,
            Finding::InDoubt { provider: "hubtel".into() },
            Finding::InDoubt { provider: "hubtel".into() },
        ] {
            reconciliation.findings.count(finding);
        }
        reconciliation.findings.stopped.paused_campaigns = 1;

        let written = serde_json::to_value(&reconciliation).unwrap();

        let expected = json!({
            "since": "2026-09-21T14:13:20Z", "until": "2026-09-21T14:14:20Z", "examined": 4,
            "delivered": 1, "sent": 0, "failed": 0, "notSent": 1, "inDoubt": 2,
            "inDoubtByProvider": {"hubtel": 2}, "pausedCampaigns": 1, "endedTriggers": 0,
            "endedResends": 0, "finishedAt": null,
        });
        assert_eq!(written, expected);
        let stored = serde_json::to_value(&reconciliation.findings).unwrap();
        assert_eq!(serde_json::from_value::<Findings>(stored).unwrap(), reconciliation.findings);
    }
}
