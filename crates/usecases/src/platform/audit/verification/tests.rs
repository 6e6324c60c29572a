//! Faults that verification finds.

use std::sync::Arc;

use chrono::TimeDelta;
use domain::{identity::user::User, shared::chain::START};
use ports::shared::mock::{MockAuditLog, MockUserRepository};

use super::*;
use crate::shared::fixtures::{NOW, tenant};

/// Chain as it is written.
fn chain(lines: u64) -> (AuditHead, Vec<AuditLine>) {
    let mut hash = START;
    let mut written = Vec::new();
    for sequence in 1..=lines {
        let mut line = AuditLine {
            id: Id::new_in(NOW, tenant()),
            organization: tenant(),
            at: NOW + TimeDelta::seconds(sequence.cast_signed()),
            user: "018bcfe5-6800-7000-8000-000000000009".parse().unwrap(),
            request: (sequence > 1).then(|| format!("request-{sequence}")),
            is_impersonated: true,
            action: "impersonation.acted".into(),
            resource_type: "ORGANIZATION".into(),
            resource: tenant().uuid(),
            details: r#"{"path": "/contacts"}"#.into(),
            sequence,
            hash,
        };
        line.hash = digest::of_bytes(&line.link(&hash));
        hash = line.hash;
        written.push(line);
    }
    (AuditHead { sequence: lines, hash, purged_sequence: 0, purged_hash: START }, written)
}

/// Verifies the log of one organization.
async fn found(head: Option<AuditHead>, lines: Vec<AuditLine>) -> Verification {
    let mut log = MockAuditLog::new();
    log.expect_organization_after().returning(|last| Ok(last.is_none().then(tenant)));
    log.expect_head().returning(move |_| Ok(head));
    log.expect_lines_after().returning(move |_, sequence, limit| {
        let after = lines.iter().filter(|line| line.sequence > sequence);
        Ok(after.take(limit.min(2)).cloned().collect())
    });
    Audit::new(Arc::new(log), Arc::new(MockUserRepository::new())).verify().await.unwrap()
}

async fn fault(head: Option<AuditHead>, lines: Vec<AuditLine>) -> String {
    let mut found = found(head, lines).await;
    assert_eq!(found.organizations, 1);
    found.broken.pop().expect("something is found").fault
}

#[tokio::test]
async fn a_chain_that_is_as_it_was_written_has_no_fault() {
    for lines in [0, 1, 5] {
        let (head, lines) = chain(lines);
        let count = head.sequence;
        let found = found(Some(head), lines).await;
        assert_eq!(found, Verification { organizations: 1, lines: count, broken: Vec::new() });
    }
    let (head, lines) = chain(5);
    let text = found(Some(head), lines).await.to_string();
    assert_eq!(text, "audit log: 5 lines of 1 organizations; every hash is right");
}

#[tokio::test]
async fn a_chain_holds_from_the_oldest_line_that_is_kept() {
    let (head, mut lines) = chain(5);
    let purged_hash = lines[1].hash;
    lines.drain(..2);
    let purged = AuditHead { purged_sequence: 2, purged_hash, ..head };

    assert_eq!(found(Some(purged), lines.clone()).await.lines, 3);
    assert_eq!(fault(Some(head), lines).await, "line 1 is gone");
}

#[tokio::test]
async fn finds_a_line_that_its_head_declares_deleted() {
    let (head, lines) = chain(5);
    let hiding = AuditHead { purged_sequence: 3, purged_hash: lines[2].hash, ..head };

    assert_eq!(fault(Some(hiding), lines).await, "line 1 is there, and hidden by its head");
}

#[tokio::test]
async fn finds_a_change_of_any_field_of_a_line() {
    let changes: [fn(&mut AuditLine); 9] = [
        |line| line.id = Id::new_in(NOW, tenant()),
        |line| line.at += TimeDelta::microseconds(1),
        |line| line.user = Id::new(NOW),
        |line| line.request = None,
        |line| line.is_impersonated = false,
        |line| line.action = "impersonation.ended".into(),
        |line| line.resource_type = "TEMPLATE".into(),
        |line| line.resource = Id::<User>::new(NOW).uuid(),
        |line| line.details.push(' '),
    ];
    for change in changes {
        let (head, mut lines) = chain(4);
        change(&mut lines[2]);
        assert_eq!(fault(Some(head), lines).await, "line 3 is not as it was written");
    }
}

#[tokio::test]
async fn finds_removed_and_added_lines() {
    let (head, lines) = chain(4);
    let without = |gone: usize| {
        let mut lines = lines.clone();
        lines.remove(gone);
        lines
    };
    assert_eq!(fault(Some(head), without(1)).await, "line 2 is gone");
    assert_eq!(fault(Some(head), without(3)).await, "line 4 is gone");
    assert_eq!(fault(Some(head), Vec::new()).await, "line 1 is gone");
    assert_eq!(fault(None, lines.clone()).await, "its head is gone");

    let earlier = AuditHead { sequence: 3, hash: lines[2].hash, ..head };
    assert_eq!(fault(Some(earlier), lines.clone()).await, "line 4 is beyond its head");
    let other = AuditHead { hash: [1; 32], ..head };
    assert_eq!(fault(Some(other), lines).await, "its head is not that of its last line");
}

#[tokio::test]
async fn lines_that_are_deleted_for_their_age_meanwhile_are_no_fault() {
    let (head, lines) = chain(3);
    let purged = AuditHead { purged_sequence: 1, purged_hash: lines[0].hash, ..head };
    let mut log = MockAuditLog::new();
    log.expect_organization_after().returning(|last| Ok(last.is_none().then(tenant)));
    log.expect_head().once().return_once(move |_| Ok(Some(head)));
    log.expect_head().returning(move |_| Ok(Some(purged)));
    log.expect_lines_after().returning(move |_, sequence, _| {
        Ok(lines.iter().filter(|line| line.sequence > sequence.max(1)).cloned().collect())
    });

    let audit = Audit::new(Arc::new(log), Arc::new(MockUserRepository::new()));
    let found = audit.verify().await.unwrap();

    assert_eq!((found.lines, found.broken.len()), (2, 0));
}
