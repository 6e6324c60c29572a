//! The shares of endpoints in all calls.

use super::*;

/// `count` events, each with a subject of its own.
fn many(count: u128) -> Vec<(u128, u128)> {
    (1..=count).map(|number| (number, number)).collect()
}

#[test]
fn hanging_receivers_leave_room_for_fast_ones() {
    let mut desk = Desk::with(1..=1_000, &many(10));
    desk.read(NOW);
    let hanging = desk.calls(NOW);
    assert_eq!(hanging.len(), SLOW_CALLS);
    let served = hanging[0].key;

    desk.queues.finish(&hanging[0], answered(200), NOW, 0);

    let calls = desk.calls(NOW);
    let own = calls.iter().filter(|call| call.key == served).count();
    assert!(own >= 2, "an endpoint that answers is called at once");
}

#[test]
fn each_endpoint_has_its_turn() {
    let mut desk = Desk::with(1..=3, &many(100));
    desk.read(NOW);
    let calls = desk.calls(NOW);
    assert_eq!(calls.len(), 6, "nothing is known of them");
    for call in &calls {
        desk.queues.finish(call, answered(200), NOW, 0);
    }

    let calls = desk.calls(NOW);

    let turns: Vec<_> = calls[..6].iter().map(|call| call.key).collect();
    assert_eq!(turns[..3], turns[3..]);
    assert_eq!(calls.len(), 12, "they answer well");
}

#[test]
fn the_calls_of_one_organization_are_limited() {
    let mut desk = Desk { called: Some(endpoint()), ..Desk::default() };
    for number in 1..=100 {
        let key = EndpointKey { organization: organization(1), ..key(number) };
        let due = many(10).iter().map(|(event, subject)| delivery(key, *event, *subject)).collect();
        desk.due.insert(key, due);
        desk.queues.lease(&[key], NOW);
    }
    desk.read(NOW);

    let calls = desk.calls(NOW);
    assert_eq!(calls.len(), CALLS_OF_ORGANIZATION);
    assert!(desk.calls(NOW).is_empty());

    desk.queues.finish(&calls[0], answered(200), NOW, 0);
    assert_eq!(desk.calls(NOW).len(), 1);
}

#[test]
fn reads_only_deliveries_that_are_called_soon() {
    let mut desk = Desk::with(1..=1, &many(5_000));
    desk.read(NOW);
    assert!(desk.queues.in_flight <= 64, "{}", desk.queues.in_flight);
    for second in 0..40 {
        for call in desk.calls(at(second)) {
            desk.queues.finish(&call, answered(200), at(second), 0);
        }
        desk.write(at(second));
        desk.read(at(second));
    }
    assert!((256..=512).contains(&desk.queues.in_flight), "{}", desk.queues.in_flight);
}
