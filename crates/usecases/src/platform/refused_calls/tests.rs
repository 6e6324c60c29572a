//! Rules of refused calls.

use std::net::Ipv4Addr;

use chrono::TimeDelta;
use domain::identity::organization::Role;
use ports::shared::mock::MockRefusedCallRepository;

use super::*;
use crate::shared::fixtures::{NOW, away, clock, manual_clock, member, tenant};

fn refusal(code: &str) -> Refusal<'_> {
    Refusal {
        organization: tenant(),
        request: RequestId::new("mine"),
        method: "GET",
        path: "/messages/x",
        status: 404,
        code,
        message: "message not found",
        key: None,
        user: None,
        address: Ipv4Addr::LOCALHOST.into(),
    }
}

/// Repository that takes calls, and the calls.
fn open() -> (MockRefusedCallRepository, Arc<Mutex<Vec<RefusedCall>>>) {
    let mut repository = MockRefusedCallRepository::new();
    let written = collect(&mut repository);
    (repository, written)
}

/// Lets a repository take calls, and returns them.
fn collect(repository: &mut MockRefusedCallRepository) -> Arc<Mutex<Vec<RefusedCall>>> {
    let written = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&written);
    repository.expect_add().returning(move |calls| {
        kept.lock().unwrap().extend_from_slice(calls);
        Ok(())
    });
    written
}

#[tokio::test]
async fn keeps_a_sample_of_more_than_a_thousand_calls_in_an_hour() {
    let (clock, clock_time) = manual_clock();
    let (repository, written) = open();
    let calls = RefusedCalls::new(Arc::new(repository), clock);

    for _ in 0..1_100 {
        calls.note(&refusal("NOT_FOUND"));
    }
    *clock_time.lock().unwrap() = NOW + TimeDelta::hours(1);
    calls.note(&refusal("NOT_FOUND"));
    assert_eq!(calls.write().await.unwrap(), 0);

    let written = written.lock().unwrap();
    assert_eq!(written.len(), 1_011);
    assert_eq!(written.iter().filter(|call| call.is_sampled).count(), 10);
    assert!(!written.last().unwrap().is_sampled);
}

#[tokio::test]
async fn calls_wait_in_their_order_while_the_store_is_away() {
    let mut repository = MockRefusedCallRepository::new();
    repository.expect_add().once().returning(|_| Err(away()));
    let written = collect(&mut repository);
    let calls = RefusedCalls::new(Arc::new(repository), clock());
    calls.note(&refusal("FIRST"));
    calls.note(&refusal("SECOND"));

    calls.write().await.unwrap_err();
    calls.note(&refusal("THIRD"));
    calls.write().await.unwrap();

    let codes: Vec<_> = written.lock().unwrap().iter().map(|call| call.code.clone()).collect();
    assert_eq!(codes, ["FIRST", "SECOND", "THIRD"]);
}

#[tokio::test]
async fn drops_calls_when_too_many_wait() {
    let (repository, written) = open();
    let calls = RefusedCalls::new(Arc::new(repository), clock());
    for number in 0..20_u8 {
        let organization = format!("018bcfe5-6800-7000-8000-0000000000{number:02x}");
        let organization = organization.parse().unwrap();
        for _ in 0..600 {
            calls.note(&Refusal { organization, ..refusal("NOT_FOUND") });
        }
    }

    assert_eq!(calls.write().await.unwrap(), 2_000);
    assert_eq!(calls.write().await.unwrap(), 0);
    assert_eq!(written.lock().unwrap().len(), MAX_WAITING);
}

#[tokio::test]
async fn a_part_ends_in_the_call_after_which_the_next_begins() {
    let (mut repository, written) = open();
    let stored = Arc::clone(&written);
    repository.expect_older().returning(move |_, _, since, _, limit| {
        assert_eq!(since, NOW - KEPT);
        Ok(stored.lock().unwrap().iter().take(limit).cloned().collect())
    });
    let calls = RefusedCalls::new(Arc::new(repository), clock());
    for _ in 0..3 {
        calls.note(&refusal("NOT_FOUND"));
    }
    calls.write().await.unwrap();
    let second = written.lock().unwrap()[1].id;
    let list = async |role, limit| {
        calls.list(&member(role), &RefusedCallFilter::default(), None, limit).await
    };

    let part = list(Role::Developer, 2).await.unwrap();
    assert_eq!((part.calls.len(), part.next), (2, Some(second)));
    let whole = list(Role::Owner, 3).await.unwrap();
    assert_eq!((whole.calls.len(), whole.next), (3, None));
    let refused = list(Role::CampaignManager, 3).await.unwrap_err();
    assert_eq!(refused.code(), "FORBIDDEN");
}
