//! Sizes of the data that organizations keep.

use std::collections::BTreeMap;

use domain::{
    audience::contact::{ContactRequest, ContactUpdate},
    content::template::{MAX_VERSIONS, TemplateRequest, TemplateUpdate},
    identity::organization::{Holdings, Organization},
    shared::{category::Category, change::Change, channel::Channel, id::Id},
};
use ports::{
    audience::contacts::{ContactRepository, Inserted, Updated},
    content::templates::Written,
    platform::organization_limits::UsageRepository,
};

use crate::{World, now};

impl World {
    async fn holdings(&self, organization: Id<Organization>) -> Holdings {
        UsageRepository::holdings(&self.store, organization).await.unwrap()
    }
}

#[tokio::test]
async fn contact_bytes_follow_inserts_updates_and_deletes() {
    let world = World::new().await;
    let (own, other) = (world.organization().await.id, world.organization().await.id);
    let contacts: &dyn ContactRepository = &world.store;
    let note = |text: &str| BTreeMap::from([("note".to_owned(), text.to_owned())]);
    let request = ContactRequest {
        first_name: Some("Ama".into()),
        attributes: note("short"),
        ..ContactRequest::default()
    };
    let contact = request.contact(own, now()).unwrap();
    assert_eq!(contacts.insert(&contact).await.unwrap(), Inserted::Done);
    let before = world.holdings(own).await;
    assert_eq!(before.contacts, 1);
    assert!(before.contact_bytes > 8, "{before:?}");

    let long = ContactUpdate {
        attributes: Change::Set(Some(note(&"long".repeat(100)))),
        ..ContactUpdate::default()
    };
    let updated = contacts.update(own, contact.id, &long).await.unwrap();
    assert!(matches!(updated, Updated::Done(_)), "{updated:?}");
    let after = world.holdings(own).await;
    assert_eq!(after.contact_bytes, before.contact_bytes + 395);

    contacts.delete(own, contact.id).await.unwrap();
    let gone = world.holdings(own).await;
    assert_eq!((gone.contacts, gone.contact_bytes), (0, 0));
    assert_eq!(world.holdings(other).await, Holdings::default());
}

#[tokio::test]
async fn template_bytes_are_those_of_the_kept_versions() {
    let world = World::new().await;
    let own = world.organization().await.id;
    let request = TemplateRequest {
        name: Some("Premium due".into()),
        channel: Some(Channel::Sms.into()),
        body: Some("a".repeat(100)),
        category: Some(Category::Insurance),
        ..TemplateRequest::default()
    };
    let mut template = request.template(own, Id::new(now()), now()).unwrap();
    let written = |template: &domain::content::template::Template, version: u8| {
        let (by, hash) = (template.created_by.unwrap(), [version; 32]);
        Written { by, at: now(), hash, approval: template.needed_approval(hash, by, now()) }
    };
    world.templates().insert(&template, &written(&template, 0)).await.unwrap();
    let made = world.holdings(own).await;
    assert_eq!((made.templates, made.template_bytes, made.pending_approvals), (1, 100, 1));

    for version in 1..=u8::try_from(MAX_VERSIONS).unwrap() {
        let body = Some("b".repeat(10 + usize::from(version)));
        let update = TemplateUpdate { body, ..TemplateUpdate::default() };
        let edited = update.apply(&template).unwrap();
        let text = Some(written(&edited, version));
        assert!(world.templates().update(&template, &edited, text).await.unwrap());
        template = edited;
    }

    let kept = world.holdings(own).await;
    let expected: u64 = (1..=u64::try_from(MAX_VERSIONS).unwrap()).map(|it| 10 + it).sum();
    assert_eq!((kept.templates, kept.template_bytes), (1, expected));
    // The clock of these tests is behind: no approval is of the last day.
    assert_eq!((kept.pending_approvals, kept.daily_approvals), (1, 0));
}

#[tokio::test]
async fn only_withdrawn_approvals_lose_their_text_after_a_month() {
    let world = World::alone().await;
    let own = world.organization().await.id;
    let close = |verdict: &str, days: u32| {
        format!(
            "INSERT INTO approvals (id, organization_id, kind, resource_id, name, subject, body, \
                content_hash, risk_score, issues, requested_by, authors, requested_at, closed_at, \
                verdict, decided_by) \
             SELECT id, '{own}', 'TEMPLATE', id, 'Due', 'Due', 'Pay', \
                decode(repeat('00', 32), 'hex'), 30, '[{{}}]', id, '{{}}', now(), \
                now() - interval '{days} days', {verdict}, CASE WHEN {verdict} IS NULL THEN NULL \
                ELSE id END FROM gen_random_uuid() AS id"
        )
    };
    for (verdict, days) in [("NULL::text", 31), ("NULL::text", 29), ("'REJECTED'", 31)] {
        world.sql(&close(verdict, days)).await;
    }

    world.store.maintain().await.unwrap();

    let texts = "SELECT string_agg(coalesce(subject, '-') || body || issues, ' ' \
                    ORDER BY verdict NULLS FIRST, closed_at) FROM approvals";
    let texts: String = world.client().await.query_one(texts, &[]).await.unwrap().get(0);
    assert_eq!(texts, "-[] DuePay[{}] DuePay[{}]");
}
