//! Order of acceptance, and refusals.

use std::sync::atomic::AtomicUsize;

use chrono::DateTime;
use domain::{
    identity::organization::Organization,
    messaging::{
        job::Job,
        message::{Message, MessageRequest, Terms},
        priority::{Origin, ProviderQueue},
    },
    shared::{category::Category, channel::Channel, id::Id, money::Money},
};
use futures_util::{FutureExt, future::BoxFuture};
use ports::messaging::messages::FirstWorker;

use super::*;

/// Workers with a given number of messages of single sends ahead of them.
#[derive(Default)]
struct Workers(AtomicUsize);

impl LocalQueue for Workers {
    fn provider_queue(&self, _: &Message) -> ProviderQueue {
        ProviderQueue::FREE
    }

    fn room(&self, _: Priority, _: ProviderQueue) -> usize {
        usize::MAX
    }

    fn offer(&self, _: Vec<Job>) -> Vec<Job> {
        Vec::new()
    }

    fn wake(&self) {}

    fn backlog(&self) -> Backlog {
        let mut backlog = Backlog::default();
        backlog.add(Priority::Single, self.0.load(Ordering::Relaxed));
        backlog
    }
}

fn organization() -> Id<Organization> {
    Id::new(DateTime::UNIX_EPOCH)
}

fn submission(organization: Id<Organization>, category: Category, messages: usize) -> Submission {
    let request = MessageRequest {
        channel: Some(Channel::Sms),
        to: Some("0241234567".into()),
        body: Some("Akwaaba".into()),
        category: Some(category),
        ..MessageRequest::default()
    };
    let draft = request.draft(None).unwrap();
    let terms =
        Terms { cost: Money::ZERO, refusal: None, is_sandbox: false, is_confidential: false };
    let message = || {
        let draft = draft.clone();
        Message::queue(organization, draft, Origin::Single, terms.clone(), DateTime::UNIX_EPOCH)
    };
    Submission {
        organization,
        idempotency: None,
        messages: (0..messages).map(|_| message()).collect(),
        first_worker: FirstWorker::Workers,
        advance: None,
    }
}

struct Rig {
    workers: Arc<Workers>,
    sender: Arc<SubmissionSender>,
    receiver: SubmissionReceiver,
    sending_away: Task,
}

fn rig(max_wait: Duration) -> Rig {
    let workers = Arc::<Workers>::default();
    let (sender, receiver, sending_away) = admission(Arc::clone(&workers) as _, max_wait);
    Rig { workers, sender: Arc::new(sender), receiver, sending_away }
}

impl Rig {
    /// Submits, and returns the pending answer.
    fn enqueue(&self, of: Id<Organization>, category: Category) -> BoxFuture<'static, Reply> {
        let (sender, submission) = (Arc::clone(&self.sender), submission(of, category, 1));
        let mut waiting = async move { sender.submit(submission).await }.boxed();
        match (&mut waiting).now_or_never() {
            Some(answer) => std::future::ready(answer).boxed(),
            None => waiting,
        }
    }

    fn count(&self) -> Option<usize> {
        Some(Box::pin(self.receiver.next()).now_or_never()??.0.len())
    }
}

#[tokio::test]
async fn a_second_batch_begins_only_if_it_is_large() {
    let rig = rig(TIMEOUT);
    let enqueue = |count| -> Vec<_> {
        (0..count).map(|_| rig.enqueue(organization(), Category::Marketing)).collect()
    };
    let _one = enqueue(1);
    let (one, permit) = rig.receiver.next().await.unwrap();
    assert_eq!(one.len(), 1, "nothing else is written");

    let _few = enqueue(LARGE - 1);
    assert_eq!(rig.count(), None, "they are too few");
    let _more = enqueue(1);
    let (many, other) = rig.receiver.next().await.unwrap();
    assert_eq!(many.len(), LARGE);

    let _last = enqueue(1);
    assert_eq!(rig.count(), None);
    drop((permit, other));
    assert_eq!(rig.count(), Some(1), "all others are written");
}

#[tokio::test]
async fn the_end_of_a_batch_wakes_the_writer_of_what_waits() {
    let rig = rig(TIMEOUT);
    let _one = rig.enqueue(organization(), Category::Marketing);
    let (_, permit) = rig.receiver.next().await.unwrap();
    let mut waiting = None;
    let ending = async {
        waiting = Some(rig.enqueue(organization(), Category::Marketing));
        tokio::task::yield_now().await;
        drop(permit);
    };
    let (taken, ()) = futures_util::future::join(rig.receiver.next(), ending).await;
    assert_eq!(taken.unwrap().0.len(), 1);
}

#[tokio::test]
async fn the_close_ends_both_writers() {
    let Rig { sender, receiver, .. } = rig(TIMEOUT);
    let closing = async move { drop(sender) };
    let writers = futures_util::future::join(receiver.next(), receiver.next());
    let ((one, other), ()) = futures_util::future::join(writers, closing).await;
    assert!(one.is_none() && other.is_none());
}

#[tokio::test]
async fn accepts_only_higher_priorities_while_delivery_is_behind() {
    let rig = rig(TIMEOUT);
    rig.workers.0.store(Backlog::MOST, Ordering::Relaxed);
    let _waiting = rig.enqueue(organization(), Category::Marketing);
    assert_eq!(rig.count(), None);

    let _code = rig.enqueue(organization(), Category::Otp);
    let (codes, permit) = rig.receiver.next().await.unwrap();
    assert_eq!(codes[0].item.messages[0].priority, Priority::Otp);
    assert_eq!(codes.len(), 1);
    drop(permit);
    assert_eq!(rig.count(), None);

    let workers = Arc::clone(&rig.workers);
    let catching_up = async move {
        sleep(Duration::from_millis(20)).await;
        workers.0.store(Backlog::MOST - 1, Ordering::Relaxed);
    };
    let (taken, ()) = futures_util::future::join(rig.receiver.next(), catching_up).await;
    assert_eq!(
        taken.unwrap().0[0].item.messages[0].priority,
        Priority::Single,
        "nobody has to wake the writer"
    );
}

#[tokio::test]
async fn accepts_a_submission_that_was_held_for_a_second() {
    let rig = rig(TIMEOUT);
    rig.workers.0.store(Backlog::MOST, Ordering::Relaxed);
    let _waiting = rig.enqueue(organization(), Category::Marketing);
    assert_eq!(rig.count(), None, "delivery is behind");
    let (batch, _permit) = rig.receiver.next().await.unwrap();
    assert_eq!(batch.len(), 1);
}

#[tokio::test]
async fn a_flood_is_refused_at_once_and_another_tenants_code_is_not() {
    let (rig, flooding, other) = (rig(TIMEOUT), organization(), organization());
    let submit = |of| rig.enqueue(of, Category::Marketing);
    let mut flood: Vec<_> = (0..LIMITS.submissions).map(|_| submit(flooding)).collect();

    let refused = submit(flooding).now_or_never();
    assert!(matches!(refused, Some(Err(IntakeError::Overloaded))), "{refused:?}");
    let code = rig.enqueue(other, Category::Otp);
    assert!(code.now_or_never().is_none(), "it waits for the writer");
    let newest = flood.pop().unwrap().now_or_never();
    assert!(matches!(newest, Some(Err(IntakeError::Overloaded))), "it gave its place: {newest:?}");

    let (batch, _permit) = rig.receiver.next().await.unwrap();
    assert_eq!((batch.len(), batch[0].item.organization), (BATCH, other));
}

#[tokio::test]
async fn refuses_a_submission_that_waited_too_long() {
    let rig = rig(Duration::from_millis(10));
    tokio::spawn(rig.sending_away.run);
    let answer = rig.sender.submit(submission(organization(), Category::Otp, 1)).await;
    assert!(matches!(answer, Err(IntakeError::Overloaded)), "{answer:?}");
}

#[tokio::test]
async fn a_closed_queue_is_drained_or_its_callers_get_an_error() {
    let rig_without_writers = rig(TIMEOUT);
    let waiting = rig_without_writers.enqueue(organization(), Category::Marketing);
    let Rig { sender, receiver, .. } = rig_without_writers;
    drop(receiver);
    let late = sender.submit(submission(organization(), Category::Otp, 1)).await;
    for answer in [waiting.await, late] {
        let is_reported = matches!(answer, Err(IntakeError::Store(StoreError::Unavailable(_))));
        assert!(is_reported, "{answer:?}");
    }

    let rig = rig(TIMEOUT);
    rig.workers.0.store(Backlog::MOST, Ordering::Relaxed);
    drop(rig.enqueue(organization(), Category::Marketing));
    let Rig { sender, receiver, .. } = rig;
    drop(sender);
    assert_eq!(receiver.next().await.unwrap().0.len(), 1, "nobody waits for delivery any more");
    assert!(receiver.next().await.is_none());
}
