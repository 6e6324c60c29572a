//! Refused calls.

use chrono::TimeDelta;
use domain::{
    identity::{actor::RequestId, organization::Organization},
    platform::refused_call::{RefusedCall, RefusedCallFilter},
    shared::id::Id,
};
use ports::platform::refused_calls::RefusedCallRepository;

use crate::{World, minutes, now};

/// Call that was refused so many minutes after now.
fn call(organization: Id<Organization>, after: i64, code: &str, status: u16) -> RefusedCall {
    let at = now() + minutes(after);
    RefusedCall {
        id: Id::new_in(at, organization),
        organization,
        request: RequestId::new(&format!("request-{after}")),
        method: "POST".into(),
        path: "/messages/send".into(),
        status,
        code: code.into(),
        message: "it was refused".into(),
        key: Some(Id::new_in(now(), organization)),
        user: None,
        address: "192.0.2.1".into(),
        is_sampled: after % 2 == 0,
        at,
    }
}

#[tokio::test]
async fn refused_calls_are_read_newest_first_by_each_filter() {
    // Others delete old calls.
    let world = World::alone().await;
    let (own, other) = (world.organization().await.id, world.organization().await.id);
    let calls: &dyn RefusedCallRepository = &world.store;
    let stored = [call(own, 1, "NOT_FOUND", 404), call(own, 2, "CONFLICT", 409)];
    let foreign = call(other, 3, "NOT_FOUND", 404);
    calls.add(&[stored[0].clone(), stored[1].clone(), foreign]).await.unwrap();
    // A repetition after an unknown outcome.
    calls.add(&stored).await.unwrap();

    let since = now() - TimeDelta::days(7);
    let older = async |filter: RefusedCallFilter, before, limit| {
        calls.older(own, &filter, since, before, limit).await.unwrap()
    };
    let any = RefusedCallFilter::default;
    assert_eq!(older(any(), None, 10).await, [stored[1].clone(), stored[0].clone()]);
    assert_eq!(older(any(), None, 1).await, [stored[1].clone()]);
    assert_eq!(older(any(), Some(stored[1].id), 10).await, [stored[0].clone()]);
    for filter in [
        RefusedCallFilter { status: Some(404), ..any() },
        RefusedCallFilter { code: Some("NOT_FOUND".into()), ..any() },
        RefusedCallFilter { key: stored[0].key, ..any() },
        RefusedCallFilter { request: Some("request-1".into()), ..any() },
    ] {
        assert_eq!(older(filter.clone(), None, 10).await, [stored[0].clone()], "{filter:?}");
    }
    let both = RefusedCallFilter { status: Some(404), code: Some("CONFLICT".into()), ..any() };
    assert!(older(both, None, 10).await.is_empty());
    let lately = calls.older(own, &any(), stored[1].at, None, 10).await.unwrap();
    assert_eq!(lately, [stored[1].clone()]);
}

#[tokio::test]
async fn refused_calls_are_deleted_after_seven_days() {
    let world = World::alone().await;
    let own = world.organization().await.id;
    let calls: &dyn RefusedCallRepository = &world.store;
    world
        .sql(&format!(
            "INSERT INTO refused_calls (organization_id, call_id, request_id, method, path, status, \
                code, message, address, is_sampled, at) \
             SELECT '{own}', uuid_v7_in(now() - ago, '{own}'), 'r', 'GET', '/', 404, 'NOT_FOUND', '', \
                '192.0.2.1', false, now() - ago \
             FROM unnest(ARRAY[interval '6 days 23 hours', interval '7 days 1 hour']) AS ago"
        ))
        .await;

    world.store.maintain().await.unwrap();

    let any = RefusedCallFilter::default();
    let left = calls.older(own, &any, now() - TimeDelta::days(30), None, 10).await.unwrap();
    assert_eq!(left.len(), 1);
}
