//! Recommendations, and the messages that they are computed from.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{
    OptionalExtension,
    sql_types::{BigInt, Bool, Jsonb, Nullable, SmallInt, Text, Timestamptz, Uuid as SqlUuid},
};
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
    error::{corrupt, store_error},
    query::{run_query::RunQueryDsl, statement::Statement},
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

type KeptColumns = (Jsonb, Nullable<Timestamptz>, Timestamptz);
type KeptRow = (Value, Option<DateTime<Utc>>, DateTime<Utc>);
type MessageColumns =
    (Text, Text, Nullable<SqlUuid>, Bool, Text, Nullable<Text>, SmallInt, BigInt, Nullable<Text>);
type MessageRow =
    (String, String, Option<Uuid>, bool, String, Option<String>, i16, i64, Option<String>);

#[async_trait]
impl RecommendationRepository for PgStore {
    async fn find(
        &self,
        organization: Id<Organization>,
    ) -> Result<KeptRecommendations, StoreError> {
        let find =
            Statement::<KeptColumns>::returning(&[FIND]).bind::<SqlUuid, _>(organization.uuid());
        let found = find.get_result(self.session().await?.conn()).await;
        let row: Option<KeptRow> = found.optional().map_err(store_error)?;
        let Some((items, evaluated_at, due_at)) = row else {
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
        let claim = Statement::new(&[CLAIM])
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<Timestamptz, _>(until)
            .bind::<Timestamptz, _>(now);
        let claimed = claim.execute(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(claimed > 0)
    }

    async fn keep(
        &self,
        organization: Id<Organization>,
        made: &KeptRecommendations,
    ) -> Result<(), StoreError> {
        let items: Vec<_> = made.items.iter().map(Item::from).collect();
        let items =
            serde_json::to_value(items).map_err(|error| StoreError::Internal(error.into()))?;
        let keep = Statement::new(&[KEEP])
            .bind::<Jsonb, _>(items)
            .bind::<Nullable<Timestamptz>, _>(made.evaluated_at)
            .bind::<Nullable<Timestamptz>, _>(made.due_at)
            .bind::<SqlUuid, _>(organization.uuid());
        keep.execute(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(())
    }

    async fn newest_messages(
        &self,
        organization: Id<Organization>,
        since: DateTime<Utc>,
        most: usize,
    ) -> Result<Vec<NewMessage>, StoreError> {
        let newest = Statement::<MessageColumns>::returning(&[NEWEST])
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<SqlUuid, _>(Id::<Message>::floor(since).uuid())
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<BigInt, _>(i64::try_from(most).unwrap_or(i64::MAX));
        let rows: Vec<MessageRow> =
            newest.load(self.session().await?.conn()).await.map_err(store_error)?;
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
    let (channel, recipient, template, is_of_campaign, status, failure, segments, cost, text) = row;
    Some(NewMessage {
        channel: channel.parse().ok()?,
        recipient: Address::stored(recipient),
        template: template.map(Into::into),
        is_of_campaign,
        status: status.parse().ok()?,
        failure: failure.map(|code| code.parse()).transpose().ok()?,
        segments: segments.try_into().ok()?,
        cost: Money::from_micros(cost),
        long_text: text,
    })
}

const FIND: &str = "\
    SELECT items, evaluated_at, due_at FROM recommendations WHERE organization_id = ?";

const CLAIM: &str = "\
    INSERT INTO recommendations AS kept (organization_id, items, due_at) VALUES (?, '[]', ?) \
    ON CONFLICT (organization_id) DO UPDATE SET due_at = EXCLUDED.due_at WHERE kept.due_at <= ?";

const KEEP: &str = "\
    UPDATE recommendations SET items = ?, evaluated_at = ?, due_at = ? WHERE organization_id = ?";

/// Rows are compared so that only the key of the log has that order: the index on the identifier
/// would be read through the messages of others. The planner looks at the organization alone when
/// it compares rows, so both bounds include it: otherwise it would expect no row, and sort all of
/// them. Long texts of other channels are not read: only the cost of an SMS depends on its
/// characters.
const NEWEST: &str = "\
    SELECT channel, recipient, template_id, campaign_id IS NOT NULL, status, error_code, segments, \
        cost_micros, CASE WHEN channel = 'SMS' AND segments > 1 THEN body END \
    FROM (SELECT * FROM delivery_logs \
        WHERE (organization_id, id) >= (?, ?) \
            AND (organization_id, id) <= (?, 'ffffffff-ffff-ffff-ffff-ffffffffffff') \
        ORDER BY organization_id DESC, id DESC LIMIT ?) AS newest \
    WHERE NOT is_sandbox";
