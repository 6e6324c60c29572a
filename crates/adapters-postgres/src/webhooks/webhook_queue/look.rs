//! Endpoints with due deliveries, and their leases.

use domain::{identity::organization::Organization, shared::id::Id};
use ports::{
    shared::store::StoreError,
    webhooks::webhook_queue::{EndpointKey, EndpointLook},
};
use uuid::Uuid;

use super::{PgWebhookQueue, columns, key};
use crate::shared::{
    database::connection::Connection,
    query::{row::row, sql::sql},
};

/// Maximum number of endpoints with waiting deliveries passed in a look.
const PASSED: i32 = 200;
/// Maximum number of deliveries of an inactive endpoint closed at a time.
const CLOSED: i64 = 2_000;

row! {
    /// Endpoint that was passed.
    struct Passed {
        organization_id: Uuid,
        endpoint_id: Uuid,
        is_leased: bool,
        is_active: bool,
    }
}

row! {
    struct Leased {
        organization_id: Uuid,
        id: Uuid,
    }
}

impl PgWebhookQueue {
    pub(super) async fn look_after(
        &self,
        after: Option<EndpointKey>,
    ) -> Result<EndpointLook, StoreError> {
        let begin = after.unwrap_or_else(|| key(Uuid::nil(), Uuid::nil()));
        let mut session = self.store.session().await?;
        let look = sql!(
            LOOK,
            organization = begin.organization,
            endpoint = begin.endpoint,
            most = PASSED,
            lease = self.lease.0,
        );
        let passed: Vec<Passed> = look.rows(session.conn()).await?;
        let is_end = i32::try_from(passed.len()).is_ok_and(|passed| passed < PASSED);
        let mut look = EndpointLook::default();
        let mut silent = Vec::new();
        for endpoint in passed {
            let key = key(endpoint.organization_id, endpoint.endpoint_id);
            if endpoint.is_leased {
                look.leased.push(key);
            }
            if !endpoint.is_active {
                silent.push(key);
            }
            look.next = Some(key).filter(|_| !is_end);
        }
        if !silent.is_empty() {
            close(session.conn(), &silent).await?;
        }
        Ok(look)
    }

    pub(super) async fn lease_due(
        &self,
        organizations: &[Id<Organization>],
    ) -> Result<Vec<EndpointKey>, StoreError> {
        let mut session = self.store.session().await?;
        let lease = sql!(LEASE_DUE, organizations, lease = self.lease.0);
        let leased: Vec<Leased> = lease.rows(session.conn()).await?;
        Ok(leased.into_iter().map(|leased| key(leased.organization_id, leased.id)).collect())
    }
}

/// Gives up the waiting deliveries of inactive endpoints. The rest follows at the next look.
async fn close(conn: &mut Connection, endpoints: &[EndpointKey]) -> Result<(), StoreError> {
    let (organizations, endpoints) = columns(endpoints);
    sql!(CLOSE, organizations, endpoints, most = CLOSED).execute(conn).await?;
    Ok(())
}

/// Walks by the index from one endpoint with waiting deliveries to the next, however many it has.
/// Rows are locked in the order of the walk, so that two instances do not deadlock.
const LOOK: &str = "\
    WITH RECURSIVE passed AS ( \
        (SELECT organization_id, endpoint_id, due_at, 1 AS step FROM webhook_deliveries \
        WHERE due_at IS NOT NULL AND (organization_id, endpoint_id) > ({organization}, {endpoint}) \
        ORDER BY organization_id, endpoint_id, due_at LIMIT 1) \
        UNION ALL \
        SELECT next.organization_id, next.endpoint_id, next.due_at, passed.step + 1 \
        FROM passed CROSS JOIN LATERAL ( \
            SELECT delivery.organization_id, delivery.endpoint_id, delivery.due_at \
            FROM webhook_deliveries delivery WHERE delivery.due_at IS NOT NULL \
                AND (delivery.organization_id, delivery.endpoint_id) \
                    > (passed.organization_id, passed.endpoint_id) \
            ORDER BY delivery.organization_id, delivery.endpoint_id, delivery.due_at LIMIT 1) AS next \
        WHERE passed.step < {most} \
    ), known AS ( \
        SELECT passed.*, coalesce(endpoint.is_active, false) AS is_told, \
            coalesce(passed.due_at <= now() AND endpoint.is_active, false) AS is_due, \
            coalesce(endpoint.lease = {lease}, false) AS is_ours \
        FROM passed LEFT JOIN webhook_endpoints endpoint \
            ON endpoint.organization_id = ANY(ARRAY[passed.organization_id]) \
                AND endpoint.id = ANY(ARRAY[passed.endpoint_id]) \
    ), leased AS ( \
        UPDATE webhook_endpoints endpoint SET lease = {lease}, \
            leased_until = clock_timestamp() + interval '10 minutes' \
        FROM known WHERE known.is_due \
            AND endpoint.organization_id = ANY(ARRAY[known.organization_id]) \
            AND endpoint.id = ANY(ARRAY[known.endpoint_id]) \
            AND endpoint.is_active AND (endpoint.lease IS NULL OR endpoint.leased_until < now()) \
        RETURNING endpoint.organization_id, endpoint.id \
    ) \
    SELECT known.organization_id, known.endpoint_id, \
        leased.id IS NOT NULL OR known.is_due AND known.is_ours AS is_leased, \
        known.is_told AS is_active \
    FROM known LEFT JOIN leased ON leased.organization_id = ANY(ARRAY[known.organization_id]) \
        AND leased.id = ANY(ARRAY[known.endpoint_id]) \
    ORDER BY known.step";

/// With a limit, due deliveries are found by the index alone.
const LEASE_DUE: &str = "\
    UPDATE webhook_endpoints endpoint SET lease = {lease}, \
        leased_until = clock_timestamp() + interval '10 minutes' \
    WHERE endpoint.organization_id = ANY({organizations}) AND endpoint.is_active \
        AND (endpoint.lease IS NULL OR endpoint.lease = {lease} OR endpoint.leased_until < now()) \
        AND (SELECT true FROM webhook_deliveries delivery \
            WHERE delivery.organization_id = endpoint.organization_id \
                AND delivery.endpoint_id = endpoint.id AND delivery.due_at <= now() \
            ORDER BY delivery.due_at LIMIT 1) \
    RETURNING organization_id, id";

const CLOSE: &str = "\
    WITH chosen AS MATERIALIZED ( \
        SELECT waiting.* FROM UNNEST({organizations}::uuid[], {endpoints}::uuid[]) \
            AS silent (organization_id, endpoint_id) \
        CROSS JOIN LATERAL ( \
            SELECT delivery.organization_id, delivery.endpoint_id, delivery.id \
            FROM webhook_deliveries delivery WHERE delivery.due_at IS NOT NULL \
                AND delivery.organization_id = silent.organization_id \
                AND delivery.endpoint_id = silent.endpoint_id \
            ORDER BY delivery.due_at, delivery.id LIMIT {most}) AS waiting \
    ) \
    UPDATE webhook_deliveries delivery SET status = 'FAILED', due_at = NULL FROM chosen \
    WHERE delivery.organization_id = ANY(ARRAY[chosen.organization_id]) \
        AND delivery.endpoint_id = chosen.endpoint_id AND delivery.id = chosen.id \
        AND delivery.status = 'PENDING'";
