//! Exports of the delivery log, and their files.

use std::sync::Arc;

use app::clock::SystemClock;
use chrono::TimeDelta;
use domain::{
    identity::{organization::Organization, user::User},
    messaging::{
        delivery::{FailureCode, Status},
        delivery_log::{LogFilter, csv},
        log_export::{
            KEPT, LogExport, LogExportFailure, LogExportState, LogFile, MAX_KEPT, MAX_PREPARING,
            NoRoomForLogExport,
        },
        message::{Message, Metadata},
    },
    shared::{channel::Channel, id::Id},
};
use futures_util::future::join_all;
use ports::{
    messaging::{
        log_exports::{
            Appended, ExportedLines, LeasedLogExport, LogExportError, LogExportQueue,
            LogExportRepository,
        },
        messages::Intake,
    },
    shared::clock::Clock,
};
use usecases::messaging::log_exports::LogExportWork;

use super::intake_fixture::{IntakeFixture, PRICE};
use crate::{World, now};

/// Size that no file reaches.
const ANY_SIZE: u64 = u64::MAX;

/// Exports of a member of an organization.
struct Member<'w> {
    world: &'w World,
    organization: Id<Organization>,
    id: Id<User>,
}

impl<'w> Member<'w> {
    fn of(world: &'w World, organization: Id<Organization>) -> Self {
        Self { world, organization, id: Id::new(now()) }
    }

    fn export(&self) -> LogExport {
        LogExport {
            id: Id::new_in(now(), self.organization),
            organization: self.organization,
            created_by: self.id,
            filter: LogFilter::default(),
            state: LogExportState::Preparing,
            rows: 0,
            created_at: now(),
        }
    }

    async fn begin(&self) -> Result<LogExport, LogExportError> {
        let export = self.export();
        self.world.store.begin(&export).await.map(|()| export)
    }

    async fn find(&self, id: Id<LogExport>) -> Option<LogExport> {
        LogExportRepository::find(&self.world.store, self.organization, self.id, id).await.unwrap()
    }

    async fn list(&self) -> Vec<Id<LogExport>> {
        let exports = LogExportRepository::list(&self.world.store, self.organization, self.id);
        exports.await.unwrap().into_iter().map(|export| export.id).collect()
    }

    /// Returns the whole file of an export that is ready, and its number of parts.
    async fn file(&self, export: &LogExport) -> (String, u32) {
        let LogExportState::Ready(LogFile { parts, bytes, .. }) = export.state else {
            panic!("{export:?}")
        };
        let mut file = Vec::new();
        for number in 0..parts {
            let part = self.world.store.part(self.organization, export.id, number).await.unwrap();
            file.extend(part.unwrap());
        }
        let after = self.world.store.part(self.organization, export.id, parts).await.unwrap();
        assert_eq!((after, u64::try_from(file.len()).unwrap()), (None, bytes));
        (String::from_utf8(file).unwrap(), parts)
    }
}

/// An organization with `count` accepted messages, newest first.
async fn logged(count: usize) -> (IntakeFixture, Vec<Message>) {
    let fixture = IntakeFixture::open(PRICE * 2_000).await;
    let mut messages: Vec<_> = (0..count).map(|_| fixture.message()).collect();
    for some in messages.chunks(400) {
        fixture.intake.accept(fixture.submission(some)).await.unwrap();
    }
    messages.sort_by_key(|message| message.id);
    messages.reverse();
    (fixture, messages)
}

async fn claim(world: &World) -> LeasedLogExport {
    LogExportQueue::claim(&world.store).await.unwrap().unwrap()
}

fn lines(text: &str, next: Option<Id<Message>>) -> ExportedLines {
    ExportedLines { parts: vec![text.to_owned()], rows: 1, next }
}

async fn count(world: &World, table: &str) -> i64 {
    let query = format!("SELECT count(*) FROM {table}");
    world.client().await.query_one(&query, &[]).await.unwrap().get(0)
}

/// Makes the lease of every export end.
async fn end_leases(world: &World) {
    world.sql("UPDATE log_exports SET due_at = now()").await;
}

#[tokio::test]
async fn a_file_is_the_log_although_workers_die_between_its_parts() {
    let (fixture, messages) = logged(1_200).await;
    let world = &fixture.world;
    let member = Member::of(world, fixture.organization);
    let export = member.begin().await.unwrap();
    let (first, second) = messages.split_at(700);
    let text = |messages: &[Message]| -> String {
        messages.iter().map(|message| csv::line(message.clone())).collect()
    };

    let leased = claim(world).await;
    assert_eq!((leased.id, leased.parts, leased.position), (export.id, 0, None));
    assert_eq!(LogExportQueue::claim(&world.store).await.unwrap(), None, "it is leased");
    let next = first.last().map(|message| message.id);
    let begun = ExportedLines { parts: vec![csv::header(), text(first)], rows: 700, next };
    world.store.append(&leased, &begun, ANY_SIZE).await.unwrap();
    let between = member.find(export.id).await.unwrap();
    assert_eq!((between.state, between.rows), (LogExportState::Preparing, 700));
    // This worker dies before it has written anything.
    let lost = claim(world).await;
    assert_eq!((lost.parts, lost.position), (2, next));
    end_leases(world).await;
    let store = Arc::new(world.store.clone());
    let work = LogExportWork::new(Arc::clone(&store) as _, store);
    while work.work_once().await.unwrap() {}

    let ended = member.find(export.id).await.unwrap();
    assert_eq!(ended.rows, 1_200);
    assert_eq!(member.file(&ended).await.0, csv::header() + &text(first) + &text(second));
}

#[tokio::test]
async fn a_worker_that_lost_its_lease_writes_nothing() {
    let world = World::alone().await;
    let member = Member::of(&world, world.organization().await.id);
    let export = member.begin().await.unwrap();
    let lost = claim(&world).await;
    end_leases(&world).await;
    let leased = claim(&world).await;
    assert_ne!(leased.lease, lost.lease);

    assert_eq!(
        world.store.append(&lost, &lines("a", None), ANY_SIZE).await.unwrap(),
        Appended::Done
    );
    world.store.fail(&lost, LogExportFailure::GivenUp).await.unwrap();
    LogExportQueue::put_off(&world.store, &lost, TimeDelta::days(1)).await.unwrap();

    assert_eq!(member.find(export.id).await.unwrap(), export);
    assert_eq!(count(&world, "log_export_parts").await, 0);
    world.store.append(&leased, &lines("b", None), ANY_SIZE).await.unwrap();
    let ended = member.find(export.id).await.unwrap();
    assert_eq!(member.file(&ended).await, ("b".to_owned(), 1));
}

#[tokio::test]
async fn lines_that_were_put_off_are_claimed_again_with_their_failures() {
    let world = World::alone().await;
    let member = Member::of(&world, world.organization().await.id);
    member.begin().await.unwrap();

    for failures in 0..2 {
        let leased = claim(&world).await;
        assert_eq!(leased.failures, failures);
        LogExportQueue::put_off(&world.store, &leased, TimeDelta::zero()).await.unwrap();
    }
    let next = Some(Id::new_in(now(), member.organization));
    let leased = claim(&world).await;
    world.store.append(&leased, &lines("a", next), ANY_SIZE).await.unwrap();

    let leased = claim(&world).await;
    assert_eq!((leased.failures, leased.position), (0, next));
}

#[tokio::test]
async fn a_file_that_would_be_too_large_leaves_a_failure_and_no_parts() {
    let world = World::alone().await;
    let member = Member::of(&world, world.organization().await.id);
    let export = member.begin().await.unwrap();
    let next = Some(Id::new_in(now(), member.organization));
    let first = claim(&world).await;
    world.store.append(&first, &lines("a", next), ANY_SIZE).await.unwrap();
    let second = claim(&world).await;
    assert!(second.stored > 0);

    let most = 2 * second.stored - 1;
    let refused = world.store.append(&second, &lines("a", None), most).await.unwrap();
    assert_eq!(refused, Appended::TooLarge);
    assert_eq!(count(&world, "log_export_parts").await, 1);
    world.store.fail(&second, LogExportFailure::TooLarge).await.unwrap();

    let failed = member.find(export.id).await.unwrap();
    let LogExportState::Failed { failure, .. } = failed.state else { panic!("{failed:?}") };
    assert_eq!((failure, failed.rows), (LogExportFailure::TooLarge, 1));
    assert_eq!(count(&world, "log_export_parts").await, 0);
    assert_eq!(LogExportQueue::claim(&world.store).await.unwrap(), None);
}

#[tokio::test]
async fn an_export_is_found_and_deleted_by_its_member_alone() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    let (member, colleague) = (Member::of(&world, organization), Member::of(&world, organization));
    let foreign = world.organization().await.id;
    let stranger = Member { world: &world, organization: foreign, id: member.id };
    let older = member.begin().await.unwrap();
    let newer = member.begin().await.unwrap();
    while let Some(leased) = LogExportQueue::claim(&world.store).await.unwrap() {
        world.store.append(&leased, &lines("a", None), ANY_SIZE).await.unwrap();
    }

    let mut own = [older.id, newer.id];
    own.sort_unstable();
    own.reverse();
    assert_eq!(member.list().await, own);
    for other in [&colleague, &stranger] {
        assert_eq!(other.find(older.id).await, None);
        assert!(other.list().await.is_empty());
        let deleted =
            LogExportRepository::delete(&world.store, other.organization, other.id, older.id);
        assert!(!deleted.await.unwrap());
    }
    let deleted = || LogExportRepository::delete(&world.store, organization, member.id, older.id);
    assert!(deleted().await.unwrap());
    assert!(!deleted().await.unwrap());
    assert_eq!(member.list().await, [newer.id]);
    assert_eq!(count(&world, "log_export_parts").await, 1);
}

#[tokio::test]
async fn an_export_that_is_deleted_while_it_is_written_stays_deleted() {
    let world = World::alone().await;
    let member = Member::of(&world, world.organization().await.id);
    let export = member.begin().await.unwrap();
    let leased = claim(&world).await;
    let deleted =
        LogExportRepository::delete(&world.store, member.organization, member.id, export.id);
    assert!(deleted.await.unwrap());

    world.store.append(&leased, &lines("a", None), ANY_SIZE).await.unwrap();

    assert_eq!(count(&world, "log_exports").await + count(&world, "log_export_parts").await, 0);
}

#[tokio::test]
async fn simultaneous_requests_do_not_exceed_the_limit_of_a_member() {
    let world = World::alone().await;
    let member = Member::of(&world, world.organization().await.id);

    let begun = join_all((0..MAX_PREPARING + 3).map(|_| member.begin())).await;

    let refused: Vec<_> = begun.into_iter().filter_map(Result::err).collect();
    assert_eq!(refused.len(), 3);
    for error in refused {
        let LogExportError::NoRoom(NoRoomForLogExport::Preparing) = error else {
            panic!("{error}")
        };
    }
    assert_eq!(count(&world, "log_exports").await, i64::try_from(MAX_PREPARING).unwrap());
    let colleague = Member::of(&world, member.organization);
    colleague.begin().await.unwrap();
}

#[tokio::test]
async fn an_organization_has_room_again_when_the_time_of_an_export_is_over() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    for _ in 0..MAX_KEPT {
        Member::of(&world, organization).begin().await.unwrap();
    }
    let refused = Member::of(&world, organization).begin().await.unwrap_err();
    assert!(matches!(refused, LogExportError::NoRoom(NoRoomForLogExport::Kept)), "{refused}");
    Member::of(&world, world.organization().await.id).begin().await.unwrap();

    let leased = claim(&world).await;
    world.store.append(&leased, &lines("a", None), ANY_SIZE).await.unwrap();
    assert!(Member::of(&world, organization).begin().await.is_err(), "it is kept");
    world.sql("UPDATE log_exports SET kept_until = now() WHERE kept_until IS NOT NULL").await;

    Member::of(&world, organization).begin().await.unwrap();
}

#[tokio::test]
async fn a_file_is_purged_a_day_after_its_end() {
    let world = World::alone().await;
    let member = Member::of(&world, world.organization().await.id);
    let (kept, past) = (member.begin().await.unwrap(), member.begin().await.unwrap());
    while let Some(leased) = LogExportQueue::claim(&world.store).await.unwrap() {
        world.store.append(&leased, &lines("a", None), ANY_SIZE).await.unwrap();
    }
    let preparing = member.begin().await.unwrap();
    let LogExportState::Ready(file) = member.find(kept.id).await.unwrap().state else {
        panic!("it is not ready")
    };
    let rest = file.kept_until - SystemClock.now();
    assert!(rest <= KEPT && rest > KEPT - TimeDelta::minutes(5), "{rest}");
    let age = "UPDATE log_exports SET kept_until = kept_until - interval '24 hours'";
    world.sql(&format!("{age} WHERE id = '{}'", past.id)).await;

    world.store.maintain().await.unwrap();

    let mut left = [kept.id, preparing.id];
    left.sort_unstable();
    left.reverse();
    assert_eq!(member.list().await, left);
    assert_eq!(count(&world, "log_export_parts").await, 1);
}

#[tokio::test]
async fn every_filter_reads_back() {
    let world = World::alone().await;
    let member = Member::of(&world, world.organization().await.id);
    let filter = LogFilter {
        status: Some(Status::Failed),
        channel: Some(Channel::Sms),
        recipients: Some(vec!["+233241234567".into()]),
        campaign: Some(Id::new_in(now(), member.organization)),
        from: Some(now() - TimeDelta::days(3)),
        to: Some(now()),
        event: Some("parcel".into()),
        provider: Some("sms-ghana".into()),
        error_code: Some(FailureCode::Undelivered),
        is_sandbox: Some(false),
        metadata: Metadata::new([("order".to_owned(), "4711".to_owned())].into()).unwrap(),
    };
    let export = LogExport { filter, ..member.export() };
    world.store.begin(&export).await.unwrap();

    assert_eq!(member.find(export.id).await, Some(export.clone()));
    let leased = claim(&world).await;
    assert_eq!(leased.filter, export.filter);
}
