//! Undos of imports: contacts that somebody touched, leases, and crashes.

use std::collections::BTreeMap;

use chrono::TimeDelta;
use domain::{
    audience::import::{Import, ImportKind, UndoStatus},
    identity::{
        actor::{Actor, RequestId},
        organization::Organization,
    },
    platform::audit::{AuditAction, AuditEntry},
    shared::id::Id,
};
use ports::{
    audience::imports::{ImportRepository, LeasedUndo, UndoQueue},
    shared::store::StoreError,
};

use super::imports::{claim, found, long_file, number, upload, write};
use crate::{World, now};

/// Uploads a file of contacts, and processes it.
async fn import(world: &World, organization: Id<Organization>, file: &str) -> Import {
    let import = upload(world, organization, ImportKind::Contacts, file).await;
    while let Some(chunk) = claim(world).await {
        write(world, &chunk).await;
    }
    import
}

/// Requests the undo of an import.
pub(crate) async fn begin(world: &World, import: &Import) -> bool {
    let actor =
        Actor { user: Id::new(now()), request: RequestId::new("r"), is_impersonating: false };
    let entry = AuditEntry {
        id: Id::new_in(now(), import.organization),
        organization: import.organization,
        at: now(),
        actor,
        action: AuditAction::ImportUndone,
        resource_type: "IMPORT",
        resource: import.id.uuid(),
        details: BTreeMap::new(),
    };
    world.store.begin_undo(import.organization, import.id, &entry).await.unwrap()
}

async fn claim_undo(world: &World) -> Option<LeasedUndo> {
    world.store.claim_undo().await.unwrap()
}

/// Returns the state of an undo, and the number of contacts that it deleted.
async fn progress(world: &World, import: &Import) -> (Option<UndoStatus>, u32) {
    let import = found(world, import).await;
    let is_over = matches!(import.undo_status, Some(UndoStatus::Completed | UndoStatus::Failed));
    assert_eq!(import.undone_at.is_some(), is_over);
    (import.undo_status, import.undone)
}

async fn contacts(world: &World) -> i64 {
    number(world, "SELECT count(*) FROM contacts").await
}

#[tokio::test]
async fn an_undo_deletes_the_contacts_that_nobody_touched() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    import(&world, organization, "phone,firstName\n0240000000,Old\n").await;
    // The second part of the file changes a contact that the first one created.
    let file = long_file(1_500) + "0240000001,Esi\n";
    let wrong = import(&world, organization, &file).await;
    import(&world, organization, "phone,firstName\n0240000005,Kofi\n0240000007,Ama\n").await;
    world
        .sql(
            "UPDATE contacts SET first_name = 'Yaa', updated_at = now() \
             WHERE phone = '+233240000006'",
        )
        .await;
    let created = found(&world, &wrong).await;
    assert_eq!((created.created, created.updated), (1_499, 2));

    assert!(begin(&world, &wrong).await);
    assert!(!begin(&world, &wrong).await, "it is requested already");
    let mut parts = 0;
    while let Some(undo) = claim_undo(&world).await {
        world.store.undo_part(&undo).await.unwrap();
        parts += 1;
    }

    assert_eq!((parts, progress(&world, &wrong).await), (2, (Some(UndoStatus::Completed), 1_497)));
    let left = "SELECT string_agg(right(phone, 1) || first_name, ' ' ORDER BY phone), \
                (SELECT contacts FROM contact_counts), \
                (SELECT sum(contacts)::bigint FROM contact_blocks) FROM contacts";
    let left = world.client().await.query_one(left, &[]).await.unwrap();
    assert_eq!(left.get::<_, &str>(0), "0Ama 5Kofi 6Yaa");
    assert_eq!((left.get::<_, i64>(1), left.get::<_, i64>(2)), (3, 3));
    let records =
        format!("SELECT count(*) FROM imported_contacts WHERE import_id = '{}'", wrong.id);
    assert_eq!(number(&world, &records).await, 0);
    assert!(!begin(&world, &wrong).await, "it is undone");
    let audited = "SELECT count(*) FROM audit_log WHERE action = 'import.undone'";
    assert_eq!(number(&world, audited).await, 1, "requests that are refused leave no entry");
}

#[tokio::test]
async fn an_undo_has_failed_if_the_record_of_the_contacts_is_deleted_before_its_end() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    let wrong = import(&world, organization, &long_file(1_500)).await;
    assert!(begin(&world, &wrong).await);
    let undo = claim_undo(&world).await.unwrap();
    world.store.undo_part(&undo).await.unwrap();

    // The import was uploaded twenty days ago.
    world.store.maintain().await.unwrap();
    let undo = claim_undo(&world).await.unwrap();
    world.store.undo_part(&undo).await.unwrap();

    assert_eq!(progress(&world, &wrong).await, (Some(UndoStatus::Failed), 1_000));
    assert_eq!((claim_undo(&world).await, contacts(&world).await), (None, 500));
}

#[tokio::test]
async fn the_undo_of_an_import_that_created_nothing_is_completed_at_once() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    let wrong = import(&world, organization, "phone\n\"x").await;
    assert!(begin(&world, &wrong).await);

    let undo = claim_undo(&world).await.unwrap();
    world.store.undo_part(&undo).await.unwrap();

    assert_eq!(progress(&world, &wrong).await, (Some(UndoStatus::Completed), 0));
}

#[tokio::test]
async fn a_part_of_an_undo_is_done_once_whoever_holds_its_lease() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    let wrong = import(&world, organization, &long_file(1_500)).await;
    assert!(begin(&world, &wrong).await);

    let lost = claim_undo(&world).await.unwrap();
    assert_eq!(claim_undo(&world).await, None, "it is leased");
    world.sql("UPDATE imports SET due_at = now() - interval '1 second'").await;
    let next = claim_undo(&world).await.unwrap();
    world.store.undo_part(&lost).await.unwrap();
    assert_eq!(contacts(&world).await, 1_500, "the lease is another's");
    world.store.undo_part(&next).await.unwrap();
    world.store.undo_part(&next).await.unwrap();

    assert_eq!(progress(&world, &wrong).await, (Some(UndoStatus::Processing), 1_000));
    assert_eq!(contacts(&world).await, 500);
    let last = claim_undo(&world).await.unwrap();
    world.store.undo_part(&last).await.unwrap();
    assert_eq!(progress(&world, &wrong).await, (Some(UndoStatus::Completed), 1_500));
    assert_eq!((claim_undo(&world).await, contacts(&world).await), (None, 0));
}

#[tokio::test]
async fn a_contact_that_is_being_changed_is_judged_after_the_change() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    let wrong = import(&world, organization, &long_file(3)).await;
    assert!(begin(&world, &wrong).await);
    let undo = claim_undo(&world).await.unwrap();
    let other = world.client().await;
    other
        .batch_execute(
            "BEGIN; UPDATE contacts SET first_name = 'Kofi', updated_at = now() \
             WHERE phone = '+233240000001'",
        )
        .await
        .unwrap();

    let undone = world.store.undo_part(&undo).await;

    assert!(matches!(undone, Err(StoreError::Unavailable(_))), "{undone:?}");
    assert_eq!(contacts(&world).await, 3, "all or nothing");
    other.batch_execute("COMMIT").await.unwrap();
    world.store.put_off_undo(&undo, TimeDelta::minutes(1)).await.unwrap();
    assert_eq!(claim_undo(&world).await, None);
    world.sql("UPDATE imports SET due_at = now()").await;
    let undo = claim_undo(&world).await.unwrap();
    assert_eq!(undo.failures, 1);
    world.store.undo_part(&undo).await.unwrap();
    assert_eq!(progress(&world, &wrong).await, (Some(UndoStatus::Completed), 2));
    assert_eq!(contacts(&world).await, 1);
}

#[tokio::test]
async fn only_a_finished_import_of_contacts_is_undone() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    let waiting = upload(&world, organization, ImportKind::Contacts, "phone\n0241234567\n").await;
    let list = upload(&world, organization, ImportKind::Suppressions, "phone\n\"x").await;

    assert!(!begin(&world, &waiting).await);
    assert!(!begin(&world, &list).await);

    assert_eq!(claim_undo(&world).await, None);
}

#[tokio::test]
async fn it_is_forgotten_after_a_week_which_contacts_an_import_created() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    // The import was uploaded twenty days ago.
    import(&world, organization, "phone\n0241234567\n").await;
    let records = "SELECT count(*) FROM imported_contacts";
    assert_eq!(number(&world, records).await, 1);

    world.store.maintain().await.unwrap();

    assert_eq!(number(&world, records).await, 0);
    assert_eq!(number(&world, "SELECT count(*) FROM imports").await, 1);
}
