//! Signs of life, and whom they keep alive.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use adapters_http::outbound::random::SystemRandom;
use adapters_postgres::{PgInstance, PgMonitor};
use ports::{health::StoreProbe, messages::OwnLeases};

use super::World;

const OLD: &str = "UPDATE instances SET seen_at = now() - interval '1 minute'";
const COUNT: &str = "SELECT count(*) FROM instances";

fn instance(world: &World) -> PgInstance {
    PgInstance::new(world.store.clone(), Arc::new(SystemRandom))
}

async fn count(world: &World) -> i64 {
    world.client().await.query_one(COUNT, &[]).await.unwrap().get(0)
}

#[tokio::test]
async fn no_instance_buries_itself_and_each_buries_others_that_are_silent() {
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
async fn a_process_is_certain_of_what_it_leased_since_its_first_sign_of_life() {
    let world = World::alone().await;
    let own = instance(&world);
    assert!(!own.are_certain(Duration::ZERO), "it has shown none");

    own.heartbeat().await.unwrap();

    assert!(own.are_certain(Duration::ZERO));
    assert!(!own.are_certain(Duration::from_secs(3_600)), "it did not live then");
}

#[tokio::test]
async fn a_sign_of_life_that_takes_too_long_counts_as_none() {
    let world = World::alone().await;
    let own = instance(&world);
    let monitor = PgMonitor::new(world.store.clone(), own.clone(), Vec::new());
    own.heartbeat().await.unwrap();
    monitor.look().await.unwrap();
    assert_eq!(monitor.stats().database, Ok(()));
    // The commit waits, where no limit of the server holds.
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
