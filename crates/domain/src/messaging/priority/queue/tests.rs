//! Order in which the queue serves items.

use proptest::prelude::*;
use uuid::Uuid;

use super::*;

fn organization(number: u128) -> Id<Organization> {
    Id::of(Uuid::from_u128(number))
}

fn spot(priority: Priority, owner: u128) -> QueueKey {
    QueueKey { priority, provider_queue: ProviderQueue(1), organization: organization(owner) }
}

#[test]
fn a_code_overtakes_everything_that_waits() {
    let mut queue = PriorityQueue::new(10);
    queue.push(spot(Priority::Bulk, 1), "bulk").unwrap();
    queue.push(spot(Priority::Single, 1), "single").unwrap();
    queue.push(spot(Priority::Otp, 2), "code").unwrap();

    assert_eq!(std::iter::from_fn(|| queue.pop()).collect::<Vec<_>>(), ["code", "single", "bulk"]);
}

#[test]
fn organizations_take_turns_inside_a_priority() {
    let mut queue = PriorityQueue::new(10);
    for item in ["a1", "a2", "a3"] {
        queue.push(spot(Priority::Bulk, 1), item).unwrap();
    }
    queue.push(spot(Priority::Bulk, 2), "b1").unwrap();

    assert_eq!(std::iter::from_fn(|| queue.pop()).collect::<Vec<_>>(), ["a1", "b1", "a2", "a3"]);
}

#[test]
fn items_that_belong_together_take_one_turn() {
    let mut queue = PriorityQueue::new(10);
    for item in ["a1", "a2", "a3", "x1", "a4"] {
        queue.push(spot(Priority::Bulk, 1), item).unwrap();
    }
    queue.push(spot(Priority::Bulk, 2), "b1").unwrap();
    let mut pop = || queue.pop_group(|_| true, |_| 2, |first, next| first[..1] == next[..1]);

    let groups: Vec<_> = std::iter::repeat_with(&mut pop).take(5).collect();

    assert_eq!(groups, [vec!["a1", "a2"], vec!["b1"], vec!["a3"], vec!["x1"], vec!["a4"]]);
    assert!(queue.is_empty());
}

#[test]
fn a_full_priority_returns_items_and_leaves_others_open() {
    let mut queue = PriorityQueue::new(1);
    queue.push(spot(Priority::Bulk, 1), 1).unwrap();

    assert_eq!(queue.push(spot(Priority::Bulk, 2), 2), Err(2));
    assert_eq!(queue.push(spot(Priority::Otp, 2), 3), Ok(()));
}

#[test]
fn a_closed_provider_queue_delays_no_other() {
    let mut queue = PriorityQueue::new(10);
    let closed = QueueKey { provider_queue: ProviderQueue(2), ..spot(Priority::Otp, 1) };
    queue.push(closed, "code").unwrap();
    queue.push(spot(Priority::Bulk, 1), "bulk").unwrap();
    let pop = |queue: &mut PriorityQueue<_>, closed| {
        queue.pop_group(|provider_queue| provider_queue != closed, |_| 1, |_, _| false)
    };

    assert_eq!(pop(&mut queue, ProviderQueue(2)), ["bulk"]);
    assert!(pop(&mut queue, ProviderQueue(2)).is_empty());
    assert_eq!((queue.len(), queue.count(Priority::Otp, ProviderQueue(2))), (1, 1));
    assert_eq!(pop(&mut queue, ProviderQueue(9)), ["code"]);
}

#[test]
fn provider_queues_take_turns_inside_a_priority() {
    let mut queue = PriorityQueue::new(10);
    for item in ["a1", "a2", "a3"] {
        queue.push(spot(Priority::Bulk, 1), item).unwrap();
    }
    queue
        .push(QueueKey { provider_queue: ProviderQueue(2), ..spot(Priority::Bulk, 1) }, "x1")
        .unwrap();

    assert_eq!(std::iter::from_fn(|| queue.pop()).collect::<Vec<_>>(), ["a1", "x1", "a2", "a3"]);
}

#[test]
fn the_sandbox_comes_last_and_has_every_sixteenth_turn() {
    let mut queue = PriorityQueue::new(100);
    for number in 0..40 {
        queue.push(spot(Priority::Bulk, 1), number).unwrap();
        queue.push(spot(Priority::Sandbox, 2), 100 + number).unwrap();
    }
    let popped: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();

    let places = popped.iter().take(40).enumerate().filter(|(_, item)| **item >= 100);
    assert_eq!(places.map(|(place, _)| place).collect::<Vec<_>>(), [15, 31]);
    assert_eq!(popped.len(), 80);
}

#[test]
fn items_that_wait_too_long_are_taken_out() {
    let mut queue = PriorityQueue::new(10);
    for item in [1, 2, 30] {
        queue.push(spot(Priority::Bulk, 1), item).unwrap();
    }
    queue.push(spot(Priority::Bulk, 2), 3).unwrap();
    queue
        .push(QueueKey { provider_queue: ProviderQueue(2), ..spot(Priority::Bulk, 2) }, 4)
        .unwrap();

    let mut taken =
        queue.take_out(|provider_queue, item| provider_queue == ProviderQueue(1) && *item < 10);

    taken.sort_unstable();
    assert_eq!(taken, [1, 2, 3]);
    assert_eq!((queue.len(), queue.room(Priority::Bulk)), (2, 8));
    assert_eq!(std::iter::from_fn(|| queue.pop()).collect::<Vec<_>>(), [30, 4]);
}

proptest! {
    #[test]
    fn everything_comes_out_once_and_in_order_for_each_organization(
        pushes in prop::collection::vec((0..5_i16, 0..4_u128), 0..200),
    ) {
        let mut queue = PriorityQueue::new(1_000);
        for (number, (priority, owner)) in pushes.iter().enumerate() {
            let priority = Priority::ranked(*priority).unwrap();
            queue.push(spot(priority, *owner), (priority, *owner, number)).unwrap();
        }
        let popped: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();

        prop_assert_eq!(popped.len(), pushes.len());
        prop_assert!(queue.is_empty());
        prop_assert!(popped.is_sorted_by_key(|(priority, ..)| *priority));
        for priority in Priority::ALL {
            for owner in 0..4 {
                let mut own = popped.iter().filter(|item| item.0 == priority && item.1 == owner);
                prop_assert!(own.by_ref().map(|item| item.2).is_sorted());
            }
        }
    }
}
