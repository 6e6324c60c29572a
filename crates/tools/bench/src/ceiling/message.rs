//! Messages of the bare program, as requests bring them and as answers show them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Deserialize;
use uuid::{NoContext, Timestamp, Uuid};

/// Name of the provider to which messages are handed over.
pub(super) const PROVIDER: &str = "simulated";
const VALIDITY: Duration = Duration::from_secs(24 * 3_600);

/// Message of a request.
#[derive(Deserialize)]
pub(super) struct Draft {
    channel: String,
    to: String,
    body: String,
}

/// Request with several messages.
#[derive(Deserialize)]
pub(super) struct Bulk {
    pub(super) messages: Vec<Draft>,
}

/// Accepted message.
pub(super) struct Message {
    pub(super) id: Uuid,
    pub(super) organization: Uuid,
    pub(super) channel: String,
    pub(super) recipient: String,
    pub(super) body: String,
    /// True if this program hands it over.
    pub(super) is_planned: bool,
    pub(super) created_at: SystemTime,
}

impl Message {
    /// Accepts a message to a number of Ghana.
    pub(super) fn new(organization: Uuid, draft: Draft, is_planned: bool) -> Self {
        let Draft { channel, to, body } = draft;
        let recipient = format!("+233{}", to.trim_start_matches('0'));
        let created_at = SystemTime::now();
        let id = new_id(created_at);
        Self { id, organization, channel, recipient, body, is_planned, created_at }
    }

    /// Returns its attempts when it is accepted, as the log has them.
    pub(super) fn planned_attempts(&self) -> String {
        if self.is_planned {
            let at = text(self.created_at);
            format!("[{{\"provider\":\"{PROVIDER}\",\"startedAt\":\"{at}\"}}]")
        } else {
            "[]".to_owned()
        }
    }

    /// Returns its attempts when the provider has taken it, as the log has them.
    pub(super) fn ended_attempts(&self, now: SystemTime) -> String {
        let (began, ended) = (text(self.created_at), text(now));
        format!(
            "[{{\"provider\":\"{PROVIDER}\",\"startedAt\":\"{began}\",\"endedAt\":\"{ended}\",\
             \"outcome\":\"ACCEPTED\"}}]"
        )
    }

    /// Returns it as an answer shows it.
    pub(super) fn view(&self) -> Result<String, serde_json::Error> {
        let Self { id, channel, recipient, .. } = self;
        let (simple, body) = (id.simple(), serde_json::to_string(&self.body)?);
        let (created, expires) = (text(self.created_at), text(self.created_at + VALIDITY));
        let count = usize::from(self.is_planned);
        let attempts = if self.is_planned {
            format!(
                "{{\"provider\":\"{PROVIDER}\",\"startedAt\":\"{created}\",\"endedAt\":null,\
                 \"outcome\":null,\"providerMessageId\":null,\"errorCode\":null,\
                 \"vendorCode\":null}}"
            )
        } else {
            String::new()
        };
        Ok(format!(
            "{{\"id\":\"{id}\",\"internalMessageId\":\"msg_{simple}\",\"status\":\"QUEUED\",\
             \"channel\":\"{channel}\",\"recipient\":\"{recipient}\",\"cost\":0.035,\
             \"refunded\":false,\"netCost\":0.035,\"category\":\"TRANSACTIONAL\",\"segments\":1,\
             \"subject\":null,\"body\":{body},\"bodyTruncated\":false,\"countryCode\":\"GH\",\
             \"senderId\":null,\"templateId\":null,\"campaignId\":null,\"event\":null,\
             \"contactId\":null,\"provider\":null,\"errorCode\":null,\"errorMessage\":null,\
             \"isSandbox\":false,\"resentFrom\":null,\"metadata\":{{}},\
             \"attempts\":[{attempts}],\"attemptCount\":{count},\"isScheduled\":false,\
             \"scheduledAt\":null,\"notBefore\":null,\"expiresAt\":\"{expires}\",\
             \"createdAt\":\"{created}\",\"sentAt\":null,\"deliveredAt\":null}}"
        ))
    }
}

/// Returns a new identifier, which grows with time.
pub(super) fn new_id(now: SystemTime) -> Uuid {
    let since = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    Uuid::new_v7(Timestamp::from_unix(NoContext, since.as_secs(), since.subsec_nanos()))
}

fn text(at: SystemTime) -> String {
    DateTime::<Utc>::from(at).to_rfc3339_opts(SecondsFormat::Millis, true)
}
