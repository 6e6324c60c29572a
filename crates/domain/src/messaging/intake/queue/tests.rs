//! Order of acceptance, and displaced submissions.

use proptest::prelude::*;
use uuid::Uuid;

use super::*;

const LIMITS: IntakeLimits = IntakeLimits { submissions: 4, bytes: 1_000 };
const ONE: Size = Size { messages: 1, bytes: 100 };

fn organization(number: u128) -> Id<Organization> {
    Id::of(Uuid::from_u128(number))
}

fn queue(waiting: &[(u128, Priority, &'static str)]) -> IntakeQueue<&'static str> {
    let mut queue = IntakeQueue::new(LIMITS);
    for (owner, priority, name) in waiting {
        let shed = queue.push(organization(*owner), *priority, ONE, *name);
        assert!(shed.is_empty(), "{shed:?}");
    }
    queue
}

#[test]
fn urgent_priorities_go_first_and_organizations_take_turns() {
    let mut queue = queue(&[
        (1, Priority::Single, "a1"),
        (1, Priority::Single, "a2"),
        (2, Priority::Single, "b1"),
        (2, Priority::Otp, "code"),
    ]);
    assert_eq!(queue.take(10, |_| true), ["code", "a1", "b1", "a2"]);
    assert!(queue.is_empty());
}

#[test]
fn each_priority_has_a_submission_in_each_batch() {
    let waiting =
        [(1, Priority::Single, "s1"), (1, Priority::Single, "s2"), (1, Priority::Single, "s3")];
    let mut queue = queue(&waiting);
    assert!(queue.push(organization(2), Priority::Bulk, ONE, "bulk").is_empty());

    assert_eq!(queue.take(2, |_| true), ["s1", "bulk"]);
    assert_eq!(queue.take(2, |_| true), ["s2", "s3"]);
}

#[test]
fn a_batch_ends_with_the_submission_that_fills_it() {
    let mut queue = IntakeQueue::new(LIMITS);
    for name in ["a", "b", "c"] {
        let size = Size { messages: 100, bytes: 100 };
        assert!(queue.push(organization(1), Priority::Bulk, size, name).is_empty());
    }
    assert_eq!(queue.messages(|_| true), 300);
    assert_eq!(queue.take(150, |_| true), ["a", "b"]);
    assert_eq!((queue.len(), queue.messages(|_| true)), (1, 100));
}

#[test]
fn a_held_priority_keeps_no_other_waiting() {
    let mut queue = queue(&[(1, Priority::Bulk, "bulk"), (1, Priority::Single, "single")]);
    let is_admitted = |priority| priority != Priority::Bulk;
    assert_eq!(queue.messages(is_admitted), 1);
    assert_eq!(queue.take(10, is_admitted), ["single"]);
    assert_eq!(queue.take(10, |_| true), ["bulk"]);
}

#[test]
fn a_flood_displaces_only_its_own_newest_submissions() {
    let flood =
        [(1, Priority::Single, "a1"), (1, Priority::Single, "a2"), (1, Priority::Single, "a3")];
    let mut queue = queue(&flood);
    assert!(queue.push(organization(2), Priority::Bulk, ONE, "b1").is_empty());

    assert_eq!(queue.push(organization(1), Priority::Single, ONE, "a4"), ["a4"]);
    assert_eq!(queue.push(organization(3), Priority::Otp, ONE, "code"), ["a3"]);
    assert_eq!(queue.push(organization(1), Priority::Otp, ONE, "own code"), ["a2"]);
    assert_eq!(queue.take(10, |_| true), ["code", "a1", "b1", "own code"]);
}

#[test]
fn the_last_to_come_is_displaced_among_equals() {
    let mut queue = queue(&[
        (1, Priority::Single, "a"),
        (2, Priority::Single, "b"),
        (3, Priority::Single, "c"),
        (4, Priority::Single, "d"),
    ]);
    assert_eq!(queue.push(organization(5), Priority::Single, ONE, "e"), ["e"]);
}

#[test]
fn bytes_are_bounded_as_submissions_are() {
    let mut queue = queue(&[(1, Priority::Single, "a1"), (1, Priority::Single, "a2")]);
    let large = Size { messages: 1, bytes: 850 };
    assert_eq!(queue.push(organization(2), Priority::Single, large, "large"), ["large"]);
    let fitting = Size { messages: 1, bytes: 800 };
    assert!(queue.push(organization(2), Priority::Single, fitting, "fitting").is_empty());
    assert_eq!(queue.push(organization(3), Priority::Single, ONE, "c1"), ["fitting"]);
}

#[test]
fn submissions_that_wait_too_long_are_taken_out() {
    let mut queue = queue(&[
        (1, Priority::Single, "late"),
        (1, Priority::Single, "new"),
        (2, Priority::Otp, "late"),
    ]);
    assert_eq!(queue.take_out(|name| *name == "late"), ["late", "late"]);
    assert_eq!(queue.take(10, |_| true), ["new"]);
    assert!(queue.is_empty() && queue.messages(|_| true) == 0);
}

proptest! {
    #[test]
    fn every_submission_is_taken_or_displaced_within_the_limits(
        coming in proptest::collection::vec((0_u128..4, 0_i16..6, 1_usize..400, any::<bool>()), 1..60)
    ) {
        let (mut queue, mut gone) = (IntakeQueue::new(LIMITS), Vec::new());
        for (number, (owner, rank, bytes, is_taking)) in coming.iter().enumerate() {
            let priority = Priority::ranked(*rank).unwrap();
            let size = Size { messages: 2, bytes: *bytes };
            gone.extend(queue.push(organization(*owner), priority, size, number));
            prop_assert!(queue.len() <= LIMITS.submissions);
            prop_assert!(queue.totals.bytes <= LIMITS.bytes);
            prop_assert_eq!(queue.messages(|_| true), 2 * queue.len());
            if *is_taking {
                gone.extend(queue.take(2, |_| true));
            }
        }
        gone.extend(queue.take(usize::MAX, |_| true));
        gone.sort_unstable();
        prop_assert_eq!(gone, (0..coming.len()).collect::<Vec<_>>());
        prop_assert!(queue.totals.shares.is_empty());
    }
}
