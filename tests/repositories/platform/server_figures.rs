//! Figures of the server.

use crate::World;

#[tokio::test]
async fn figures_of_the_server_show_the_log_that_a_slot_keeps() {
    let world = World::alone().await;
    world.sql("SELECT pg_create_physical_replication_slot('absent', true)").await;
    let before = world.store.server_figures().await.unwrap();
    assert!(before.database_bytes > 1_000_000, "{before:?}");
    assert!(!before.is_archiving_failing, "{before:?}");

    world
        .sql("CREATE TABLE filler AS SELECT repeat('x', 1000) FROM generate_series(1, 2000)")
        .await;

    let after = world.store.server_figures().await.unwrap();
    assert!(after.wal_kept_bytes > 1_000_000, "{before:?}, {after:?}");
    world.sql("DROP TABLE filler; SELECT pg_drop_replication_slot('absent')").await;
}
