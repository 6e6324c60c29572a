//! Imports: turns and leases of chunks, each written once.

use std::{
    fmt::Write,
    sync::atomic::{AtomicI64, Ordering},
    time::Duration,
};

use chrono::TimeDelta;
use domain::{
    audience::import::{
        Chunk, ContactTable, Import, ImportKind, ImportStatus, Mapping, SuppressionPlan,
        SuppressionTable, Upload,
    },
    identity::organization::Organization,
    shared::{id::Id, page::Page},
};
use ports::{
    audience::imports::{
        FileIdentity, HELD_ROW, ImportQueue, ImportRepository, LeasedChunk, Submitted,
    },
    shared::store::StoreError,
};

use crate::{World, now};

const CONTACTS: ImportKind = ImportKind::Contacts;

/// Milliseconds between the first file and the next one.
static LATER: AtomicI64 = AtomicI64::new(0);

/// Uploads a file as the service does.
pub(crate) async fn upload(
    world: &World,
    organization: Id<Organization>,
    kind: ImportKind,
    file: &str,
) -> Import {
    let at = now() + TimeDelta::milliseconds(LATER.fetch_add(1, Ordering::Relaxed));
    let import = Import {
        id: Id::new_in(at, organization),
        organization,
        kind,
        file_name: Some("rows.csv".into()),
        status: ImportStatus::Queued,
        total_rows: 0,
        created: 0,
        updated: 0,
        failed: 0,
        fixed_lines: 0,
        consent_source: None,
        same_as: None,
        undo_status: None,
        undone: 0,
        undone_at: None,
        created_at: at,
        completed_at: None,
    };
    assert!(world.store.begin(&import, 10).await.unwrap());
    let mut upload = Upload::new(kind, Mapping::default());
    for chunk in upload.write(file.as_bytes()).unwrap() {
        world.store.add_chunk(&import, &chunk).await.unwrap();
    }
    let received = upload.finish().unwrap();
    let identity = FileIdentity { hash: [0; 32], is_once: false };
    match world.store.submit(&import, &received, identity).await.unwrap() {
        Submitted::Done(import) => *import,
        Submitted::Known(former) => panic!("it was imported before, by {former}"),
    }
}

/// A file of several chunks.
pub(super) fn long_file(rows: usize) -> String {
    let mut file = "phone,firstName\n".to_owned();
    for number in 0..rows {
        writeln!(file, "024{number:07},Ama").unwrap();
    }
    file
}

pub(super) async fn claim(world: &World) -> Option<LeasedChunk> {
    world.store.claim().await.unwrap()
}

pub(super) async fn write(world: &World, chunk: &LeasedChunk) {
    match chunk.kind {
        ImportKind::Contacts => {
            let table = ContactTable::new(chunk.layout.clone()).unwrap();
            let rows = table.rows(&chunk.chunk, chunk.organization, now());
            world.store.write_contacts(chunk, &rows).await.unwrap();
        }
        ImportKind::Suppressions => {
            let table = SuppressionTable::new(chunk.layout.clone()).unwrap();
            let rows = table.rows(&chunk.chunk, chunk.organization, now());
            let plan = SuppressionPlan::of(rows);
            world.store.write_suppressions(chunk, &plan).await.unwrap();
        }
    }
}

pub(super) async fn found(world: &World, import: &Import) -> Import {
    let found = world.store.find(import.organization, import.kind, import.id).await;
    found.unwrap().unwrap()
}

fn counts(import: &Import) -> [u32; 4] {
    [import.total_rows, import.created, import.updated, import.failed]
}

pub(super) async fn number(world: &World, query: &str) -> i64 {
    world.client().await.query_one(query, &[]).await.unwrap().get(0)
}

#[tokio::test]
async fn organizations_take_turns_and_run_files_of_a_kind_in_order() {
    let world = World::alone().await;
    let (first, second) = (world.organization().await.id, world.organization().await.id);
    let long = upload(&world, first, CONTACTS, &long_file(2_500)).await;
    let next = upload(&world, first, CONTACTS, "phone\n0241234567\n").await;
    let other = upload(&world, second, CONTACTS, &long_file(1_500)).await;
    let list = upload(&world, first, ImportKind::Suppressions, "phone\n0241234567\n").await;

    let mut order = Vec::new();
    while let Some(chunk) = claim(&world).await {
        write(&world, &chunk).await;
        order.push((chunk.import, chunk.chunk.first_row));
    }

    let expected = [
        (long.id, 2),
        (other.id, 2),
        (list.id, 2),
        (long.id, 1_002),
        (other.id, 1_002),
        (long.id, 2_002),
        (next.id, 2),
    ];
    assert_eq!(order, expected);
    for (import, expected) in [
        (long, [2_500, 2_500, 0, 0]),
        (next, [1, 1, 0, 0]),
        (other, [1_500, 1_500, 0, 0]),
        (list, [1, 1, 0, 0]),
    ] {
        let import = found(&world, &import).await;
        assert_eq!((counts(&import), import.status), (expected, ImportStatus::Completed));
        assert!(import.completed_at.is_some());
    }
    assert_eq!(number(&world, "SELECT count(*) FROM import_chunks").await, 0);
}

#[tokio::test]
async fn only_the_new_holder_writes_a_chunk_whose_lease_expired() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    let import = upload(&world, organization, CONTACTS, "phone\n0241234567\nx\n").await;

    let slow = claim(&world).await.unwrap();
    assert_eq!(claim(&world).await, None, "it is leased");
    world.sql("UPDATE imports SET due_at = now() - interval '1 second'").await;
    let next = claim(&world).await.unwrap();
    assert_eq!((next.import, next.chunk.number), (slow.import, slow.chunk.number));
    write(&world, &slow).await;
    assert_eq!(counts(&found(&world, &import).await), [2, 0, 0, 0], "nothing was written");
    assert_eq!(number(&world, "SELECT count(*) FROM contacts").await, 0);
    write(&world, &next).await;
    write(&world, &next).await;

    let import = found(&world, &import).await;
    assert_eq!((counts(&import), import.status), ([2, 1, 0, 1], ImportStatus::Completed));
    let errors = world.store.errors(organization, import.id, 0, 10).await.unwrap();
    assert_eq!(
        errors.iter().map(|it| (it.row, it.column.as_deref())).collect::<Vec<_>>(),
        [(3, Some("phone"))]
    );
    assert!(world.store.errors(organization, import.id, 3, 10).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_postponed_chunk_waits_and_a_failed_one_ends_its_import() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    let import = upload(&world, organization, CONTACTS, &long_file(1_500)).await;
    write(&world, &claim(&world).await.unwrap()).await;
    let chunk = claim(&world).await.unwrap();

    world.store.put_off(&chunk, TimeDelta::minutes(1)).await.unwrap();
    assert_eq!(claim(&world).await, None);
    world.sql("UPDATE imports SET due_at = now()").await;
    let chunk = claim(&world).await.unwrap();
    assert_eq!(chunk.failures, 1);
    world.store.fail(&chunk, "the disk is gone").await.unwrap();

    let import = found(&world, &import).await;
    assert_eq!((counts(&import), import.status), ([1_500, 1_000, 0, 500], ImportStatus::Failed));
    let errors = world.store.errors(organization, import.id, 0, 10).await.unwrap();
    assert_eq!(
        (errors.len(), errors[0].row, errors[0].reason.as_str()),
        (1, 1_002, "the disk is gone")
    );
    assert_eq!(number(&world, "SELECT count(*) FROM import_chunks").await, 0);
    assert_eq!(claim(&world).await, None);
}

#[tokio::test]
async fn an_import_without_its_file_fails_and_the_next_begins() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    let lost = upload(&world, organization, CONTACTS, "phone\n0241234567\n").await;
    let next = upload(&world, organization, CONTACTS, "phone\n0241234568\n").await;
    world.sql(&format!("DELETE FROM import_chunks WHERE import_id = '{}'", lost.id)).await;

    assert_eq!(claim(&world).await, None);
    assert_eq!(claim(&world).await.unwrap().import, next.id);

    let lost = found(&world, &lost).await;
    assert_eq!((counts(&lost), lost.status), ([1, 0, 0, 1], ImportStatus::Failed));
}

#[tokio::test]
async fn contacts_can_exchange_addresses_within_a_file() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    let first = "phone,email\n0241234561,a@x.com\n0241234562,b@x.com\n";
    let then =
        "phone,email\n0241234563,a@x.com\n0241234561,b@x.com\n0241234562,\n0241234564,a@x.com\n";
    for (file, expected) in [(first, [2, 2, 0, 0]), (then, [4, 1, 3, 0])] {
        let import = upload(&world, organization, CONTACTS, file).await;
        write(&world, &claim(&world).await.unwrap()).await;
        assert_eq!(counts(&found(&world, &import).await), expected);
    }
    let query = "SELECT string_agg(coalesce(email, '-') || right(phone, 1), ' ' ORDER BY phone), \
                 (SELECT contacts FROM contact_counts) FROM contacts";
    let row = world.client().await.query_one(query, &[]).await.unwrap();
    assert_eq!((row.get(0), row.get(1)), ("b@x.com1 -2 a@x.com4", 3_i64));
}

#[tokio::test]
async fn a_chunk_gives_up_when_one_of_its_contacts_is_locked() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    let upload_next =
        || upload(&world, organization, CONTACTS, "phone,firstName\n0241234567,Ama\n");
    upload_next().await;
    write(&world, &claim(&world).await.unwrap()).await;
    let import = upload_next().await;
    let chunk = claim(&world).await.unwrap();
    let table = ContactTable::new(chunk.layout.clone()).unwrap();
    let rows = table.rows(&chunk.chunk, organization, now());
    let other = world.client().await;
    other.batch_execute("BEGIN; SELECT FROM contacts FOR UPDATE").await.unwrap();

    let written = world.store.write_contacts(&chunk, &rows);

    let written = tokio::time::timeout(Duration::from_secs(10), written).await.unwrap();
    assert!(matches!(written, Err(StoreError::Unavailable(_))), "{written:?}");
    other.batch_execute("COMMIT").await.unwrap();
    world.store.write_contacts(&chunk, &rows).await.unwrap();
    assert_eq!(counts(&found(&world, &import).await), [1, 0, 1, 0]);
}

#[tokio::test]
async fn an_earlier_import_does_not_recreate_a_deleted_contact() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    let file = "phone,firstName\n0241234567,Ama\n0241234568,Kofi\n";
    upload(&world, organization, CONTACTS, file).await;
    write(&world, &claim(&world).await.unwrap()).await;
    let waiting = upload(&world, organization, CONTACTS, file).await;

    world
        .sql(&format!(
            "WITH gone AS ( \
                DELETE FROM contacts WHERE phone = '+233241234567' RETURNING * \
             ) INSERT INTO contact_erasures (organization_id, id, phone, requested_at) \
             SELECT organization_id, id, phone, '{}' FROM gone",
            (waiting.created_at + TimeDelta::milliseconds(1)).to_rfc3339()
        ))
        .await;
    write(&world, &claim(&world).await.unwrap()).await;
    assert_eq!(counts(&found(&world, &waiting).await), [2, 0, 1, 1]);

    let later = upload(&world, organization, CONTACTS, file).await;
    write(&world, &claim(&world).await.unwrap()).await;
    assert_eq!(counts(&found(&world, &later).await), [2, 1, 1, 0], "it is asked for anew");
}

#[tokio::test]
async fn repeated_suppressions_in_a_file_are_counted_once() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    let mut file = "phone,reason\n".to_owned();
    for number in 0..50 {
        writeln!(file, "024123456{},{number}", number % 10).unwrap();
    }
    for expected in [[50, 10, 40, 0], [50, 0, 50, 0]] {
        let import = upload(&world, organization, ImportKind::Suppressions, &file).await;
        write(&world, &claim(&world).await.unwrap()).await;
        assert_eq!(counts(&found(&world, &import).await), expected);
        assert_eq!(number(&world, "SELECT entries FROM suppression_counts").await, 10);
    }
    let reasons = "SELECT min(reason::integer)::bigint FROM suppressions";
    assert_eq!(number(&world, reasons).await, 40, "the last reason holds");
    world.sql("DELETE FROM suppressions WHERE reason < '45'").await;
    assert_eq!(number(&world, "SELECT entries FROM suppression_counts").await, 5);
}

#[tokio::test]
async fn only_an_unfinished_upload_is_hidden_and_can_be_abandoned() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    let import = upload(&world, organization, CONTACTS, "phone\n0241234567\n\"x").await;
    let begun = Import { id: Id::new_in(now(), organization), ..import.clone() };
    assert!(world.store.begin(&begun, 2).await.unwrap());
    assert!(!world.store.begin(&begun, 1).await.unwrap(), "as many wait as may");

    assert_eq!((import.total_rows, import.failed), (2, 1));
    let page = Page::of_short_list(None, None).unwrap();
    let page = async |kind| world.store.page(organization, kind, page).await.unwrap().items;
    assert_eq!(page(CONTACTS).await, std::slice::from_ref(&import));
    assert!(page(ImportKind::Suppressions).await.is_empty());
    assert_eq!(world.store.find(organization, CONTACTS, begun.id).await.unwrap(), None);
    for it in [&begun, &import] {
        world.store.abandon(organization, it.id).await.unwrap();
    }
    assert_eq!(page(CONTACTS).await, [import]);
    assert_eq!(number(&world, "SELECT count(*) FROM imports").await, 1);
}

#[tokio::test]
async fn a_held_file_is_found_until_it_is_abandoned_and_an_upload_is_none() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    let import = upload(&world, organization, CONTACTS, "phone\n0241234567\n").await;
    let begun = |first_row| {
        let chunk = |number| Chunk { number, first_row, rows: 0, bytes: vec![b'a', b'0'] };
        (Import { id: Id::new_in(now(), organization), ..import.clone() }, [chunk(0), chunk(1)])
    };
    let held = async |id| world.store.held(organization, CONTACTS, id).await.unwrap();
    for (first_row, expected) in [(HELD_ROW, Some(2)), (2, None)] {
        let (file, chunks) = begun(first_row);
        assert!(world.store.begin(&file, 10).await.unwrap());
        for chunk in &chunks {
            world.store.add_chunk(&file, chunk).await.unwrap();
        }
        let found = held(file.id).await;
        assert_eq!(found.as_ref().map(|it| it.chunks), expected);
        assert_eq!(found.and_then(|it| it.name), expected.and(import.file_name.clone()));
        let chunk = world.store.held_chunk(organization, file.id, 1).await.unwrap();
        assert_eq!(chunk, expected.map(|_| vec![b'a', b'0']));
        assert_eq!(world.store.held_chunk(organization, file.id, 2).await.unwrap(), None);
        let other = world.organization().await.id;
        assert_eq!(world.store.held(other, CONTACTS, file.id).await.unwrap(), None);
        world.store.abandon(organization, file.id).await.unwrap();
        assert_eq!(held(file.id).await, None);
    }
    assert_eq!(held(import.id).await, None);
}

#[tokio::test]
async fn imports_are_deleted_after_a_month_and_uploads_after_an_hour() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    // The import was created twenty days ago.
    let young = upload(&world, organization, CONTACTS, "phone\nx\n").await;
    write(&world, &claim(&world).await.unwrap()).await;
    world
        .sql(
            "INSERT INTO imports (organization_id, id, kind, status, total_rows, failed_rows, \
                created_at) \
             SELECT organization_id, uuid_floor(now() - interval '31 days'), kind, status, 1, 1, \
                now() - interval '31 days' FROM imports; \
             INSERT INTO imports (organization_id, id, kind, status, created_at) \
             SELECT organization_id, gen_random_uuid(), kind, 'UPLOADING', now() - interval '2 hours' \
             FROM imports LIMIT 1; \
             INSERT INTO import_chunks SELECT organization_id, id, 0, 2, 'x' FROM imports \
             WHERE status = 'UPLOADING'; \
             INSERT INTO import_errors SELECT organization_id, id, 2, NULL, 'r' FROM imports \
             WHERE created_at < now() - interval '30 days'",
        )
        .await;
    assert_eq!(number(&world, "SELECT count(*) FROM import_errors").await, 2);

    world.store.maintain().await.unwrap();

    assert_eq!(number(&world, "SELECT count(*) FROM imports").await, 1);
    assert_eq!(number(&world, "SELECT count(*) FROM import_chunks").await, 0);
    assert_eq!(number(&world, "SELECT count(*) FROM import_errors").await, 1);
    assert_eq!(found(&world, &young).await.failed, 1);
}
