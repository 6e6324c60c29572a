//! Recommendations, and the messages that they are computed from.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    identity::organization::Organization,
    messaging::message::Message,
    platform::recommendation::{NewMessage, Recommendation},
    shared::{address::Address, id::Id, money::Money},
};
use ports::{
    platform::recommendations::{KeptRecommendations, RecommendationRepository},
    shared::store::StoreError,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::shared::{
    database::session::PgStore,
    error::corrupt,
    query::{row::row, sql::sql},
};

/// Stored recommendation.
#[derive(Serialize, Deserialize)]
struct Item {
    code: String,
    title: String,
    message: String,
    value: f64,
    messages_at_stake: u64,
}

row! {
    struct KeptRow {
        items: Value,
        evaluated_at: Option<DateTime<Utc>>,
        due_at: DateTime<Utc>,
    }
}

row! {
    struct MessageRow {
        channel: String,
        recipient: String,
        template_id: Option<Uuid>,
        is_of_campaign: bool,
        status: String,
        error_code: Option<String>,
        segments: i16,
        cost_micros: Money,
        long_text: Option<String>,
    }
}

#[async_trait]
impl RecommendationRepository for PgStore {
    async fn find(
        &self,
        organization: Id<Organization>,
    ) -> Result<KeptRecommendations, StoreError> {
        let find = sql!(
            "SELECT items, evaluated_at, due_at FROM recommendations \
             WHERE organization_id = {organization}",
            organization,
        );
        let row: Option<KeptRow> = find.row(self.session().await?.conn()).await?;
        let Some(KeptRow { items, evaluated_at, due_at }) = row else {
            return Ok(KeptRecommendations::default());
        };
        let items = read_items(items).ok_or_else(|| corrupt("recommendations", organization))?;
        Ok(KeptRecommendations { items, evaluated_at, due_at: Some(due_at) })
    }

    async fn claim(
        &self,
        organization: Id<Organization>,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        let claim = sql!(
            "INSERT INTO recommendations AS kept (organization_id, items, due_at) \
             VALUES ({organization}, '[]', {until}) \
             ON CONFLICT (organization_id) DO UPDATE SET due_at = EXCLUDED.due_at \
             WHERE kept.due_at <= {now}",
            organization,
            until,
            now,
        );
        Ok(claim.execute(self.session().await?.conn()).await? > 0)
    }

    async fn keep(
        &self,
        organization: Id<Organization>,
        made: &KeptRecommendations,
    ) -> Result<(), StoreError> {
        let items: Vec<_> = made.items.iter().map(Item::from).collect();
        let items =
            serde_json::to_value(items).map_err(|error| StoreError::Internal(error.into()))?;
        let keep = sql!(
            "UPDATE recommendations SET items = {items}, evaluated_at = {evaluated_at}, \
                due_at = {due_at} \
             WHERE organization_id = {organization}",
            items,
            evaluated_at = made.evaluated_at,
            due_at = made.due_at,
            organization,
        );
        keep.execute(self.session().await?.conn()).await?;
        Ok(())
    }

    async fn newest_messages(
        &self,
        organization: Id<Organization>,
        since: DateTime<Utc>,
        most: usize,
    ) -> Result<Vec<NewMessage>, StoreError> {
        let newest = sql!(
            NEWEST,
            organization,
            since = Id::<Message>::floor(since),
            most = i64::try_from(most).unwrap_or(i64::MAX),
        );
        let rows: Vec<MessageRow> = newest.rows(self.session().await?.conn()).await?;
        let messages = rows
            .into_iter()
            .map(|row| read_message(row).ok_or_else(|| corrupt("delivery_logs", organization)));
        messages.collect()
    }
}

impl From<&Recommendation> for Item {
    fn from(recommendation: &Recommendation) -> Self {
        Self {
            code: recommendation.code.as_str().to_owned(),
            title: recommendation.title.clone(),
            message: recommendation.message.clone(),
            value: recommendation.value,
            messages_at_stake: recommendation.messages_at_stake,
        }
    }
}

fn read_items(items: Value) -> Option<Vec<Recommendation>> {
    let items: Vec<Item> = serde_json::from_value(items).ok()?;
    // A kind that only another version of the service knows is left out.
    let known = items.into_iter().filter_map(|item| {
        Some(Recommendation {
            code: item.code.parse().ok()?,
            title: item.title,
            message: item.message,
            value: item.value,
            messages_at_stake: item.messages_at_stake,
        })
    });
    Some(known.collect())
}

/// Converts the row; `None` if the columns are invalid.
fn read_message(row: MessageRow) -> Option<NewMessage> {
    Some(NewMessage {
        channel: row.channel.parse().ok()?,
        recipient: Address::stored(row.recipient),
        template: row.template_id.map(Into::into),
        is_of_campaign: row.is_of_campaign,
        status: row.status.parse().ok()?,
        failure: row.error_code.map(|code| code.parse()).transpose().ok()?,
        segments: row.segments.try_into().ok()?,
        cost: row.cost_micros,
        long_text: row.long_text,
    })
}

/// Rows are compared so that only the key of the log has that order: the index on the identifier
/// would be read through the messages of others. The planner looks at the organization alone when
/// it compares rows, so both bounds include it: otherwise it would expect no row, and sort all of
/// them. Long texts of other channels are not read: only the cost of an SMS depends on its
/// characters.
const NEWEST: &str = "\
    SELECT channel, recipient, template_id, campaign_id IS NOT NULL AS is_of_campaign, status, \
        error_code, segments, cost_micros, \
        CASE WHEN channel = 'SMS' AND segments > 1 THEN body END AS long_text \
    FROM (SELECT * FROM delivery_logs \
        WHERE (organization_id, id) >= ({organization}, {since}) \
            AND (organization_id, id) <= ({organization}, 'ffffffff-ffff-ffff-ffff-ffffffffffff') \
        ORDER BY organization_id DESC, id DESC LIMIT {most}) AS newest \
    WHERE NOT is_sandbox";
