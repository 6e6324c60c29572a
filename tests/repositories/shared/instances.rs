//! Heartbeats of instances and the release of dead ones.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use adapters_http::outbound::random::SystemRandom;
use adapters_postgres::{PgInstance, PgMonitor};
use domain::audience::import::ImportKind;
use ports::{
    audience::{
        contact_jobs::ContactJobQueue,
        imports::{ImportQueue, UndoQueue},
    },
    messaging::{log_exports::LogExportQueue, messages::OwnLeases, resends::ResendQueue},
    outreach::campaign_queue::CampaignQueue,
    platform::health::StoreProbe,
};

use crate::{
    World,
    audience::{import_undos::begin, imports::upload},
    outreach::campaign_expansion::insert,
};

const OLD: &str = "UPDATE instances SET seen_at = now() - interval '1 minute'";
const COUNT: &str = "SELECT count(*) FROM instances";

fn instance(world: &World) -> PgInstance {
    PgInstance::new(world.store.clone(), Arc::new(SystemRandom))
}

async fn count(world: &World) -> i64 {
    world.client().await.query_one(COUNT, &[]).await.unwrap().get(0)
}

#[tokio::test]
async fn an_instance_releases_dead_instances_but_not_itself() {
    let world = World::alone().await;
    let (own, other) = (instance(&world), instance(&world));
    own.heartbeat().await.unwrap();
    world.sql(OLD).await;

    own.release_dead_instances().await.unwrap();
    assert_eq!(count(&world).await, 1, "it buried itself");

    other.heartbeat().await.unwrap();
    other.release_dead_instances().await.unwrap();
    assert_eq!(count(&world).await, 1);
    world.sql(OLD).await;
    other.release_dead_instances().await.unwrap();
    own.heartbeat().await.unwrap();
    own.release_dead_instances().await.unwrap();
    assert_eq!(count(&world).await, 1, "the other one was silent");
}

#[tokio::test]
async fn leases_are_certain_since_the_first_heartbeat() {
    let world = World::alone().await;
    let own = instance(&world);
    assert!(!own.are_certain(Duration::ZERO), "it has shown none");

    own.heartbeat().await.unwrap();

    assert!(own.are_certain(Duration::ZERO));
    assert!(!own.are_certain(Duration::from_secs(3_600)), "it did not live then");
}

#[tokio::test]
async fn a_slow_heartbeat_counts_as_failed() {
    let world = World::alone().await;
    let own = instance(&world);
    let monitor = PgMonitor::new(world.store.clone(), own.clone(), Vec::new());
    own.heartbeat().await.unwrap();
    monitor.look().await.unwrap();
    assert_eq!(monitor.stats().database, Ok(()));
    // The commit waits, which no timeout of the server limits.
    world
        .sql(
            "CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$ \
             BEGIN SET LOCAL statement_timeout = 0; PERFORM pg_sleep(8); RETURN NULL; END $$; \
             CREATE CONSTRAINT TRIGGER dawdle AFTER INSERT OR UPDATE ON instances \
             DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION dawdle()",
        )
        .await;

    let began = Instant::now();
    let late = own.heartbeat().await;

    assert!(late.is_err(), "it took {:?}", began.elapsed());
    monitor.look().await.unwrap();
    assert!(monitor.stats().database.is_err(), "PostgreSQL takes no writes");
    world.sql("DROP TRIGGER dawdle ON instances").await;
    own.heartbeat().await.unwrap();
    assert_eq!(monitor.stats().database, Ok(()));
}

#[tokio::test]
async fn the_undo_of_a_dead_instance_is_released() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    let import = upload(&world, organization, ImportKind::Contacts, "phone\n\"x").await;
    assert!(begin(&world, &import).await);
    let (own, dead) = (instance(&world), instance(&world));
    let lost = world.store.clone().leasing_by(&dead.lease_prefix());
    let left = world.store.clone().leasing_by(&own.lease_prefix());
    dead.heartbeat().await.unwrap();
    own.heartbeat().await.unwrap();
    let undo = lost.claim_undo().await.unwrap().unwrap();
    own.release_dead_instances().await.unwrap();
    assert_eq!(left.claim_undo().await.unwrap(), None, "it is alive");

    world.sql(OLD).await;
    own.heartbeat().await.unwrap();
    own.release_dead_instances().await.unwrap();

    let again = left.claim_undo().await.unwrap().unwrap();
    assert_eq!((again.import, again.lease != undo.lease), (import.id, true));
}

#[tokio::test]
async fn what_a_dead_instance_works_on_in_the_background_is_released() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    insert(&world, organization, "SENDING").await;
    upload(&world, organization, ImportKind::Contacts, "phone\n0241234567\n").await;
    let id = format!("uuid_v7_in(now(), '{organization}')");
    world
        .sql(&format!(
            "INSERT INTO resend_tasks (organization_id, id, status, messages_since, position, \
                is_sandbox, message_count, is_capped, created_at) \
             VALUES ('{organization}', {id}, 'QUEUED', {id}, {id}, false, 1, false, now()); \
             INSERT INTO contact_jobs (organization_id, id, kind, status, added_tags, removed_tags, \
                contact_count, created_by, created_at) \
             VALUES ('{organization}', {id}, 'DELETE', 'QUEUED', '{{}}', '{{}}', 1, {id}, now()); \
             INSERT INTO log_exports (organization_id, id, created_by, status, created_at) \
             VALUES ('{organization}', {id}, {id}, 'PREPARING', now())"
        ))
        .await;
    let (own, dead) = (instance(&world), instance(&world));
    let lost = world.store.clone().leasing_by(&dead.lease_prefix());
    let left = world.store.clone().leasing_by(&own.lease_prefix());
    dead.heartbeat().await.unwrap();
    own.heartbeat().await.unwrap();
    let campaign = CampaignQueue::claim(&lost, 1).await.unwrap().pop().unwrap();
    let part = ImportQueue::claim(&lost).await.unwrap().unwrap();
    let resend = ResendQueue::claim(&lost).await.unwrap().unwrap();
    let job = ContactJobQueue::claim(&lost).await.unwrap().unwrap();
    let export = LogExportQueue::claim(&lost).await.unwrap().unwrap();
    own.release_dead_instances().await.unwrap();
    assert_eq!(CampaignQueue::claim(&left, 1).await.unwrap(), [], "it is alive");
    assert_eq!(ImportQueue::claim(&left).await.unwrap(), None);
    assert_eq!(ResendQueue::claim(&left).await.unwrap(), None);
    assert_eq!(ContactJobQueue::claim(&left).await.unwrap(), None);
    assert_eq!(LogExportQueue::claim(&left).await.unwrap(), None);

    world.sql(OLD).await;
    own.heartbeat().await.unwrap();
    own.release_dead_instances().await.unwrap();

    let again = CampaignQueue::claim(&left, 1).await.unwrap().pop().unwrap();
    assert_eq!((again.id, again.lease != campaign.lease), (campaign.id, true));
    let again = ImportQueue::claim(&left).await.unwrap().unwrap();
    assert_eq!((again.import, again.lease != part.lease), (part.import, true));
    let again = ResendQueue::claim(&left).await.unwrap().unwrap();
    assert_eq!((again.task.id, again.lease != resend.lease), (resend.task.id, true));
    let again = ContactJobQueue::claim(&left).await.unwrap().unwrap();
    assert_eq!((again.id, again.lease != job.lease), (job.id, true));
    let exported = LogExportQueue::claim(&left).await.unwrap().unwrap();
    assert_eq!((exported.id, exported.lease != export.lease), (export.id, true));
    dead.heartbeat().await.unwrap();
    dead.release_dead_instances().await.unwrap();
    assert_eq!(CampaignQueue::claim(&lost, 1).await.unwrap(), [], "it is another's now");
}
