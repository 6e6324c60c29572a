//! Rules of waiting rooms.

use std::sync::atomic::{AtomicBool, Ordering};

use chrono::DateTime;
use tokio::{task::JoinHandle, time::timeout};

use super::*;

/// Entry of an organization, with its number and weight.
type Visitor = (Id<Organization>, u8, usize);

/// Retrier that lets entries go while it is open, in batches of one organization. Its entries may
/// wait for some milliseconds.
struct Gate<const MILLIS: u64>(Arc<Door>);

#[derive(Default)]
struct Door {
    is_open: AtomicBool,
    /// Number of the entry that is never ready.
    unready: Option<u8>,
    tried: Mutex<Vec<Vec<u8>>>,
    given_up: Mutex<Vec<u8>>,
    most: Mutex<usize>,
}

#[async_trait]
impl<const MILLIS: u64> Retrier for Gate<MILLIS> {
    type Entry = Visitor;

    const CAPACITY: usize = 3;
    const MAX_WEIGHT: usize = 10;
    const MANY: usize = 2;
    const TIMEOUT: Option<Duration> = Some(Duration::from_millis(MILLIS));
    const PAUSE: Duration = Duration::from_millis(1);

    fn organization(visitor: &Visitor) -> Id<Organization> {
        visitor.0
    }

    fn weight(visitor: &Visitor) -> usize {
        visitor.2
    }

    async fn look(&mut self, waiting: &mut Vec<Expiring<Visitor>>) -> Vec<Expiring<Visitor>> {
        let mut most = self.0.most.lock().unwrap();
        *most = waiting.len().max(*most);
        let (ready, others) = waiting.drain(..).partition(|it| Some(it.entry.1) != self.0.unready);
        *waiting = others;
        ready
    }

    async fn give_up(&mut self, late: Vec<Visitor>) {
        self.0.given_up.lock().unwrap().extend(numbers(&late));
    }

    fn batches(ready: Vec<Visitor>) -> Vec<Vec<Visitor>> {
        ready.chunk_by(|one, other| one.0 == other.0).map(<[Visitor]>::to_vec).collect()
    }

    async fn retry(&mut self, batch: Vec<Visitor>) -> Vec<Visitor> {
        self.0.tried.lock().unwrap().push(numbers(&batch));
        if self.0.is_open.load(Ordering::Relaxed) { Vec::new() } else { batch }
    }
}

fn numbers(visitors: &[Visitor]) -> Vec<u8> {
    visitors.iter().map(|(_, number, _)| *number).collect()
}

fn organization() -> Id<Organization> {
    Id::new(DateTime::UNIX_EPOCH)
}

impl Door {
    fn open(&self) {
        self.is_open.store(true, Ordering::Relaxed);
    }

    fn tries(&self) -> Vec<Vec<u8>> {
        self.tried.lock().unwrap().clone()
    }
}

const HOUR: u64 = 3_600_000;

/// Creates a room whose task does not run yet.
fn room<const MILLIS: u64>(door: &Arc<Door>) -> (WaitingRoom<Gate<MILLIS>>, Task) {
    WaitingRoom::new("gate", Gate(Arc::clone(door)))
}

/// Drops the room, and waits until its task ends.
async fn end(room: WaitingRoom<impl Retrier>, running: JoinHandle<()>) {
    drop(room);
    timeout(Duration::from_secs(10), running).await.unwrap().unwrap();
}

async fn eventually(is_so: impl Fn() -> bool) {
    let waiting = async {
        while !is_so() {
            sleep(Duration::from_millis(1)).await;
        }
    };
    timeout(Duration::from_secs(10), waiting).await.unwrap();
}

#[tokio::test]
async fn an_organization_is_diverted_until_none_of_its_entries_waits() {
    let door = Arc::<Door>::default();
    let (room, task) = room::<HOUR>(&door);
    let (one, other) = ((organization(), 1, 1), (organization(), 2, 1));
    assert_eq!(room.divert(vec![one, other]), (vec![], vec![one, other]));
    assert!(room.try_add(vec![one, one]).is_empty());

    assert_eq!(room.divert(vec![one, other]), (vec![one], vec![other]));
    let running = tokio::spawn(task.run);
    eventually(|| door.tries().len() > 1).await;
    assert_eq!(room.divert(vec![one]), (vec![one], vec![]), "it was tried in vain");

    door.open();
    eventually(|| room.divert(vec![one]).0.is_empty()).await;
    end(room, running).await;
}

#[tokio::test]
async fn groups_without_room_are_returned_whole() {
    let (room, task) = room::<HOUR>(&Arc::default());
    let entry = |weight| (organization(), 0, weight);
    assert!(room.try_add(vec![entry(4), entry(4)]).is_empty());
    let heavy = vec![entry(1), entry(2)];
    assert_eq!(room.try_add(heavy.clone()), heavy, "it weighs too much");

    assert!(room.try_add(vec![]).is_empty());
    assert!(room.try_add(vec![entry(1)]).is_empty());
    assert!(room.try_add(vec![entry(1)]).is_empty());
    assert_eq!(room.try_add(vec![entry(0)]).len(), 1, "too many groups wait for the task");

    drop(task);
    assert_eq!(room.try_add(vec![entry(0)]).len(), 1, "the task has ended");
}

#[tokio::test]
async fn a_sender_may_wait_for_room() {
    let door = Arc::<Door>::default();
    door.open();
    let (room, task) = room::<HOUR>(&door);
    let running = tokio::spawn(task.run);
    for number in 0..9 {
        room.add((organization(), number, 1)).await;
    }
    end(room, running).await;
    assert_eq!(door.tries().concat(), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
}

#[tokio::test]
async fn entries_are_tried_until_they_go_and_before_later_ones() {
    let door = Arc::<Door>::default();
    let (room, task) = room::<HOUR>(&door);
    let entries: Vec<_> = (0..3).map(|number| (organization(), number, 1)).collect();
    for entry in &entries {
        assert!(room.try_add(vec![*entry]).is_empty());
    }
    let running = tokio::spawn(task.run);
    eventually(|| door.tries().len() >= 6).await;
    let tries = door.tries();
    assert_eq!(tries[..4], [[0], [1], [0], [1]], "each organization has its own batch");

    door.open();
    end(room, running).await;
    assert_eq!(door.tries().last(), Some(&vec![2]), "all went before the task ended");
    assert_eq!(*door.most.lock().unwrap(), 2, "no more than that are taken");
}

#[tokio::test]
async fn only_entries_that_are_not_ready_in_time_are_given_up() {
    let door = Arc::new(Door { unready: Some(1), ..Door::default() });
    door.open();
    let (room, task) = room::<20>(&door);
    let group = (1..=2).map(|number| (organization(), number, 1)).collect();
    assert!(room.try_add(group).is_empty());
    end(room, tokio::spawn(task.run)).await;

    assert_eq!(door.tries(), [[2]]);
    assert_eq!(*door.given_up.lock().unwrap(), [1]);
}

#[tokio::test]
async fn given_up_entries_make_room() {
    let door = Arc::new(Door { unready: Some(1), ..Door::default() });
    let (room, task) = room::<0>(&door);
    let heavy = (organization(), 1, Gate::<0>::MAX_WEIGHT);
    assert!(room.try_add(vec![heavy]).is_empty());
    let running = tokio::spawn(task.run);

    eventually(|| room.divert(vec![heavy]).0.is_empty()).await;
    assert!(room.try_add(vec![heavy]).is_empty());
    end(room, running).await;
}
