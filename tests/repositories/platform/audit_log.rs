//! The audit log: an append-only chain for each organization.

use std::{collections::BTreeMap, sync::Arc};

use chrono::TimeDelta;
use domain::{
    identity::{
        actor::{Actor, RequestId},
        organization::Organization,
        session::Claims,
        user::User,
    },
    platform::audit::{AuditAction, AuditEntry, AuditFilter, AuditLine},
    shared::{
        id::Id,
        page::{Page, Paged},
    },
};
use ports::{identity::auth::RevokedSessions, platform::audit_log::AuditLog};
use usecases::platform::audit::{Audit, Verification};

use crate::{World, now, user};

fn entry(organization: Id<Organization>, by: Id<User>) -> AuditEntry {
    AuditEntry {
        id: Id::new_in(now(), organization),
        organization,
        at: now(),
        actor: Actor { user: by, request: RequestId::new("request-1"), is_impersonating: true },
        action: AuditAction::ImpersonationActed,
        resource_type: "ORGANIZATION",
        resource: organization.uuid(),
        details: BTreeMap::from([("path", "/contacts/ɔ\"\\".into()), ("a", "\n5:x".into())]),
    }
}

async fn write(world: &World, organization: Id<Organization>, lines: usize) {
    let by = Id::new(now());
    for _ in 0..lines {
        world.store.record(&entry(organization, by)).await.unwrap();
    }
}

async fn page(world: &World, filter: &AuditFilter, number: i64) -> Paged<AuditLine> {
    let page = Page::new(Some(number), Some(2)).unwrap();
    world.store.page(filter, page).await.unwrap()
}

fn sequences(page: &Paged<AuditLine>) -> Vec<u64> {
    page.items.iter().map(|line| line.sequence).collect()
}

async fn verify(world: &World) -> Verification {
    let store = Arc::new(world.store.clone());
    Audit::new(Arc::clone(&store) as _, store).verify().await.unwrap()
}

async fn faults(world: &World) -> Vec<String> {
    verify(world).await.broken.into_iter().map(|broken| broken.fault).collect()
}

/// Runs statements with triggers disabled, as an administrator of the database can.
async fn tamper(world: &World, statements: &str) {
    let past = format!("SET session_replication_role = replica; {statements}");
    world.client().await.batch_execute(&past).await.unwrap();
}

#[tokio::test]
async fn concurrent_lines_form_one_chain_with_valid_hashes() {
    let world = World::alone().await;
    let (own, other) = (world.organization().await.id, world.organization().await.id);
    let by = Id::new(now());
    let entries: Vec<_> = (0..40).map(|n| entry(if n % 4 > 0 { own } else { other }, by)).collect();

    let written = entries.iter().map(|entry| world.store.record(entry));
    for written in futures_util::future::join_all(written).await {
        written.unwrap();
    }

    let lines = world.store.lines_after(own, 0, 100).await.unwrap();
    assert!(lines.iter().map(|line| line.sequence).eq(1..=30));
    let line = lines.iter().find(|line| line.id == entries[1].id).unwrap();
    assert_eq!((line.user, line.at, line.is_impersonated), (by, now(), true));
    assert_eq!(line.request.as_deref(), Some("request-1"));
    assert_eq!((line.action.as_str(), line.resource), ("impersonation.acted", own.uuid()));
    let found = verify(&world).await;
    assert_eq!(found, Verification { organizations: 2, lines: 40, broken: Vec::new() });
}

#[tokio::test]
async fn lines_cannot_be_changed_or_deleted() {
    let world = World::alone().await;
    write(&world, world.organization().await.id, 1).await;

    for change in [
        "UPDATE audit_log SET action = 'none'",
        "UPDATE audit_log SET action = 'none' WHERE false",
        "DELETE FROM audit_log",
        "TRUNCATE audit_log",
        "UPDATE audit_heads SET purged_sequence = 1, purged_hash = hash",
        "UPDATE audit_heads SET sequence = 0",
        "DELETE FROM audit_heads",
        "TRUNCATE audit_heads",
    ] {
        let refused = world.client().await.batch_execute(change).await.unwrap_err();
        assert!(format!("{refused:?}").contains("append-only"), "{change}: {refused:?}");
    }
    assert_eq!(faults(&world).await, [""; 0]);
}

#[tokio::test]
async fn tampering_past_the_triggers_is_found() {
    let own = "sequence = 2";
    for (tampering, fault) in [
        (format!("UPDATE audit_log SET user_id = gen_random_uuid() WHERE {own}"), "line 2 is not"),
        (format!("UPDATE audit_log SET at = at - interval '1 s' WHERE {own}"), "line 2 is not"),
        (format!("UPDATE audit_log SET details = '{{}}' WHERE {own}"), "line 2 is not"),
        (format!("UPDATE audit_log SET impersonated = false WHERE {own}"), "line 2 is not"),
        (format!("DELETE FROM audit_log WHERE {own}"), "line 2 is gone"),
        ("DELETE FROM audit_log WHERE sequence = 3".into(), "line 3 is gone"),
        ("DELETE FROM audit_log WHERE sequence = 1".into(), "line 1 is gone"),
        ("DELETE FROM audit_heads".into(), "its head is gone"),
        ("UPDATE audit_heads SET sequence = 2".into(), "its head is not that"),
        (
            format!(
                "UPDATE audit_heads SET purged_sequence = 2, purged_hash = \
            (SELECT hash FROM audit_log WHERE {own})"
            ),
            "line 1 is there, and hidden",
        ),
    ] {
        let world = World::alone().await;
        write(&world, world.organization().await.id, 3).await;
        tamper(&world, &tampering).await;

        let [found] = <[String; 1]>::try_from(faults(&world).await).unwrap();

        assert!(found.starts_with(fault), "{tampering}: {found}");
    }
}

#[tokio::test]
async fn a_chain_stays_valid_after_old_lines_are_deleted() {
    let world = World::alone().await;
    let (own, other) = (world.organization().await.id, world.organization().await.id);
    let mut old = entry(own, Id::new(now()));
    for months in [30, 27, 26, 3] {
        old = AuditEntry {
            id: Id::new_in(now(), own),
            at: now() - TimeDelta::days(31 * months),
            ..old
        };
        world.store.record(&old).await.unwrap();
    }
    // A clock that is behind does not place a line before existing ones.
    let late = AuditEntry { id: Id::new_in(now(), own), at: now() - TimeDelta::days(990), ..old };
    world.store.record(&late).await.unwrap();
    write(&world, other, 2).await;

    world.store.maintain().await.unwrap();

    let kept = world.store.lines_after(own, 0, 100).await.unwrap();
    assert_eq!(kept.iter().map(|line| line.sequence).collect::<Vec<_>>(), [4, 5]);
    assert_eq!(kept[0].at, kept[1].at);
    let found = verify(&world).await;
    assert_eq!(found, Verification { organizations: 2, lines: 4, broken: Vec::new() });
    let filter = AuditFilter { organization: Some(own), ..AuditFilter::default() };
    let (first, second) = (page(&world, &filter, 1).await, page(&world, &filter, 2).await);
    assert_eq!((first.total, sequences(&first), sequences(&second)), (2, vec![5, 4], vec![]));
    write(&world, own, 1).await;
    assert_eq!(faults(&world).await, [""; 0]);
    tamper(&world, "DELETE FROM audit_log WHERE sequence = 4").await;
    assert_eq!(faults(&world).await, ["line 4 is gone"]);
}

#[tokio::test]
async fn lines_are_filtered_and_listed_newest_first() {
    let world = World::alone().await;
    let (own, other) = (world.organization().await.id, world.organization().await.id);
    let (ama, kofi) = (Id::new(now()), Id::new(now()));
    let actions = [AuditAction::ImpersonationBegan, AuditAction::ImpersonationActed];
    for (hour, (organization, by)) in
        [(own, ama), (own, kofi), (other, ama)].into_iter().enumerate()
    {
        for action in actions {
            let at = now() + TimeDelta::hours(i64::try_from(hour).unwrap());
            world
                .store
                .record(&AuditEntry { at, action, ..entry(organization, by) })
                .await
                .unwrap();
        }
    }
    let all = AuditFilter::default();
    let of = |organization| AuditFilter { organization: Some(organization), ..all.clone() };
    let began = Some("impersonation.began".to_owned());
    let cases = [
        (all.clone(), 6),
        (of(own), 4),
        (of(Id::new(now())), 0),
        (AuditFilter { actor: Some(ama), ..all.clone() }, 4),
        (AuditFilter { actor: Some(ama), ..of(own) }, 2),
        (AuditFilter { action: began.clone(), ..all.clone() }, 3),
        (AuditFilter { action: began, actor: Some(kofi), ..all.clone() }, 1),
        (AuditFilter { from: Some(now() + TimeDelta::hours(1)), ..all.clone() }, 4),
        (AuditFilter { to: Some(now() + TimeDelta::hours(1)), ..of(own) }, 2),
    ];
    for (filter, total) in cases {
        let mut seen = Vec::new();
        for number in 1..=4 {
            let part = page(&world, &filter, number).await;
            assert_eq!((part.total, part.is_lower_bound), (total, false), "{filter:?}");
            seen.extend(part.items.into_iter().map(|line| (line.at, line.id)));
        }
        assert_eq!(u64::try_from(seen.len()).unwrap(), total, "{filter:?}");
        assert!(seen.is_sorted_by(|newer, older| newer.0 >= older.0 && newer != older), "{seen:?}");
    }
}

#[tokio::test]
async fn a_revoked_session_is_kept_until_it_would_have_expired() {
    let world = World::alone().await;
    let session =
        |expires_at| Claims { expires_at, ..Claims::begin(&user("ama@example.com"), now()) };
    let (old, young) = (session(now()), session(now() + TimeDelta::days(900)));
    for session in [&old, &young] {
        assert!(world.store.revoke(session).await.unwrap());
        assert!(!world.store.revoke(session).await.unwrap());
    }

    world.store.maintain().await.unwrap();

    assert!(world.store.revoke(&old).await.unwrap());
    assert!(!world.store.revoke(&young).await.unwrap());
}
