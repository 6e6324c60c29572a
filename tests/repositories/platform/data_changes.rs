//! Changes of many rows that migrations leave to the service.

use crate::World;

/// Two changes: the first fills a table, and the second has no rows.
const CHANGES: &str = "\
    CREATE TABLE things (id integer PRIMARY KEY, filled text); \
    INSERT INTO things (id) SELECT generate_series(1, 2500); \
    CREATE FUNCTION change_fill_things(after text, most integer) RETURNS text LANGUAGE sql AS $$ \
        WITH part AS ( \
            SELECT id FROM things WHERE id > coalesce(after::integer, 0) ORDER BY id LIMIT most \
        ), filled AS ( \
            UPDATE things SET filled = 'yes' FROM part WHERE things.id = part.id \
        ) SELECT max(id)::text FROM part $$; \
    CREATE FUNCTION change_nothing(after text, most integer) RETURNS text LANGUAGE sql AS $$ \
        SELECT NULL::text $$; \
    INSERT INTO data_changes (number, name) VALUES (2, 'nothing'), (1, 'fill_things')";

async fn filled(world: &World) -> i64 {
    let count = "SELECT count(filled) FROM things";
    world.client().await.query_one(count, &[]).await.unwrap().get(0)
}

#[tokio::test]
async fn changes_take_turns_in_their_order_until_they_are_finished() {
    let world = World::alone().await;
    assert!(!world.store.advance_data_changes().await.unwrap());
    world.sql(CHANGES).await;

    assert!(world.store.advance_data_changes().await.unwrap());

    assert_eq!(filled(&world).await, 1_000, "a turn is a part");
    let unfinished = world.store.unfinished_data_changes().await.unwrap();
    assert_eq!(unfinished, ["fill_things", "nothing"]);
    while world.store.advance_data_changes().await.unwrap() {}
    assert_eq!(filled(&world).await, 2_500);
    assert!(world.store.unfinished_data_changes().await.unwrap().is_empty());
}

#[tokio::test]
async fn two_instances_do_not_change_the_same_rows() {
    let world = World::alone().await;
    world.sql(CHANGES).await;
    let other = world.client().await;
    other.batch_execute("BEGIN; SELECT advance_data_changes(10)").await.unwrap();

    assert!(!world.store.advance_data_changes().await.unwrap(), "the other one has its turn");

    other.batch_execute("COMMIT").await.unwrap();
    assert_eq!(filled(&world).await, 10);
    assert!(world.store.advance_data_changes().await.unwrap());
    assert_eq!(filled(&world).await, 1_010, "it goes on behind the other one");
}

#[tokio::test]
async fn a_migration_that_needs_an_unfinished_change_fails_by_its_name() {
    let world = World::alone().await;
    world.sql(CHANGES).await;
    let require = "SELECT require_data_change('fill_things')";

    let error = world.client().await.batch_execute(require).await.unwrap_err();

    let message = error.as_db_error().unwrap().message();
    assert!(message.starts_with("the change of data \"fill_things\" is not finished"), "{message}");
    while world.store.advance_data_changes().await.unwrap() {}
    world.sql(require).await;
}
