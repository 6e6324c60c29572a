//! Course of a delivery: each change leads from each status to where the table of the domain says.

use chrono::TimeDelta;
use domain::{
    shared::id::Id,
    webhooks::webhook::{DeliveryChange, DeliveryRecordStatus},
};
use ports::webhooks::{
    webhook_endpoints::DeliveryRecordRepository,
    webhook_queue::{AfterAttempt, EndpointKey, WebhookQueue},
};
use uuid::Uuid;

use super::{attempt, endpoint, kept, publish, queue};
use crate::{World, now};

#[tokio::test]
async fn every_change_of_a_delivery_leads_where_the_table_says() {
    let world = World::new().await;
    for before in DeliveryRecordStatus::ALL {
        for change in DeliveryChange::ALL {
            let key = endpoint(&world).await;
            publish(&world, key, 1).await;
            let id = only_delivery(&world, key, before).await;

            apply(&world, key, id, change).await;

            let (after, ..) = kept(&world, Id::of(id)).await;
            let expected = before.after(change).unwrap_or(before);
            assert_eq!(after, expected.as_str(), "{} {}", before.as_str(), change.as_str());
        }
    }
}

/// Returns the only delivery of an endpoint, in this status.
async fn only_delivery(world: &World, key: EndpointKey, status: DeliveryRecordStatus) -> Uuid {
    let due_at = if status == DeliveryRecordStatus::Pending { "due_at" } else { "NULL" };
    let EndpointKey { organization, endpoint } = key;
    let update = format!(
        "UPDATE webhook_deliveries SET status = '{}', due_at = {due_at} \
         WHERE organization_id = '{organization}' AND endpoint_id = '{endpoint}' RETURNING id",
        status.as_str()
    );
    world.client().await.query_one(&update, &[]).await.unwrap().get(0)
}

async fn apply(world: &World, key: EndpointKey, id: Uuid, change: DeliveryChange) {
    let records: &dyn DeliveryRecordRepository = &world.store;
    let EndpointKey { organization, endpoint } = key;
    let since = now() - TimeDelta::days(1);
    match change {
        DeliveryChange::Accept => record(world, key, id, AfterAttempt::Delivered).await,
        DeliveryChange::PutOff => {
            record(world, key, id, AfterAttempt::Retry(TimeDelta::minutes(5))).await;
        }
        DeliveryChange::GiveUp => record(world, key, id, AfterAttempt::Failed).await,
        DeliveryChange::End => {
            let switch =
                format!("UPDATE webhook_endpoints SET is_active = false WHERE id = '{endpoint}'");
            world.sql(&switch).await;
            records.end_pending(organization, endpoint, 10).await.unwrap();
        }
        DeliveryChange::Retry => {
            records.retry(organization, endpoint, Id::of(id), since).await.unwrap();
        }
        DeliveryChange::Recover => {
            records.recover(organization, endpoint, since, 10).await.unwrap();
        }
    }
}

async fn record(world: &World, key: EndpointKey, id: Uuid, next: AfterAttempt) {
    queue(world).record(&[attempt(key, Id::of(id), next)], &[]).await.unwrap();
}
