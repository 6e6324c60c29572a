//! Deliveries that this process has just written.

use super::*;

/// A delivery of the first endpoint that was written after all that was read.
fn fresh(number: u128, subject: u128, is_first: bool) -> FreshDelivery {
    let delivery = DueDelivery { due_at: at(1), ..delivery(key(1), number, subject) };
    FreshDelivery { key: key(1), delivery, is_first }
}

/// A desk with one endpoint, which was read and to which nothing is due.
fn idle_desk() -> Desk {
    let mut desk = Desk::with(1..=1, &[]);
    desk.read(NOW);
    desk
}

#[test]
fn a_delivery_handed_over_is_called_without_a_read() {
    let mut desk = idle_desk();

    assert!(desk.queues.hand_over(fresh(1, 7, true), at(1)));
    assert!(desk.queues.hand_over(fresh(2, 7, false), at(1)));

    let first = desk.calls(at(1));
    assert_eq!(events(&first), [1], "one of a subject at a time");
    desk.queues.finish(&first[0], answered(200), at(1), 0);
    assert_eq!(events(&desk.calls(at(1))), [2]);
}

#[test]
fn a_delivery_handed_over_without_a_leased_endpoint_has_it_leased() {
    let mut desk = idle_desk();

    assert!(!desk.queues.hand_over(FreshDelivery { key: key(2), ..fresh(1, 7, true) }, at(1)));
    assert!(desk.calls(at(1)).is_empty());
}

#[test]
fn an_event_whose_earlier_one_another_process_wrote_is_read() {
    let mut desk = idle_desk();
    desk.due.insert(key(1), vec![delivery(key(1), 1, 7), delivery(key(1), 2, 7)]);

    desk.queues.hand_over(fresh(2, 7, false), at(1));
    desk.queues.hand_over(fresh(3, 8, true), at(1));
    assert!(desk.calls(at(1)).is_empty(), "what follows it is read as well");

    desk.read(at(1));
    let first = desk.calls(at(1));
    assert_eq!(events(&first), [1]);
    desk.queues.finish(&first[0], answered(200), at(1), 0);
    assert_eq!(events(&desk.calls(at(1))), [2]);
}

#[test]
fn an_event_whose_earlier_one_another_process_wrote_is_read_for_every_endpoint() {
    let mut desk = idle_desk();
    let both = [key(1), EndpointKey { endpoint: id(2), ..key(1) }];
    desk.due.insert(both[1], Vec::new());
    desk.queues.lease(&both, NOW);
    desk.read(NOW);

    for key in both {
        desk.due.insert(key, vec![delivery(key, 1, 7), delivery(key, 2, 7)]);
        desk.queues.hand_over(FreshDelivery { key, ..fresh(2, 7, false) }, at(1));
    }
    assert!(desk.calls(at(1)).is_empty());

    desk.read(at(1));
    assert_eq!(events(&desk.calls(at(1))), [1, 1]);
}

#[test]
fn a_delivery_handed_over_during_a_read_follows_what_the_read_returns() {
    let mut desk = Desk::with(1..=1, &[(1, 7)]);
    let requests = desk.queues.requests(NOW);
    desk.queues.hand_over(fresh(1, 7, true), NOW);
    desk.queues.hand_over(fresh(2, 7, false), NOW);
    assert!(desk.calls(NOW).is_empty());

    let read = requests.iter().map(|request| desk.answer(request, NOW)).collect();
    desk.queues.take(&requests, read, NOW);

    let first = desk.calls(NOW);
    assert_eq!(events(&first), [1]);
    desk.queues.finish(&first[0], answered(200), NOW, 0);
    assert_eq!(events(&desk.calls(NOW)), [2]);
}

#[test]
fn a_delivery_that_was_read_and_written_before_is_not_called_again() {
    let mut desk = Desk::with(1..=1, &[(1, 7)]);
    desk.read(NOW);
    let calls = desk.calls(NOW);
    desk.queues.finish(&calls[0], answered(200), NOW, 0);
    desk.write(NOW);

    let late = delivery(key(1), 1, 7);
    desk.queues.hand_over(FreshDelivery { key: key(1), delivery: late, is_first: true }, at(1));

    assert!(desk.calls(at(1)).is_empty());
    desk.read(at(1));
    assert!(desk.calls(at(1)).is_empty());
}

#[test]
fn deliveries_without_room_are_read_in_their_order() {
    let mut desk = idle_desk();
    let numbers = 1..=50;
    let due = numbers.clone().map(|number| delivery(key(1), number, number));
    desk.due.insert(key(1), due.collect());
    for number in numbers.clone() {
        desk.queues.hand_over(fresh(number, number, true), at(1));
    }

    let mut called = Vec::new();
    for _ in 0..50 {
        let calls = desk.calls(at(1));
        called.extend(events(&calls));
        for call in &calls {
            desk.queues.finish(call, answered(200), at(1), 0);
        }
        desk.write(at(1));
        desk.read(at(1));
    }
    assert_eq!(called, numbers.collect::<Vec<_>>());
}
