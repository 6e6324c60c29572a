//! Jobs that delete or tag many contacts.

use adapters_postgres::{PgSegments, PgStore};
use chrono::TimeDelta;
use domain::{
    audience::{
        contact::{Contact, ContactFilter, ContactRequest},
        contact_job::{
            ContactJob, ContactJobStatus, ContactSelection, ContactTask, SelectedContacts,
            SelectionRequest, TagChange,
        },
        segment::{Segment, SegmentRequest},
    },
    identity::organization::Organization,
    shared::id::Id,
};
use futures_util::future::join_all;
use ports::audience::{
    contact_jobs::{ContactJobQueue, ContactJobRepository, LeasedContactJob},
    contacts::ContactRepository,
    segments::SegmentRepository,
};
use serde_json::json;
use testkit::is_long;

use crate::{World, now, shared::plans::read_of};

fn jobs(world: &World) -> PgSegments {
    let evaluation = PgStore::connect_evaluation(&world.url, 1).unwrap();
    PgSegments::new(world.store.clone(), evaluation)
}

fn tagged(tag: &str) -> ContactSelection {
    let filter = ContactFilter { tag: Some(tag.to_owned()), ..ContactFilter::default() };
    selection(&SelectionRequest { filter, ..SelectionRequest::default() })
}

fn selection(request: &SelectionRequest) -> ContactSelection {
    request.selection().unwrap()
}

/// Adds contacts with a number and a tag.
async fn add(world: &World, organization: Id<Organization>, count: usize, tag: &str) {
    world
        .sql(&format!(
            "INSERT INTO contacts (organization_id, id, created_at, tags, tags_folded, phone) \
             SELECT '{organization}', uuid_v7_in(now(), '{organization}'), now(), ARRAY['{tag}'], \
                ARRAY[lower('{tag}')], '+23324' || lpad(number::text, 7, '0') \
             FROM generate_series(1, {count}) AS number"
        ))
        .await;
}

async fn begin(world: &World, organization: Id<Organization>, task: ContactTask) -> ContactJob {
    let mut job = ContactJob {
        id: Id::new_in(now(), organization),
        organization,
        task,
        status: ContactJobStatus::Queued,
        count: 0,
        done: 0,
        created_by: Id::new(now()),
        created_at: now(),
        finished_at: None,
    };
    job.count = jobs(world).begin(&job, &tagged("vip"), 2).await.unwrap().unwrap();
    job
}

async fn preview(
    world: &World,
    organization: Id<Organization>,
    selection: &ContactSelection,
) -> SelectedContacts {
    ContactJobRepository::preview(&jobs(world), organization, selection).await.unwrap()
}

async fn claim(world: &World) -> Option<LeasedContactJob> {
    ContactJobQueue::claim(&world.store).await.unwrap()
}

async fn found(world: &World, job: &ContactJob) -> ContactJob {
    ContactJobRepository::find(&jobs(world), job.organization, job.id).await.unwrap().unwrap()
}

async fn number(world: &World, query: &str) -> i64 {
    world.client().await.query_one(query, &[]).await.unwrap().get(0)
}

#[tokio::test]
async fn a_deletion_continues_after_a_crash_and_reaches_no_contact_that_is_newer() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    add(&world, organization, 1_200, "VIP").await;
    let job = begin(&world, organization, ContactTask::Delete).await;
    assert_eq!(job.count, 1_200);
    let newer = ContactRequest { tags: vec!["vip".into()], ..ContactRequest::default() };
    let newer = newer.contact(organization, now()).unwrap();
    world.store.insert(&newer).await.unwrap();

    let first = claim(&world).await.unwrap();
    assert_eq!(claim(&world).await, None, "it is leased");
    world.store.work_off_part(&first).await.unwrap();
    let lost = claim(&world).await.unwrap();
    world.sql("UPDATE contact_jobs SET due_at = now()").await;
    let leased = claim(&world).await.unwrap();
    world.store.work_off_part(&lost).await.unwrap();
    let between = found(&world, &job).await;
    assert_eq!((between.status, between.done), (ContactJobStatus::Running, 500));
    world.store.work_off_part(&leased).await.unwrap();
    while let Some(leased) = claim(&world).await {
        world.store.work_off_part(&leased).await.unwrap();
    }

    let ended = found(&world, &job).await;
    assert_eq!((ended.status, ended.done), (ContactJobStatus::Completed, 1_200));
    assert!(ended.finished_at.is_some());
    assert_eq!(number(&world, "SELECT count(*) FROM contacts").await, 1);
    assert_eq!(number(&world, "SELECT contacts FROM contact_counts").await, 1);
    assert_eq!(number(&world, "SELECT count(*) FROM contact_erasures").await, 1_200);
    assert_eq!(number(&world, "SELECT count(*) FROM contact_job_parts").await, 0);
}

#[tokio::test]
async fn tags_change_in_both_spellings() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    add(&world, organization, 3, "VIP").await;
    let change = TagChange { add: vec!["Gold".into()], remove: vec!["vip".into()] };
    let job = begin(&world, organization, ContactTask::Tag(change.clone())).await;

    assert_eq!(found(&world, &job).await.task, ContactTask::Tag(change));
    while let Some(leased) = claim(&world).await {
        world.store.work_off_part(&leased).await.unwrap();
    }

    let changed = "SELECT count(*) FROM contacts \
                   WHERE tags = ARRAY['Gold'] AND tags_folded = ARRAY['gold'] \
                       AND updated_at > created_at";
    assert_eq!(number(&world, changed).await, 3);
    assert_eq!(preview(&world, organization, &tagged("gold")).await.count, 3);
    assert_eq!(preview(&world, organization, &tagged("vip")).await.count, 0);
}

#[tokio::test]
async fn a_job_whose_part_always_fails_is_given_up() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    add(&world, organization, 1, "vip").await;
    let job = begin(&world, organization, ContactTask::Delete).await;
    for attempt in 1..=2 {
        let leased = claim(&world).await.unwrap();
        world.store.put_off(&leased, TimeDelta::zero(), 2).await.unwrap();
        let is_over = found(&world, &job).await.status == ContactJobStatus::Failed;
        assert_eq!(is_over, attempt == 2);
    }
    assert_eq!(claim(&world).await, None);
    assert_eq!(number(&world, "SELECT count(*) FROM contacts").await, 1);
}

#[tokio::test]
async fn an_organization_has_so_many_jobs_and_sees_its_own() {
    let world = World::alone().await;
    let (own, other) = (world.organization().await.id, world.organization().await.id);
    let first = begin(&world, own, ContactTask::Delete).await;
    let second = begin(&world, own, ContactTask::Delete).await;
    let third = ContactJob { id: Id::new_in(now(), own), ..second.clone() };
    let (newer, older) = (first.id.max(second.id), first.id.min(second.id));
    let jobs = jobs(&world);
    assert_eq!(jobs.begin(&third, &tagged("vip"), 2).await.unwrap(), None);

    let list = jobs.older(own, None, 10).await.unwrap();
    assert_eq!(list.iter().map(|job| job.id).collect::<Vec<_>>(), [newer, older]);
    let rest = jobs.older(own, Some(newer), 10).await.unwrap();
    assert_eq!(rest.iter().map(|job| job.id).collect::<Vec<_>>(), [older]);
    assert!(jobs.older(other, None, 10).await.unwrap().is_empty());
    assert_eq!(ContactJobRepository::find(&jobs, other, first.id).await.unwrap(), None);
}

#[tokio::test]
async fn requests_at_the_same_time_do_not_begin_more_jobs_than_an_organization_may_have() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    add(&world, organization, 1_000, "vip").await;
    let first = begin(&world, organization, ContactTask::Delete).await;
    // Each is another instance.
    let attempts = (0..5).map(|_| {
        let job = ContactJob { id: Id::new_in(now(), organization), ..first.clone() };
        let jobs = jobs(&world);
        async move { jobs.begin(&job, &tagged("vip"), 2).await.unwrap() }
    });

    let begun = join_all(attempts).await;

    assert_eq!(begun.iter().flatten().collect::<Vec<_>>(), [&1_000_u64]);
    assert_eq!(number(&world, "SELECT count(*) FROM contact_jobs").await, 2);
    assert_eq!(number(&world, "SELECT count(*) FROM contact_job_parts").await, 4);
}

#[tokio::test]
async fn a_part_reads_its_contacts_alone_whatever_the_statistics_say() {
    let change = TagChange { add: vec!["Gold".into()], remove: Vec::new() };
    for task in [ContactTask::Delete, ContactTask::Tag(change)] {
        let world = World::alone().await;
        world.sql("ANALYZE").await;
        let organization = world.organization().await.id;
        add(&world, organization, if is_long() { 20_000 } else { 8_000 }, "vip").await;
        let job = begin(&world, organization, task).await;
        let store = PgStore::connect(&world.url, 1).unwrap();
        let leased = ContactJobQueue::claim(&store).await.unwrap().unwrap();
        let before = read_of(&world, &store, "contacts").await;

        store.work_off_part(&leased).await.unwrap();

        let read = read_of(&world, &store, "contacts").await - before;
        assert_eq!(found(&world, &job).await.done, 500);
        assert!((500..5_000).contains(&read), "{read} contacts were read, {:?}", job.task);
    }
}

/// Adds a contact with these fields.
async fn contact(
    world: &World,
    organization: Id<Organization>,
    name: &str,
    phone: &str,
    tag: &str,
) -> Contact {
    let request = ContactRequest {
        first_name: Some(name.to_owned()),
        phone: Some(phone.to_owned()),
        tags: vec![tag.to_owned()],
        ..ContactRequest::default()
    };
    let contact = request.contact(organization, now()).unwrap();
    world.store.insert(&contact).await.unwrap();
    contact
}

#[tokio::test]
async fn the_selected_contacts_fit_all_conditions() {
    let world = World::new().await;
    let (own, other) = (world.organization().await.id, world.organization().await.id);
    let ama = contact(&world, own, "Ama", "0241234567", "VIP").await;
    let kofi = contact(&world, own, "Kofi", "0241234568", "vip").await;
    contact(&world, other, "Ama", "0241234567", "vip").await;
    world
        .sql(&format!(
            "INSERT INTO suppressions (id, organization_id, phone, created_at) \
             VALUES (uuid_v7_in(now(), '{own}'), '{own}', '+233241234568', now())"
        ))
        .await;
    let jobs = jobs(&world);
    let mut segments: Vec<Segment> = Vec::new();
    for is_dynamic in [true, false] {
        let request = SegmentRequest {
            name: Some("Ama".into()),
            rules: Some(json!({"firstName": "ama"})),
            is_dynamic: Some(is_dynamic),
            ..SegmentRequest::default()
        };
        let segment = request.segment(own, now()).unwrap();
        jobs.insert(&segment).await.unwrap().unwrap();
        segments.push(segment);
    }
    let of = |filter| selection(&SelectionRequest { filter, ..SelectionRequest::default() });
    let everybody = ContactFilter { tag: Some("Vip".into()), ..ContactFilter::default() };
    let suppressed = |suppressed| of(ContactFilter { suppressed, ..everybody.clone() });
    let searching = ContactFilter { search: Some("024 123 4568".into()), ..everybody.clone() };
    let within = |segment: &Segment| ContactSelection {
        segment: Some(segment.clone()),
        ..of(ContactFilter { segment: Some(segment.id), ..ContactFilter::default() })
    };
    let named =
        selection(&SelectionRequest { ids: Some(vec![kofi.id]), ..SelectionRequest::default() });
    let mut both = vec![kofi.id, ama.id];
    both.sort_unstable();

    for (selection, expected) in [
        (of(everybody.clone()), both.clone()),
        (suppressed(Some(true)), vec![kofi.id]),
        (suppressed(Some(false)), vec![ama.id]),
        (of(searching), vec![kofi.id]),
        (within(&segments[0]), vec![ama.id]),
        (within(&segments[1]), vec![ama.id]),
        (named, vec![kofi.id]),
        (selection(&SelectionRequest { all: true, ..SelectionRequest::default() }), both),
    ] {
        let found = preview(&world, own, &selection).await;
        let mut ids: Vec<_> = found.sample.iter().map(|contact| contact.id).collect();
        ids.sort_unstable();
        assert_eq!(ids, expected, "{selection:?}");
        assert_eq!(found.count, expected.len() as u64, "{selection:?}");
    }
}
