//! Notices, written with their causes, and the stored form of the causes.

use chrono::{DateTime, Utc};
use domain::{
    identity::{
        organization::Organization,
        traffic::{CodeShare, Evidence, OperatorRange, TrafficAlert},
    },
    platform::notice::{DecidedApproval, Notice, NoticeCause},
    shared::{id::Id, money::Money},
};
use ports::shared::store::StoreError;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::shared::{database::connection::Connection, query::sql::sql};

/// Kinds of causes, as in the column `kind`.
const DECISION: &str = "DECISION";
const LOW_BALANCE: &str = "LOW_BALANCE";
const FAILING_ENDPOINT: &str = "FAILING_ENDPOINT";
const TRAFFIC_ALERT: &str = "TRAFFIC_ALERT";

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredDecision {
    requested_by: Uuid,
    kind: String,
    name: String,
    verdict: String,
    comment: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredBalance {
    balance_micros: i64,
    threshold_micros: i64,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredEndpoint {
    id: Uuid,
    failing_since: DateTime<Utc>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredAlert {
    id: Uuid,
    operator_range: u32,
    found_at: DateTime<Utc>,
    stopped_until: Option<DateTime<Utc>>,
    codes: u64,
    delivered: u64,
    normal_codes: u64,
    normal_delivered: u64,
    others_codes: u64,
    others_delivered: u64,
    others_normal_codes: u64,
    others_normal_delivered: u64,
    other_organizations: u64,
}

/// Adds a notice, in the transaction of its cause, unless the cause has one.
pub(crate) async fn insert(conn: &mut Connection, notice: &Notice) -> Result<(), StoreError> {
    let (kind, data) = stored(&notice.cause);
    let insert = sql!(
        "INSERT INTO notices (organization_id, id, kind, key, data) \
         VALUES ({organization}, {id}, {kind}, {key}, {data}) \
         ON CONFLICT (organization_id, key) DO NOTHING",
        organization = notice.organization,
        id = notice.id,
        kind,
        key = notice.key.as_str(),
        data,
    );
    insert.execute(conn).await?;
    Ok(())
}

/// Reads the cause of an organization's notice; `None` if another version of the service wrote it.
pub(crate) fn read_cause(
    organization: Id<Organization>,
    kind: &str,
    data: Value,
) -> Option<NoticeCause> {
    match kind {
        DECISION => {
            let stored: StoredDecision = serde_json::from_value(data).ok()?;
            decision(stored).map(NoticeCause::Decision)
        }
        LOW_BALANCE => {
            let stored: StoredBalance = serde_json::from_value(data).ok()?;
            Some(NoticeCause::LowBalance {
                balance: Money::from_micros(stored.balance_micros),
                threshold: Money::from_micros(stored.threshold_micros),
            })
        }
        FAILING_ENDPOINT => {
            let stored: StoredEndpoint = serde_json::from_value(data).ok()?;
            let (endpoint, since) = (Id::of(stored.id), stored.failing_since);
            Some(NoticeCause::FailingEndpoint { endpoint, since })
        }
        TRAFFIC_ALERT => {
            let stored: StoredAlert = serde_json::from_value(data).ok()?;
            Some(NoticeCause::TrafficAlert(alert(organization, &stored)))
        }
        _ => None,
    }
}

/// Returns the kind and the data of a cause.
fn stored(cause: &NoticeCause) -> (&'static str, Value) {
    match cause {
        NoticeCause::Decision(decided) => (DECISION, json!(StoredDecision::from(decided))),
        NoticeCause::LowBalance { balance, threshold } => {
            let (balance_micros, threshold_micros) = (balance.micros(), threshold.micros());
            (LOW_BALANCE, json!(StoredBalance { balance_micros, threshold_micros }))
        }
        NoticeCause::FailingEndpoint { endpoint, since } => {
            let stored = StoredEndpoint { id: endpoint.uuid(), failing_since: *since };
            (FAILING_ENDPOINT, json!(stored))
        }
        NoticeCause::TrafficAlert(alert) => (TRAFFIC_ALERT, json!(StoredAlert::from(alert))),
    }
}

impl From<&DecidedApproval> for StoredDecision {
    fn from(decided: &DecidedApproval) -> Self {
        Self {
            requested_by: decided.requested_by.uuid(),
            kind: decided.kind.as_str().to_owned(),
            name: decided.name.clone(),
            verdict: decided.verdict.as_str().to_owned(),
            comment: decided.comment.clone(),
        }
    }
}

fn decision(stored: StoredDecision) -> Option<DecidedApproval> {
    Some(DecidedApproval {
        requested_by: Id::of(stored.requested_by),
        kind: stored.kind.parse().ok()?,
        name: stored.name,
        verdict: stored.verdict.parse().ok()?,
        comment: stored.comment,
    })
}

impl From<&TrafficAlert> for StoredAlert {
    fn from(alert: &TrafficAlert) -> Self {
        let Evidence { recent, normal, others, others_normal, other_organizations } =
            alert.evidence;
        Self {
            id: alert.id.uuid(),
            operator_range: alert.range.digits(),
            found_at: alert.found_at,
            stopped_until: alert.stopped_until,
            codes: recent.codes,
            delivered: recent.delivered,
            normal_codes: normal.codes,
            normal_delivered: normal.delivered,
            others_codes: others.codes,
            others_delivered: others.delivered,
            others_normal_codes: others_normal.codes,
            others_normal_delivered: others_normal.delivered,
            other_organizations,
        }
    }
}

fn alert(organization: Id<Organization>, stored: &StoredAlert) -> TrafficAlert {
    let share = |codes, delivered| CodeShare { codes, delivered };
    TrafficAlert {
        id: Id::of(stored.id),
        organization,
        range: OperatorRange::stored(stored.operator_range),
        found_at: stored.found_at,
        evidence: Evidence {
            recent: share(stored.codes, stored.delivered),
            normal: share(stored.normal_codes, stored.normal_delivered),
            others: share(stored.others_codes, stored.others_delivered),
            others_normal: share(stored.others_normal_codes, stored.others_normal_delivered),
            other_organizations: stored.other_organizations,
        },
        stopped_until: stored.stopped_until,
        lifted_at: None,
        lifted_by: None,
    }
}
