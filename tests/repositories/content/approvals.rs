//! Approvals and templates: joint writes and concurrent changes.

use domain::{
    content::{
        approval::{Approval, ApprovalState, Decision, Verdict},
        template::{Template, TemplateFilter, TemplateRequest, TemplateStatus, TemplateUpdate},
    },
    identity::{actor::RequestId, organization::Organization, user::User},
    platform::audit::AuditEntry,
    shared::{category::Category, channel::Channel, id::Id, page::Page},
};
use ports::content::{approvals::Settled, templates::Written};

use crate::{World, now};

/// A template of a category that needs approval, with its pending approval.
pub(crate) async fn pending(world: &World, organization: Id<Organization>) -> (Template, Approval) {
    let request = TemplateRequest {
        name: Some("Premium due".into()),
        channel: Some(Channel::Sms.into()),
        body: Some("Hello {{name}}".into()),
        category: Some(Category::Insurance),
        ..TemplateRequest::default()
    };
    let template = request.template(organization, Id::new(now()), now()).unwrap();
    let written = written(&template, [1; 32]);
    world.templates().insert(&template, &written).await.unwrap();
    (template, written.approval.unwrap())
}

fn written(template: &Template, hash: [u8; 32]) -> Written {
    let by = template.created_by.unwrap();
    Written { by, at: now(), hash, approval: template.needed_approval(hash, by, now()) }
}

/// Gives a template another text with its hash.
async fn edit(world: &World, present: &Template, body: &str, hash: [u8; 32]) -> Template {
    let update = TemplateUpdate { body: Some(body.into()), ..TemplateUpdate::default() };
    let edited = update.apply(present).unwrap();
    let written = Some(written(&edited, hash));
    assert!(world.templates().update(present, &edited, written).await.unwrap());
    edited
}

pub(crate) async fn decide(world: &World, approval: &Approval, verdict: Verdict) -> Settled {
    let decision = decision(approval, verdict, Id::new(now()));
    let entry = AuditEntry::of_decision(approval, &decision, RequestId::new("r"));
    world.approvals().decide(approval, &decision, &entry).await.unwrap()
}

fn decision(approval: &Approval, verdict: Verdict, by: Id<User>) -> Decision {
    approval.decide(verdict, Some("seen".into()), by, now()).unwrap()
}

async fn found(world: &World, template: &Template) -> Template {
    world.templates().find(template.organization, template.id).await.unwrap().unwrap()
}

async fn count(world: &World, query: &str) -> i64 {
    world.client().await.query_one(query, &[]).await.unwrap().get(0)
}

#[tokio::test]
async fn a_decision_is_written_with_its_effect_and_audit_line() {
    let world = World::new().await;
    let own = world.organization().await.id;
    let (template, approval) = pending(&world, own).await;
    assert_eq!(found(&world, &template).await, template);
    assert_eq!(world.approvals().find(approval.id).await.unwrap(), Some(approval.clone()));
    assert_eq!(world.approvals().count_pending(own).await.unwrap(), 1);

    let admin = Id::new(now());
    let decision = decision(&approval, Verdict::Rejected, admin);
    let entry = AuditEntry::of_decision(&approval, &decision, RequestId::new("r"));
    let settled = world.approvals().decide(&approval, &decision, &entry).await.unwrap();

    assert_eq!(settled, Settled::Done);
    let state = ApprovalState::Decided(decision);
    let expected = Approval { state, ..approval.clone() };
    assert_eq!(world.approvals().find(approval.id).await.unwrap(), Some(expected));
    let rejected = found(&world, &template).await;
    assert_eq!(rejected.status, TemplateStatus::Rejected);
    assert_eq!(rejected.comment.as_deref(), Some("seen"));
    let versions = world.templates().versions(own, template.id).await.unwrap();
    assert_eq!(versions[0].status, TemplateStatus::Rejected);
    assert_eq!(world.approvals().count_pending(own).await.unwrap(), 0);
    let lines = format!(
        "SELECT count(*) FROM audit_log WHERE organization_id = '{own}' AND user_id = '{admin}' \
            AND action = 'approval.rejected' AND resource_id = '{}' \
            AND details ->> 'comment' = 'seen' AND details ->> 'contentHash' = '{}'",
        template.id,
        "01".repeat(32)
    );
    assert_eq!(count(&world, &lines).await, 1);
    let notices = format!(
        "SELECT count(*) FROM notices WHERE organization_id = '{own}' AND kind = 'DECISION' \
            AND key = 'approval-{}' AND data ->> 'comment' = 'seen'",
        approval.id
    );
    assert_eq!(count(&world, &notices).await, 1);
    let touched = "UPDATE audit_log SET action = 'none'";
    let refused = world.client().await.batch_execute(touched).await.unwrap_err();
    assert!(format!("{refused:?}").contains("append-only"), "{refused:?}");
}

#[tokio::test]
async fn one_of_two_concurrent_decisions_wins() {
    let world = World::new().await;
    let own = world.organization().await.id;
    for _ in 0..8 {
        let (template, approval) = pending(&world, own).await;
        let both = futures_util::future::join(
            decide(&world, &approval, Verdict::Approved),
            decide(&world, &approval, Verdict::Rejected),
        );

        let expected = match both.await {
            (Settled::Done, Settled::AlreadyDecided) => TemplateStatus::Approved,
            (Settled::AlreadyDecided, Settled::Done) => TemplateStatus::Rejected,
            settled => panic!("{settled:?}"),
        };

        assert_eq!(found(&world, &template).await.status, expected);
        let lines = format!("SELECT count(*) FROM audit_log WHERE resource_id = '{}'", template.id);
        assert_eq!(count(&world, &lines).await, 1);
        let notices = format!(
            "SELECT count(*) FROM notices WHERE organization_id = '{own}' AND key = 'approval-{}'",
            approval.id
        );
        assert_eq!(count(&world, &notices).await, 1);
    }
}

#[tokio::test]
async fn a_concurrent_edit_leaves_no_unseen_text_approved() {
    let world = World::new().await;
    let own = world.organization().await.id;
    for _ in 0..8 {
        let (template, approval) = pending(&world, own).await;
        let (edited, settled) = futures_util::future::join(
            edit(&world, &template, "Dear {{name}}", [2; 32]),
            decide(&world, &approval, Verdict::Approved),
        )
        .await;

        assert!(matches!(settled, Settled::Done | Settled::ContentChanged), "{settled:?}");
        assert_eq!(found(&world, &template).await, edited);
        assert_eq!(edited.status, TemplateStatus::PendingApproval);
    }
    assert_eq!(world.approvals().count_pending(own).await.unwrap(), 8);
}

#[tokio::test]
async fn an_approval_of_changed_content_changes_nothing() {
    let world = World::new().await;
    let own = world.organization().await.id;
    let (template, approval) = pending(&world, own).await;
    let edited = edit(&world, &template, "Dear {{name}}", [2; 32]).await;

    assert_eq!(decide(&world, &approval, Verdict::Approved).await, Settled::ContentChanged);
    let again = edit(&world, &edited, "Hello {{name}}", [1; 32]).await;
    let settled = decide(&world, &approval, Verdict::Approved).await;
    assert_eq!(settled, Settled::ContentChanged, "it was withdrawn, though the text is the same");

    let kept = world.approvals().find(approval.id).await.unwrap().unwrap();
    assert_eq!(kept.state, ApprovalState::Withdrawn);
    assert_eq!(found(&world, &template).await, again);
    let versions = world.templates().versions(own, template.id).await.unwrap();
    let versions: Vec<_> = versions.iter().map(|it| (it.version, it.status)).collect();
    assert_eq!(
        versions,
        [
            (3, TemplateStatus::PendingApproval),
            (2, TemplateStatus::Withdrawn),
            (1, TemplateStatus::Withdrawn)
        ]
    );
    let lines = format!("SELECT count(*) FROM audit_log WHERE resource_id = '{}'", template.id);
    assert_eq!(count(&world, &lines).await, 0);
    let notices = format!("SELECT count(*) FROM notices WHERE organization_id = '{own}'");
    assert_eq!(count(&world, &notices).await, 0);
}

#[tokio::test]
async fn rejects_edits_of_old_versions_and_renames_the_approval() {
    let world = World::new().await;
    let own = world.organization().await.id;
    let (template, approval) = pending(&world, own).await;
    let rename = |name: &str| TemplateUpdate { name: Some(name.into()), ..Default::default() };
    let renamed = rename("Due").apply(&template).unwrap();
    assert!(world.templates().update(&template, &renamed, None).await.unwrap());
    assert_eq!(world.approvals().find(approval.id).await.unwrap().unwrap().name, "Due");

    let late = rename("Late").apply(&template).unwrap();
    assert!(!world.templates().update(&template, &late, None).await.unwrap());
    edit(&world, &renamed, "Dear {{name}}", [2; 32]).await;
    let late = TemplateUpdate { body: Some("Late".into()), ..TemplateUpdate::default() };
    let late = late.apply(&renamed).unwrap();
    let late_written = Some(written(&late, [3; 32]));
    assert!(!world.templates().update(&renamed, &late, late_written).await.unwrap());
    assert_eq!(found(&world, &template).await.content.body, "Dear {{name}}");
}

#[tokio::test]
async fn the_last_twenty_versions_are_kept() {
    let world = World::new().await;
    let own = world.organization().await.id;
    let (mut template, _) = pending(&world, own).await;
    for number in 2..=23 {
        template = edit(&world, &template, &format!("Text {number}"), [number; 32]).await;
    }
    let versions = world.templates().versions(own, template.id).await.unwrap();
    let numbers: Vec<_> = versions.iter().map(|version| version.version).collect();
    assert_eq!(numbers, (4..=23).rev().collect::<Vec<_>>());
    assert_eq!(versions[0].body, "Text 23");
}

#[tokio::test]
async fn an_organization_lists_its_own_templates_newest_first() {
    let world = World::new().await;
    let (own, other) = (world.organization().await.id, world.organization().await.id);
    let mut templates = Vec::new();
    for _ in 0..3 {
        templates.push(pending(&world, own).await.0);
    }
    pending(&world, other).await;
    templates.sort_by_key(|template| std::cmp::Reverse(template.id));

    let page = Page::new(Some(2), Some(2)).unwrap();
    let found = world.templates().page(own, &TemplateFilter::default(), page).await.unwrap();

    assert_eq!((found.items.as_slice(), found.total), (&templates[2..], 3));
    let foreign = world.templates().find(other, templates[0].id).await.unwrap();
    assert_eq!(foreign, None);
}

#[tokio::test]
async fn lists_pending_approvals_of_all_organizations_newest_first() {
    let world = World::alone().await;
    let mut waiting = Vec::new();
    for _ in 0..3 {
        let organization = world.organization().await.id;
        waiting.push(pending(&world, organization).await.1);
    }
    let decided = waiting.remove(1);
    assert_eq!(decide(&world, &decided, Verdict::Approved).await, Settled::Done);
    waiting.sort_by_key(|approval| std::cmp::Reverse(approval.id));

    let found = world.approvals().pending(Page::new(None, None).unwrap()).await.unwrap();

    assert_eq!((found.items, found.total, found.is_lower_bound), (waiting, 2, false));
}

#[tokio::test]
async fn decisions_and_audit_lines_are_deleted_after_25_months() {
    let world = World::alone().await;
    let own = world.organization().await.id;
    let ages = [(Verdict::Approved, "26 months"), (Verdict::Rejected, "24 months")];
    for (_, age) in ages {
        world
            .sql(&format!(
                "INSERT INTO audit_log (id, organization_id, at, user_id, action, resource_type, \
                    resource_id) \
                 VALUES (gen_random_uuid(), '{own}', now() - interval '{age}', '{own}', 'old', \
                    'TEMPLATE', '{own}')"
            ))
            .await;
    }
    for (verdict, age) in ages {
        let (_, approval) = pending(&world, own).await;
        assert_eq!(decide(&world, &approval, verdict).await, Settled::Done);
        let id = approval.id;
        world
            .sql(&format!(
                "UPDATE approvals SET closed_at = now() - interval '{age}' WHERE id = '{id}'"
            ))
            .await;
    }
    pending(&world, own).await;

    world.store.maintain().await.unwrap();

    let rest = "SELECT count(*) FROM approvals WHERE verdict = 'APPROVED'";
    assert_eq!(count(&world, rest).await, 0);
    assert_eq!(count(&world, "SELECT count(*) FROM approvals").await, 2);
    assert_eq!(count(&world, "SELECT count(*) FROM audit_log WHERE action = 'old'").await, 1);
}
