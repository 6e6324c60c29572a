//! Rules of jobs that delete or tag many contacts.

use std::sync::Mutex;

use domain::{
    audience::{contact::ContactFilter, segment::Segment},
    identity::organization::Role,
    messaging::job::Lease,
};
use ports::{
    audience::contact_jobs::LeasedContactJob,
    shared::mock::{
        MockAuditLog, MockContactJobQueue, MockContactJobRepository, MockSegmentRepository,
    },
};

use super::*;
use crate::shared::fixtures::{NOW, away, clock, member, tenant};

type Entries = Arc<Mutex<Vec<AuditEntry>>>;

/// Jobs over that repository, of an organization without segments, and the audit entries.
fn jobs(repository: MockContactJobRepository) -> (ContactJobs, Entries) {
    let entries = Entries::default();
    let kept = Arc::clone(&entries);
    let mut audit_log = MockAuditLog::new();
    audit_log.expect_record().returning(move |entry| {
        kept.lock().unwrap().push(entry.clone());
        Ok(())
    });
    let mut segments = MockSegmentRepository::new();
    segments.expect_look_up().returning(|_, _| Ok(None));
    let repository = Arc::new(repository);
    let (segments, audit_log) = (Arc::new(segments), Arc::new(audit_log));
    (ContactJobs::new(repository, segments, audit_log, Bounds::none(), clock()), entries)
}

fn deletion(filter: ContactFilter) -> ContactJobRequest {
    let selection = SelectionRequest { filter, ..SelectionRequest::default() };
    ContactJobRequest { selection, tags: None, faults: Faults::default() }
}

fn of_tag(tag: &str) -> ContactFilter {
    ContactFilter { tag: Some(tag.to_owned()), ..ContactFilter::default() }
}

fn request() -> RequestId {
    RequestId::new("request-1")
}

#[tokio::test]
async fn a_job_is_audited_with_its_filter() {
    let mut repository = MockContactJobRepository::new();
    repository.expect_begin().once().returning(|_, _, _| Ok(Some(3)));
    let (jobs, entries) = jobs(repository);

    let job = jobs.begin(&member(Role::Owner), deletion(of_tag("VIP")), request()).await.unwrap();

    assert_eq!((job.count, job.status), (3, ContactJobStatus::Queued));
    let entries = entries.lock().unwrap();
    let [entry] = &entries[..] else { panic!("{entries:?}") };
    assert_eq!((entry.action, entry.resource), (AuditAction::ContactsDeleted, job.id.uuid()));
    assert_eq!(entry.details, BTreeMap::from([("tag", "vip".to_owned())]));
}

#[tokio::test]
async fn all_faults_are_reported_together_and_nothing_begins() {
    let (jobs, entries) = jobs(MockContactJobRepository::new());
    let segment: Id<Segment> = Id::new_in(NOW, tenant());
    let filter = ContactFilter { segment: Some(segment), ..of_tag(" ") };
    let tags = Some(TagChangeRequest::default());

    let refused = jobs
        .begin(&member(Role::Owner), ContactJobRequest { tags, ..deletion(filter) }, request())
        .await
        .unwrap_err();

    let Error::Invalid(faults) = refused else { panic!("{refused}") };
    let paths: Vec<_> = faults.fields.keys().map(String::as_str).collect();
    assert_eq!(paths, ["add", "filter.segmentId", "filter.tag"]);
    assert!(entries.lock().unwrap().is_empty());
}

#[tokio::test]
async fn too_many_jobs_and_a_slow_filter_are_refused() {
    let mut repository = MockContactJobRepository::new();
    repository.expect_begin().returning(|_, _, _| Ok(None));
    repository.expect_preview().returning(|_, _| Err(EvaluationError::TooSlow));
    let (jobs, _) = jobs(repository);
    let caller = member(Role::Owner);

    let begun = jobs.begin(&caller, deletion(of_tag("vip")), request()).await.unwrap_err();
    let previewed = jobs.preview(&caller, deletion(of_tag("vip"))).await.unwrap_err();

    assert_eq!(begun.code(), "TOO_MANY_CONTACT_JOBS");
    let Error::Invalid(faults) = previewed else { panic!("{previewed}") };
    assert!(faults.fields["filter"][0].starts_with("takes too long"));
}

#[tokio::test]
async fn a_part_that_failed_is_tried_again() {
    let leased = LeasedContactJob {
        organization: tenant(),
        id: Id::new_in(NOW, tenant()),
        task: ContactTask::Delete,
        lease: Lease(Id::<ContactJob>::new_in(NOW, tenant()).uuid()),
    };
    let mut queue = MockContactJobQueue::new();
    queue.expect_claim().once().return_once(|| Ok(Some(leased)));
    queue.expect_work_off_part().once().returning(|_| Err(away()));
    queue.expect_put_off().once().returning(|_, _, _| Ok(()));

    assert!(ContactJobWork::new(Arc::new(queue)).work_once().await.unwrap());
}
