//! Lists of contacts by filters: they are complete, and their work is limited.

use adapters_postgres::PgStore;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    audience::{
        contact::{Contact, ContactFilter, ContactRequest, ContactUpdate},
        segment::Segment,
    },
    identity::organization::Organization,
    messaging::{delivery::Status, message::CampaignId},
    shared::{change::Change, id::Id},
};
use ports::audience::contacts::{ContactPart, ContactRepository, Inserted, Updated};
use serde_json::json;
use testkit::is_long;
use uuid::Uuid;

use super::{fill, ids, named, page, with_phone};
use crate::{World, now, shared::plans::read_of};

async fn part(
    world: &World,
    organization: Id<Organization>,
    filter: &ContactFilter,
    before: Option<Id<Contact>>,
) -> ContactPart {
    world.contacts().older(organization, filter, before, 100).await.unwrap()
}

async fn add(world: &World, contact: &Contact) {
    assert_eq!(world.contacts().insert(contact).await.unwrap(), Inserted::Done);
}

/// Adds a segment with the contacts that meet a condition as fixed members, a thousand in a row.
async fn freeze(world: &World, organization: Id<Organization>, condition: &str) -> Id<Segment> {
    let id = Id::new_in(now(), organization);
    world
        .sql(&format!(
            "INSERT INTO segments (organization_id, id, name, rules, is_dynamic, created_at, \
                contact_count) VALUES ('{organization}', '{id}', 'some', '{{}}', false, now(), 0); \
             INSERT INTO segment_members \
                (organization_id, segment_id, last_contact_id, contact_ids) \
             SELECT '{organization}', '{id}', max(id::text)::uuid, array_agg(id ORDER BY id) \
             FROM (SELECT id, (row_number() OVER (ORDER BY id) - 1) / 1000 AS part \
                FROM contacts WHERE organization_id = '{organization}' AND {condition}) AS member \
             GROUP BY part"
        ))
        .await;
    id
}

fn tagged(tag: &str) -> ContactFilter {
    ContactFilter { tag: Some(tag.into()), ..ContactFilter::default() }
}

fn found(part: &ContactPart) -> Vec<Uuid> {
    part.contacts.iter().map(|contact| contact.id.uuid()).collect()
}

async fn newest(world: &World, organization: Id<Organization>, condition: &str) -> Vec<Uuid> {
    let query = format!(
        "SELECT id FROM contacts WHERE organization_id = '{organization}' AND {condition} \
         ORDER BY id DESC LIMIT 100"
    );
    ids(world, &query).await
}

#[tokio::test]
async fn rare_contacts_are_found_among_many_by_an_index() {
    let world = World::new().await;
    let (own, other) = (world.organization().await.id, world.organization().await.id);
    for organization in [own, other] {
        fill(&world, organization, 1, 3, "Zwennes").await;
        fill(&world, organization, 4, 6_000, "Ama").await;
    }
    let rare = "first_name = 'zwennes'";
    world
        .sql(&format!(
            "UPDATE contacts SET tags = '{{VIP}}', tags_folded = '{{vip}}', \
                phone = CASE organization_id WHEN '{own}' \
                    THEN '+23324' || substr(id::text, 10, 4) END \
             WHERE {rare} AND organization_id IN ('{own}', '{other}'); \
             INSERT INTO suppressions (id, organization_id, phone, created_at) \
             SELECT id, organization_id, phone, now() FROM contacts \
             WHERE organization_id = '{own}' AND phone IS NOT NULL"
        ))
        .await;
    let expected = newest(&world, own, rare).await;

    let by_text = ContactFilter { search: Some("zwenn".into()), ..ContactFilter::default() };
    let suppressed = ContactFilter { suppressed: Some(true), ..ContactFilter::default() };
    for filter in [tagged("vip"), by_text, suppressed] {
        let part = part(&world, own, &filter, None).await;
        assert_eq!((found(&part), part.next), (expected.clone(), None), "{filter:?}");
    }
    let both = ContactFilter { suppressed: Some(false), ..tagged("vip") };
    assert!(part(&world, own, &both, None).await.contacts.is_empty());
    let page = world.contacts().page(own, &tagged("vip"), page(2, 2)).await.unwrap();
    let shown: Vec<_> = page.items.iter().map(|contact| contact.id.uuid()).collect();
    assert_eq!(shown, expected[2..]);
    assert_eq!((page.total, page.is_lower_bound), (3, false));
}

#[tokio::test]
async fn a_part_reads_few_contacts_whatever_the_statistics_say() {
    let world = World::alone().await;
    world.sql("ANALYZE").await;
    let organization = world.organization().await.id;
    fill(&world, organization, 1, 3, "Zwennes").await;
    fill(&world, organization, 4, if is_long() { 40_000 } else { 16_000 }, "Ama").await;
    let rare = format!("organization_id = '{organization}' AND first_name = 'zwennes'");
    world.sql(&format!("UPDATE contacts SET tags_folded = '{{vip}}' WHERE {rare}")).await;
    let segment = freeze(&world, organization, "first_name = 'zwennes'").await;
    let store = PgStore::connect(&world.url, 1).unwrap();
    let members = ContactFilter { segment: Some(segment), ..ContactFilter::default() };

    // The newest 5,000 are looked at, and counted to find the last of them.
    for (filter, expected, most) in
        [(tagged("vip"), 3, 11_000), (ContactFilter::default(), 100, 500), (members, 3, 500)]
    {
        let before = read_of(&world, &store, "contacts").await;
        let repository: &dyn ContactRepository = &store;
        let part = repository.older(organization, &filter, None, 100).await.unwrap();
        let read = read_of(&world, &store, "contacts").await - before;
        assert_eq!(part.contacts.len(), expected, "{filter:?}");
        assert!(read < most, "{read} contacts were read for {filter:?}");
    }
}

#[tokio::test]
async fn a_part_by_a_campaign_reads_the_messages_of_few_contacts() {
    let world = World::alone().await;
    let organization = world.organization().await.id;
    fill(&world, organization, 1, 20_000, "Ama").await;
    let segment: Id<Segment> = Id::new_in(now(), organization);
    let campaign = CampaignId::new_in(now(), organization);
    let rules = json!({"campaign": {"id": campaign.to_string(), "outcome": ["SENT", "SKIPPED"]}});
    world
        .sql(&format!(
            "INSERT INTO segments (organization_id, id, name, rules, is_dynamic, created_at, \
                contact_count) VALUES ('{organization}', '{segment}', 'some', '{rules}', true, now(), 0); \
             INSERT INTO delivery_logs (id, organization_id, channel, status, recipient, \
                country_code, category, priority, body, segments, cost_micros, is_sandbox, \
                is_confidential, created_at, sent_at, campaign_id, contact_id) \
             SELECT uuid_v7_in(now(), '{organization}'), '{organization}', 'SMS', 'SENT', \
                '+233241234567', 'GH', 'MARKETING', 2, 'B', 1, 0, false, false, now(), now(), \
                '{campaign}', id FROM contacts; \
             ANALYZE"
        ))
        .await;
    let store = PgStore::connect(&world.url, 1).unwrap();
    let repository: &dyn ContactRepository = &store;
    let filter = ContactFilter { segment: Some(segment), ..ContactFilter::default() };
    let month = "SELECT 'delivery_logs_' || to_char(now() AT TIME ZONE 'UTC', 'YYYY_MM')";
    let log: String = world.client().await.query_one(month, &[]).await.unwrap().get(0);
    let before = read_of(&world, &store, &log).await;

    let part = repository.older(organization, &filter, None, 100).await.unwrap();

    let read = read_of(&world, &store, &log).await - before;
    assert_eq!((part.contacts.len(), part.next.is_some()), (100, true));
    assert!((100..2_000).contains(&read), "{read} messages were read");
}

#[tokio::test]
async fn frequent_contacts_are_read_newest_first_in_parts() {
    let world = World::new().await;
    let organization = world.organization().await.id;
    fill(&world, organization, 1, 6_000, "Ama").await;
    let own = format!("organization_id = '{organization}'");
    world
        .sql(&format!(
            "UPDATE contacts SET tags_folded = '{{even}}' \
             WHERE {own} AND get_byte(uuid_send(id), 5) % 2 = 0"
        ))
        .await;

    let first = part(&world, organization, &tagged("even"), None).await;
    let second = part(&world, organization, &tagged("even"), first.next).await;

    let expected = newest(&world, organization, "tags_folded = '{even}'").await;
    assert_eq!(found(&first), expected);
    let below = format!("tags_folded = '{{even}}' AND id < '{}'", expected[99]);
    assert_eq!(found(&second), newest(&world, organization, &below).await);
    let page = world.contacts().page(organization, &tagged("even"), page(1, 100)).await.unwrap();
    assert_eq!((page.total, page.is_lower_bound), (1_000, true));
}

#[tokio::test]
async fn a_part_of_a_list_without_an_index_leads_to_the_next_one() {
    let world = World::new().await;
    let organization = world.organization().await.id;
    fill(&world, organization, 1, 1, "Zwennes").await;
    fill(&world, organization, 2, 100_010, "Ama").await;
    let own = format!("organization_id = '{organization}'");
    let consent = "UPDATE contacts SET consent_at = now(), consent_source = 'Form'";
    world.sql(&format!("{consent} WHERE {own} AND first_name = 'zwennes'")).await;
    let filter = ContactFilter { is_consented: Some(true), ..ContactFilter::default() };

    let first = part(&world, organization, &filter, None).await;
    let second = part(&world, organization, &filter, first.next).await;

    assert!(first.contacts.is_empty() && first.next.is_some(), "{first:?}");
    let expected = newest(&world, organization, "first_name = 'zwennes'").await;
    assert_eq!((found(&second), second.next), (expected, None));
}

#[tokio::test]
async fn fixed_members_are_read_newest_first_in_parts() {
    let world = World::new().await;
    let (organization, other) = (world.organization().await.id, world.organization().await.id);
    fill(&world, organization, 1, 4_000, "Ama").await;
    let segment = freeze(&world, organization, "get_byte(uuid_send(id), 5) % 3 = 0").await;
    let own = format!("organization_id = '{organization}'");
    let gone = "get_byte(uuid_send(id), 5) = 9";
    world.sql(&format!("DELETE FROM contacts WHERE {own} AND {gone}")).await;
    let filter = ContactFilter { segment: Some(segment), ..ContactFilter::default() };

    let (mut seen, mut before) = (Vec::new(), None);
    loop {
        let part = part(&world, organization, &filter, before).await;
        seen.extend(found(&part));
        before = part.next;
        if before.is_none() {
            break;
        }
    }

    let members =
        format!("SELECT id FROM contacts WHERE {own} AND get_byte(uuid_send(id), 5) % 3 = 0");
    assert_eq!(seen, ids(&world, &format!("{members} ORDER BY id DESC")).await);
    assert!(seen.len() > 1_200, "{}", seen.len());
    assert!(world.contacts().has_segment(organization, segment).await.unwrap());
    assert!(!world.contacts().has_segment(other, segment).await.unwrap());
    let foreign = part(&world, other, &filter, None).await;
    assert_eq!((foreign.contacts, foreign.next), (Vec::new(), None));
}

#[tokio::test]
async fn contacts_come_with_their_suppressions_and_last_messages() {
    let world = World::new().await;
    let (organization, other) = (world.organization().await.id, world.organization().await.id);
    let ama = ContactRequest {
        phone: Some("0241234567".into()),
        email: Some("ama@example.com".into()),
        ..ContactRequest::default()
    };
    let ama = ama.contact(organization, now()).unwrap();
    let (kofi, esi) = (with_phone(organization, "0200000001"), named(organization, "Esi"));
    for contact in [&ama, &kofi, &esi] {
        add(&world, contact).await;
    }
    let at = |days: i64| now() - TimeDelta::days(days);
    for (owner, recipient, status, days) in [
        (organization, "+233241234567", "SENT", 3),
        (organization, "ama@example.com", "DELIVERED", 2),
        (other, "+233241234567", "SENT", 1),
        (organization, "+233200000001", "SENT", 100),
    ] {
        send(&world, owner, recipient, status, at(days)).await;
    }
    world
        .sql(&format!(
            "INSERT INTO suppressions (id, organization_id, phone, email, created_at) VALUES \
                (gen_random_uuid(), '{organization}', NULL, 'Ama@example.com', now()), \
                (gen_random_uuid(), '{other}', '+233200000001', NULL, now())"
        ))
        .await;

    let contacts = vec![ama.clone(), kofi, esi];
    let details = world.contacts().details(organization, contacts, at(93)).await.unwrap();

    let entries: Vec<_> = details.iter().map(|it| it.suppressions.len()).collect();
    assert_eq!(entries, [1, 0, 0]);
    let last = details[0].last_message.as_ref().unwrap();
    assert_eq!((last.status, last.recipient.as_str()), (Status::Delivered, "ama@example.com"));
    assert_eq!((&details[1].last_message, &details[2].last_message), (&None, &None));
    assert_eq!(details[0].updated_at, ama.created_at);
}

/// Adds a message to the log.
async fn send(
    world: &World,
    organization: Id<Organization>,
    recipient: &str,
    status: &str,
    at: DateTime<Utc>,
) {
    let id: Id<Contact> = Id::new_in(at, organization);
    let delivered_at = if status == "DELIVERED" { format!("'{at}'") } else { "NULL".into() };
    world
        .sql(&format!(
            "INSERT INTO delivery_logs (id, organization_id, channel, recipient, country_code, \
                category, priority, body, segments, cost_micros, is_sandbox, is_confidential, \
                created_at, status, sent_at, delivered_at) \
             VALUES ('{id}', '{organization}', 'SMS', '{recipient}', 'GH', 'TRANSACTIONAL', 2, \
                'B', 1, 35000, false, false, '{at}', '{status}', '{at}', {delivered_at})"
        ))
        .await;
}

#[tokio::test]
async fn a_change_moves_the_time_of_writing() {
    let world = World::new().await;
    let organization = world.organization().await.id;
    let contact = named(organization, "Ama");
    add(&world, &contact).await;
    let written_at = async || {
        let found = world.contacts().written_at(organization, &[contact.id]).await.unwrap();
        found[&contact.id]
    };

    let before = written_at().await;
    let last_name = Change::Set(Some("Mensah".to_owned()));
    let update = ContactUpdate { last_name, ..ContactUpdate::default() };
    let updated = world.contacts().update(organization, contact.id, &update).await.unwrap();

    assert!(matches!(updated, Updated::Done(_)), "{updated:?}");
    assert_eq!(before, contact.created_at);
    assert!(written_at().await > before);
}
