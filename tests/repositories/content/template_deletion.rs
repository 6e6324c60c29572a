//! Deletion of templates beside the writers that need them.

use std::collections::BTreeMap;

use domain::{
    content::{
        approval::RequestedApprovalFilter,
        template::{Template, TemplateRequest, TemplateUse, TemplateUses},
    },
    identity::{
        actor::{Actor, RequestId},
        organization::Organization,
        policy::Policy,
    },
    outreach::{
        campaign::{Campaign, CampaignRequest},
        event::{Event, EventRequest},
    },
    platform::audit::{AuditAction, AuditEntry},
    shared::{category::Category, channel::Channel, id::Id},
};
use ports::{
    content::templates::{Deleted, Written},
    outreach::{
        campaigns::{CampaignRepository, Inserted},
        events::{EventRepository, EventWritten},
    },
};

use crate::{World, now};

/// Adds a template of that category.
async fn template(world: &World, organization: Id<Organization>, category: Category) -> Template {
    let request = TemplateRequest {
        name: Some("Premium due".into()),
        channel: Some(Channel::Sms.into()),
        body: Some("Hello {{name}}".into()),
        category: Some(category),
        ..TemplateRequest::default()
    };
    let by = Id::new(now());
    let template = request.template(organization, by, now()).unwrap();
    let approval = template.needed_approval([1; 32], by, now());
    let written = Written { by, at: now(), hash: [1; 32], approval };
    world.templates().insert(&template, &written).await.unwrap();
    template
}

async fn delete(world: &World, template: &Template) -> Deleted {
    let organization = template.organization;
    let actor =
        Actor { user: Id::new(now()), request: RequestId::new("r"), is_impersonating: false };
    let entry = AuditEntry {
        id: Id::new_in(now(), organization),
        organization,
        at: now(),
        actor,
        action: AuditAction::TemplateDeleted,
        resource_type: "TEMPLATE",
        resource: template.id.uuid(),
        details: BTreeMap::from([("name", template.name.clone())]),
    };
    world.templates().delete(organization, template.id, &entry).await.unwrap()
}

fn event(template: &Template) -> Event {
    let request = EventRequest {
        name: Some("Parcel".into()),
        slug: Some("parcel".into()),
        templates: Some([("SMS".to_owned(), template.id.to_string())].into()),
        ..EventRequest::default()
    };
    let known = [(template.id, template.content.channel)];
    request.event(template.organization, &known, now()).unwrap()
}

fn campaign(template: &Template) -> Campaign {
    let request = CampaignRequest {
        name: Some("Sale".into()),
        channel: Some(Channel::Sms),
        body: Some("Akwaaba".into()),
        ..CampaignRequest::default()
    };
    let whose = (template.organization, &Policy::default());
    let campaign = request.campaign(whose, Id::new(now()), now()).unwrap();
    Campaign { template: Some(template.id), body: None, ..campaign }
}

async fn number(world: &World, query: &str) -> i64 {
    world.client().await.query_one(query, &[]).await.unwrap().get(0)
}

#[tokio::test]
async fn a_deleted_template_keeps_its_name_and_loses_everything_else() {
    let world = World::new().await;
    let own = world.organization().await.id;
    let gone = template(&world, own, Category::Insurance).await;
    let kept = template(&world, own, Category::Insurance).await;

    assert_eq!(delete(&world, &gone).await, Deleted::Done);

    assert_eq!(delete(&world, &gone).await, Deleted::Missing);
    assert_eq!(world.templates().find(own, gone.id).await.unwrap(), None);
    assert!(world.templates().find_all(own, &[gone.id]).await.unwrap().is_empty());
    assert!(world.templates().versions(own, gone.id).await.unwrap().is_empty());
    let row = format!(
        "SELECT count(*) FROM templates WHERE organization_id = '{own}' AND id = '{}' \
            AND name = 'Premium due' AND body = '' AND variables = '{{}}' AND deleted_at IS NOT NULL",
        gone.id
    );
    assert_eq!(number(&world, &row).await, 1);
    let counts = format!(
        "SELECT count(*) FROM template_counts WHERE organization_id = '{own}' AND templates = 1 \
            AND bytes = {}",
        kept.content.body.len()
    );
    assert_eq!(number(&world, &counts).await, 1);
    assert_eq!(world.approvals().count_pending(own).await.unwrap(), 1);
    let filter =
        RequestedApprovalFilter { template: Some(gone.id), ..RequestedApprovalFilter::default() };
    let approvals = world.approvals().requested(own, &filter, None, 10).await.unwrap();
    let statuses: Vec<_> = approvals.iter().map(|approval| approval.status.as_str()).collect();
    assert_eq!(statuses, ["WITHDRAWN"]);
    let lines = format!(
        "SELECT count(*) FROM audit_log WHERE organization_id = '{own}' \
            AND action = 'template.deleted' AND details ->> 'name' = 'Premium due'"
    );
    assert_eq!(number(&world, &lines).await, 1);
}

#[tokio::test]
async fn a_template_that_an_event_or_a_new_campaign_needs_is_not_deleted() {
    let world = World::new().await;
    let own = world.organization().await.id;
    for _ in 0..4 {
        let template = template(&world, own, Category::Otp).await;
        let event = event(&template);
        let (written, deleted) =
            tokio::join!(world.store_of_events().insert(&event), delete(&world, &template));
        match (written.unwrap(), deleted) {
            (EventWritten::Done, Deleted::InUse(uses)) => {
                let used = TemplateUse { id: event.id.uuid(), name: "Parcel".into() };
                assert_eq!(uses, TemplateUses { events: vec![used], campaigns: Vec::new() });
                world.store_of_events().delete(own, event.id).await.unwrap();
            }
            (EventWritten::Stale, Deleted::Done) => {}
            outcome => panic!("{outcome:?}"),
        }
    }
    for _ in 0..4 {
        let template = template(&world, own, Category::Otp).await;
        let campaign = campaign(&template);
        let (inserted, deleted) =
            tokio::join!(world.store_of_campaigns().insert(&campaign), delete(&world, &template));
        match (inserted.unwrap(), deleted) {
            (Inserted::Done, Deleted::InUse(uses)) => {
                let used = TemplateUse { id: campaign.id.uuid(), name: "Sale".into() };
                assert_eq!(uses, TemplateUses { events: Vec::new(), campaigns: vec![used] });
            }
            (Inserted::TemplateMissing, Deleted::Done) => {}
            outcome => panic!("{outcome:?}"),
        }
    }
}

#[tokio::test]
async fn an_ended_campaign_needs_no_template() {
    let world = World::new().await;
    let own = world.organization().await.id;
    let template = template(&world, own, Category::Otp).await;
    let campaign = campaign(&template);
    assert_eq!(world.store_of_campaigns().insert(&campaign).await.unwrap(), Inserted::Done);
    assert!(matches!(delete(&world, &template).await, Deleted::InUse(_)));

    let ended = format!("UPDATE campaigns SET status = 'COMPLETED' WHERE id = '{}'", campaign.id);
    world.sql(&ended).await;

    assert_eq!(delete(&world, &template).await, Deleted::Done);
}

#[tokio::test]
async fn names_of_deleted_templates_are_purged_with_the_figures() {
    let world = World::alone().await;
    let own = world.organization().await.id;
    for age in ["24 months", "26 months"] {
        let template = template(&world, own, Category::Otp).await;
        assert_eq!(delete(&world, &template).await, Deleted::Done);
        let aged = format!(
            "UPDATE templates SET deleted_at = now() - interval '{age}' WHERE id = '{}'",
            template.id
        );
        world.sql(&aged).await;
    }

    world.store.maintain().await.unwrap();

    assert_eq!(number(&world, "SELECT count(*) FROM templates").await, 1);
    let counts = "SELECT coalesce(sum(templates), 0)::bigint FROM template_counts";
    assert_eq!(number(&world, counts).await, 0);
}

impl World {
    fn store_of_events(&self) -> &dyn EventRepository {
        &self.store
    }

    fn store_of_campaigns(&self) -> &dyn CampaignRepository {
        &self.store
    }
}
