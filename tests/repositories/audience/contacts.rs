//! Contacts.

use domain::{
    audience::contact::{ConsentRequest, Contact, ContactFilter, ContactRequest, ContactUpdate},
    identity::organization::Organization,
    shared::{
        address::Address,
        id::Id,
        page::{Page, Paged},
    },
};
use ports::audience::contacts::{
    ContactRepository, DeviceTokens, Inserted, TakenAddress, UniqueField, Updated,
};
use uuid::Uuid;

use crate::{World, now};

mod erasure;
mod lists;

impl World {
    fn contacts(&self) -> &dyn ContactRepository {
        &self.store
    }

    /// A page of the contacts in which `text` is found.
    async fn search(
        &self,
        organization: Id<Organization>,
        text: &str,
        page: Page,
    ) -> Paged<Contact> {
        let filter = ContactFilter { search: Some(text.into()), ..ContactFilter::default() };
        self.contacts().page(organization, &filter, page).await.unwrap()
    }
}

fn named(organization: Id<Organization>, first_name: &str) -> Contact {
    let first_name = Some(first_name.to_owned());
    let request = ContactRequest { first_name, ..ContactRequest::default() };
    request.contact(organization, now()).unwrap()
}

fn with_phone(organization: Id<Organization>, phone: &str) -> Contact {
    let phone = Some(phone.to_owned());
    ContactRequest { phone, ..ContactRequest::default() }.contact(organization, now()).unwrap()
}

fn page(number: i64, limit: i64) -> Page {
    Page::new(Some(number), Some(limit)).unwrap()
}

/// Adds contacts numbered `from` to `to`, each created after the one before, with that first name.
async fn fill(world: &World, organization: Id<Organization>, from: u32, to: u32, name: &str) {
    let (organization, name) = (organization.to_string(), name.to_lowercase());
    let statement = format!(
        "INSERT INTO contacts (id, organization_id, first_name, search_text, created_at) \
         SELECT (lpad(to_hex(1900000000000 + number), 12, '0') || '700080000000000' \
                || lpad('', 2, '0') || right('{organization}', 3))::uuid, \
            '{organization}', '{name}', '{name}', now() FROM generate_series({from}, {to}) AS number"
    );
    world.sql(&statement).await;
}

async fn ids(world: &World, query: &str) -> Vec<Uuid> {
    let rows = world.client().await.query(query, &[]).await.unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

#[tokio::test]
async fn a_contact_is_read_as_it_was_written() {
    let world = World::new().await;
    let organization = world.organization().await.id;
    let contact = ContactRequest {
        first_name: Some("Ama".into()),
        last_name: Some("Mensah".into()),
        phone: Some("0241234567".into()),
        email: Some("Ama@example.com".into()),
        fcm_token: Some("token".into()),
        country: "NG".parse().ok(),
        tags: vec!["VIP".into(), "Ɛdan".into()],
        attributes: [("City".to_owned(), "Kumasi\nAshanti".to_owned())].into(),
        consent: Some(ConsentRequest { at: Some(now()), source: Some("Till at Osu".into()) }),
    };
    let contact = ContactRequest { phone: Some("+233241234567".into()), ..contact };
    let contact = contact.contact(organization, now()).unwrap();

    assert_eq!(world.contacts().insert(&contact).await.unwrap(), Inserted::Done);

    let found = world.contacts().find(organization, contact.id).await.unwrap();
    assert_eq!(found.as_ref(), Some(&contact));
    let other = world.organization().await.id;
    assert_eq!(world.contacts().find(other, contact.id).await.unwrap(), None);
    let folded = format!(
        "SELECT id FROM contacts WHERE organization_id = '{organization}' \
            AND first_name_folded = 'ama' AND last_name_folded = 'mensah' \
            AND tags_folded = '{{vip,ɛdan}}' AND attributes_folded ->> 'City' = E'kumasi\\nashanti' \
            AND search_text = E'ama mensah\\n+233241234567\\nama@example.com'"
    );
    assert_eq!(ids(&world, &folded).await, [contact.id.uuid()]);
}

#[tokio::test]
async fn concurrent_inserts_of_one_number_create_one_contact() {
    let world = World::new().await;
    let organization = world.organization().await.id;
    let contacts: Vec<_> = (0..4).map(|_| with_phone(organization, "0241234567")).collect();

    let inserted = futures_util::future::join_all(
        contacts.iter().map(|contact| world.contacts().insert(contact)),
    );
    let inserted: Vec<_> = inserted.await.into_iter().map(Result::unwrap).collect();

    let made = inserted.iter().position(|it| *it == Inserted::Done).unwrap();
    let taken = TakenAddress { field: UniqueField::Phone, contact: contacts[made].id };
    for (index, inserted) in inserted.iter().enumerate().filter(|(index, _)| *index != made) {
        assert_eq!(*inserted, Inserted::Taken(taken), "{index}");
    }
}

#[tokio::test]
async fn a_contact_cannot_take_the_address_of_another() {
    let world = World::new().await;
    let organization = world.organization().await.id;
    let email = |email: &str| domain::shared::change::Change::Set(Some(email.to_owned()));
    let (ama, kofi) = (named(organization, "Ama"), named(organization, "Kofi"));
    for contact in [&ama, &kofi] {
        world.contacts().insert(contact).await.unwrap();
    }
    let update = ContactUpdate { email: email("Shared@example.com"), ..ContactUpdate::default() };

    let first = world.contacts().update(organization, ama.id, &update).await.unwrap();
    let second = world.contacts().update(organization, kofi.id, &update).await.unwrap();
    let again = world.contacts().update(organization, ama.id, &update).await.unwrap();

    let ama_now =
        Contact { email: Some(Address::stored("shared@example.com".into())), ..ama.clone() };
    assert_eq!(first, Updated::Done(ama_now.clone()));
    assert_eq!(second, Updated::Taken(TakenAddress { field: UniqueField::Email, contact: ama.id }));
    assert_eq!(again, Updated::Done(ama_now));
    assert_eq!(world.contacts().find(organization, kofi.id).await.unwrap(), Some(kofi));
    let unknown = Id::new_in(now(), organization);
    let missing = world.contacts().update(organization, unknown, &update).await.unwrap();
    assert_eq!(missing, Updated::Missing);
}

#[tokio::test]
async fn concurrent_updates_of_one_contact_are_both_applied() {
    let world = World::new().await;
    let organization = world.organization().await.id;
    let contact = named(organization, "Ama");
    world.contacts().insert(&contact).await.unwrap();
    let set = |text: &str| domain::shared::change::Change::Set(Some(text.to_owned()));
    for number in 0..10 {
        let names =
            ContactUpdate { last_name: set(&number.to_string()), ..ContactUpdate::default() };
        let token =
            ContactUpdate { fcm_token: set(&number.to_string()), ..ContactUpdate::default() };
        let (names, token) = tokio::join!(
            world.contacts().update(organization, contact.id, &names),
            world.contacts().update(organization, contact.id, &token),
        );
        assert!(matches!((names.unwrap(), token.unwrap()), (Updated::Done(_), Updated::Done(_))));

        let found = world.contacts().find(organization, contact.id).await.unwrap().unwrap();
        assert_eq!(found.last_name, Some(number.to_string()));
        assert_eq!(found.fcm_token.unwrap().as_str(), number.to_string());
    }
}

#[tokio::test]
async fn a_search_matches_characters_literally_ignoring_case() {
    let world = World::new().await;
    let (organization, other) = (world.organization().await.id, world.organization().await.id);
    for name in ["100% Ama", "100 Ama", "a_b", "aXb", r"a\b", "ƐDAN"] {
        world.contacts().insert(&named(organization, name)).await.unwrap();
        world.contacts().insert(&named(other, name)).await.unwrap();
    }
    for (text, expected) in [
        ("0% a", vec!["100% Ama"]),
        ("a_B", vec!["a_b"]),
        (r"A\", vec![r"a\b"]),
        ("ɛdan", vec!["ƐDAN"]),
        ("AMA", vec!["100 Ama", "100% Ama"]),
        ("%", vec!["100% Ama"]),
        ("nobody", vec![]),
    ] {
        let found = world.search(organization, text, page(1, 100)).await;
        let mut names: Vec<_> =
            found.items.iter().filter_map(|it| it.first_name.as_deref()).collect();
        names.sort_unstable();
        assert_eq!(names, expected, "{text}");
        assert_eq!((found.total, found.is_lower_bound), (expected.len() as u64, false), "{text}");
    }
}

#[tokio::test]
async fn a_search_counts_at_most_a_thousand_contacts_exactly() {
    let world = World::new().await;
    let organization = world.organization().await.id;
    fill(&world, organization, 1, 1_000, "Ama").await;

    let exact = world.search(organization, "ama", page(10, 100)).await;
    fill(&world, organization, 1_001, 1_001, "Ama").await;
    let bounded = world.search(organization, "ama", page(10, 100)).await;
    let beyond = world.search(organization, "ama", page(11, 100)).await;

    assert_eq!((exact.items.len(), exact.total, exact.is_lower_bound), (100, 1_000, false));
    assert_eq!((bounded.items.len(), bounded.total, bounded.is_lower_bound), (100, 1_000, true));
    assert_eq!((beyond.items.len(), beyond.total, beyond.is_lower_bound), (0, 1_000, true));
}

#[tokio::test]
async fn a_search_finds_rare_texts_in_contacts_of_any_age() {
    let world = World::new().await;
    let organization = world.organization().await.id;
    fill(&world, organization, 1, 3, "Zwennes").await;
    fill(&world, organization, 4, 3_000, "Kofi").await;
    fill(&world, organization, 3_001, 9_000, "Ama").await;

    let few = world.search(organization, "WENNE", page(1, 100)).await;
    let many = world.search(organization, "kofi", page(1, 2)).await;
    let short = world.search(organization, "zw", page(1, 100)).await;

    assert_eq!((few.items.len(), few.total, few.is_lower_bound), (3, 3, false));
    assert!(few.items.is_sorted_by(|newer, older| newer.id > older.id));
    assert_eq!((many.total, many.is_lower_bound), (1_000, true));
    let newest = format!(
        "SELECT id FROM contacts WHERE organization_id = '{organization}' AND first_name = 'kofi' \
         ORDER BY id DESC LIMIT 2"
    );
    let found: Vec<_> = many.items.iter().map(|contact| contact.id.uuid()).collect();
    assert_eq!(found, ids(&world, &newest).await);
    assert_eq!((short.items.len(), short.total, short.is_lower_bound), (3, 3, false));
}

#[tokio::test]
async fn a_text_without_trigrams_is_searched_in_the_newest_contacts() {
    let world = World::new().await;
    let organization = world.organization().await.id;
    fill(&world, organization, 1, 1, "Zwennes").await;
    fill(&world, organization, 2, 100_001, "Ama").await;

    let short = world.search(organization, "zw", page(1, 100)).await;
    let long = world.search(organization, "zwe", page(1, 100)).await;

    assert_eq!((short.items.len(), short.total, short.is_lower_bound), (0, 0, true));
    assert_eq!((long.items.len(), long.total, long.is_lower_bound), (1, 1, false));
}

#[tokio::test]
async fn pages_match_the_full_list_of_contacts() {
    let world = World::new().await;
    let organization = world.organization().await.id;
    for from in (1..=16_000).step_by(4_000) {
        fill(&world, organization, from, from + 3_999, "Ama").await;
    }
    let own = format!("FROM contacts WHERE organization_id = '{organization}'");
    // A whole block and parts of others.
    world.sql(&format!("DELETE {own} AND substr(id::text, 13, 1) IN ('8', '9', 'a')")).await;
    world.sql(&format!("DELETE {own} AND id IN (SELECT id {own} ORDER BY id LIMIT 6001)")).await;
    let all = ids(&world, &format!("SELECT id {own} ORDER BY id DESC")).await;
    assert!(all.len() > 5_000, "{}", all.len());

    for number in [1, 2, 30, 49, 50, 51, 52, all.len().div_ceil(100), all.len()] {
        let part = page(i64::try_from(number).unwrap(), 100);
        let found =
            world.contacts().page(organization, &ContactFilter::default(), part).await.unwrap();
        let found_ids: Vec<_> = found.items.iter().map(|contact| contact.id.uuid()).collect();
        assert_eq!(found_ids, part.cut(all.clone()), "page {number}");
        assert_eq!((found.total, found.is_lower_bound), (all.len() as u64, false));
    }
}

#[tokio::test]
async fn counts_stay_exact_under_concurrent_inserts_and_deletes() {
    let world = World::new().await;
    let organization = world.organization().await.id;
    let work = (0..4).map(|task: u32| {
        let world = &world;
        async move {
            for round in 0..5 {
                let from = 1 + (round * 4 + task) * 1_000;
                fill(world, organization, from, from + 999, "Ama").await;
                let contact = named(organization, "Kofi");
                world.contacts().insert(&contact).await.unwrap();
                assert!(world.contacts().delete(organization, contact.id).await.unwrap());
            }
        }
    });
    futures_util::future::join_all(work).await;

    let counted = format!(
        "SELECT block.first_id FROM (SELECT *, lead(first_id) OVER (ORDER BY first_id) AS next, \
                row_number() OVER (ORDER BY first_id) AS place FROM contact_blocks \
            WHERE organization_id = '{organization}') AS block \
         WHERE contacts <> (SELECT count(*) FROM contacts WHERE organization_id = '{organization}' \
            AND (place = 1 OR id >= first_id) AND (next IS NULL OR id < next))"
    );
    assert_eq!(ids(&world, &counted).await, [] as [Uuid; 0], "blocks that count wrong");
    let blocks = format!(
        "SELECT organization_id FROM contact_blocks WHERE organization_id = '{organization}'"
    );
    assert!(ids(&world, &blocks).await.len() > 1);
    let all = world.contacts().page(organization, &ContactFilter::default(), page(1, 1)).await;
    assert_eq!(all.unwrap().total, 20_000);
}

async fn insert_token(world: &World, organization: Id<Organization>, token: &str) {
    let statement = format!(
        "INSERT INTO contacts (id, organization_id, fcm_token, created_at) \
         VALUES (gen_random_uuid(), '{organization}', '{token}', now())"
    );
    world.sql(&statement).await;
}

async fn tokens(world: &World, organization: Id<Organization>) -> Vec<Option<String>> {
    let query = "SELECT fcm_token FROM contacts WHERE organization_id = $1 ORDER BY fcm_token";
    let rows = world.client().await.query(query, &[&organization.uuid()]).await.unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

#[tokio::test]
async fn a_missing_extension_is_reported_with_the_statement_to_run() {
    let world = World::alone().await;
    world.sql("CREATE ROLE clerk").await;
    world.sql("CREATE DATABASE of_a_clerk").await;
    let (address, query) = world.url.split_once('?').unwrap();
    let (server, _) = address.rsplit_once('/').unwrap();
    let url = format!("{server}/of_a_clerk?{query}");
    acceptance::sql(&url, "GRANT ALL ON SCHEMA public TO clerk").await;
    let as_clerk = format!("{url}&options=-c%20role%3Dclerk");

    let error = adapters_postgres::migrate(&as_clerk).await.unwrap_err();
    let shown = format!("{error:?}");
    assert!(shown.contains("CREATE EXTENSION pg_trgm; CREATE EXTENSION btree_gin"), "{shown}");

    acceptance::sql(&url, "CREATE EXTENSION pg_trgm; CREATE EXTENSION btree_gin").await;
    adapters_postgres::migrate(&as_clerk).await.unwrap();
}

#[tokio::test]
async fn a_device_token_is_forgotten_in_its_organization_only() {
    let world = World::new().await;
    let (own, other) = (world.organization().await.id, world.organization().await.id);
    for token in ["gone", "gone", "kept"] {
        insert_token(&world, own, token).await;
    }
    insert_token(&world, other, "gone").await;

    let gone = Address::stored("gone".into());
    world.store.forget_device_token(own, &gone).await.unwrap();

    assert_eq!(tokens(&world, own).await, [Some("kept".into()), None, None]);
    assert_eq!(tokens(&world, other).await, [Some("gone".into())]);
}

#[tokio::test]
async fn phones_and_emails_are_unique_within_an_organization() {
    let world = World::new().await;
    let (own, other) = (world.organization().await.id, world.organization().await.id);
    let insert = async |organization, column, value| {
        let statement = format!(
            "INSERT INTO contacts (id, organization_id, {column}, created_at) \
             VALUES (gen_random_uuid(), '{organization}', '{value}', now())"
        );
        world.client().await.batch_execute(&statement).await.is_ok()
    };
    for (column, value) in [("phone", "+233241234567"), ("email", "ama@example.com")] {
        assert!(insert(own, column, value).await);
        assert!(!insert(own, column, value).await, "{column}");
        assert!(insert(other, column, value).await);
    }
    assert!(!insert(own, "phone", "0241234568").await, "not in E.164");
    assert!(!insert(own, "email", "Kofi@example.com").await, "not in lower case");
}
