//! Agreement of PostgreSQL and the domain on rules.

use std::collections::HashSet;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    audience::{
        contact::{Consent, Contact},
        segment::Rules,
    },
    identity::organization::Organization,
    shared::{address::Address, id::Id},
};
use ports::audience::segments::{Audience, AudienceRepository, SegmentRepository};
use proptest::{
    prelude::*,
    sample::{Index, select},
    strategy::ValueTree,
    test_runner::TestRunner,
};
use serde_json::{Map, Value, json};

use crate::World;

const CONTACTS: usize = 60;
const RULES: usize = 400;

/// Texts with a meaning in SQL, patterns or JSON, or with unusual case folding.
const TEXTS: [&str; 34] = [
    "", " ", "a", "A", "ab", "aB", "Ama", "ama ", "%", "_", "a%", "a_b", "\\", "\\a", "'", "''",
    "\"", "a\"b", "{a,b}", "NULL", "null", "$1", "?", "É", "é", "ß", "İ", "Σ", "ς", "Ɛdan", "ɛ",
    "🎉", "12", "true",
];
const DATES: [&str; 6] =
    ["2026-01-30", "2026-01-31", "2026-02-01", "2026-01-31T10:00:00Z", "2026-1-31", "2026-01-3"];
const KEYS: [&str; 5] = ["city", "City", "a b", "tags", "%"];
const FIELDS: [&str; 6] = ["tags", "email", "phone", "firstName", "lastName", "countryCode"];

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => select(&TEXTS[..]).prop_map(str::to_owned),
        1 => select(&DATES[..]).prop_map(str::to_owned),
        1 => "[a%_\\\\'É]{1,3}",
    ]
}

fn contact(organization: Id<Organization>) -> impl Strategy<Value = Contact> {
    let name = || prop::option::of(text());
    let attributes = prop::collection::btree_map(select(&KEYS[..]), text(), 0..4);
    let tags = prop::collection::vec(text(), 0..3);
    let addresses = (any::<bool>(), any::<bool>(), select(&["GH", "NG", "TG"][..]), 0..5_i64);
    (name(), name(), attributes, tags, addresses, any::<Index>()).prop_map(
        move |(first_name, last_name, attributes, tags, addresses, number)| {
            let (has_phone, has_email, country, hours) = addresses;
            let number = number.index(1_000_000);
            let midnight: DateTime<Utc> = "2026-01-31T00:00:00Z".parse().unwrap();
            let created_at = midnight + TimeDelta::hours(hours * 12 - 24);
            let attributes = attributes.into_iter().map(|(key, text)| (key.to_owned(), text));
            Contact {
                id: Id::new_in(created_at, organization),
                organization,
                first_name,
                last_name,
                phone: has_phone.then(|| Address::stored(format!("+23324{number:07}"))),
                email: has_email.then(|| Address::stored(format!("ama{number}_%@example.com"))),
                fcm_token: None,
                country: country.parse().unwrap(),
                tags,
                attributes: attributes.collect(),
                consent: (hours % 2 == 0)
                    .then(|| Consent { at: midnight, source: "Till at Osu".into() }),
                created_at,
            }
        },
    )
}

/// Contacts of an organization, in which an address has one contact.
fn distinct_contacts(organization: Id<Organization>) -> impl Strategy<Value = Vec<Contact>> {
    let made = prop::collection::vec(contact(organization), CONTACTS);
    made.prop_filter("an address of two contacts", |made| {
        let mut taken = HashSet::new();
        let addresses = made.iter().flat_map(|it| [&it.phone, &it.email]).flatten();
        addresses.map(Address::as_str).all(|address| taken.insert(address))
    })
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        8 => text().prop_map(Value::from),
        1 => Just(json!(12)),
        1 => Just(json!(true)),
        1 => Just(json!("0241")),
    ]
}

/// A value, an array or operators, for any field but the time.
fn condition() -> impl Strategy<Value = Value> {
    let some = || prop::collection::vec(scalar(), 1..4).prop_map(Value::from);
    let operators = prop_oneof![
        Just(json!({"exists": true})),
        Just(json!({"exists": false})),
        scalar().prop_map(|value| json!({ "contains": value })),
        scalar().prop_map(|value| json!({ "startsWith": value })),
        some().prop_map(|values| json!({ "in": values })),
        (scalar(), scalar()).prop_map(|(a, b)| json!({ "contains": a, "not": b })),
        some().prop_map(|values| json!({ "not": values })),
        select(&DATES[..]).prop_map(|date| json!({ "before": date })),
        select(&DATES[..]).prop_map(|date| json!({ "after": date })),
    ];
    let leaf = prop_oneof![scalar(), some(), operators.clone(), operators];
    leaf.prop_recursive(2, 4, 1, |inner| inner.prop_map(|inner| json!({ "not": inner })))
}

fn rule() -> impl Strategy<Value = Value> {
    let keys: Vec<_> = FIELDS.into_iter().chain(KEYS).chain(["attributes.city"]).collect();
    let country = select(&["gh", "NG", "TG"][..]);
    let created = (select(&["before", "after", "in"][..]), select(&DATES[..4]));
    let leaf = prop_oneof![
        6 => (select(keys), condition()).prop_map(|(key, value)| json!({ key: value })),
        1 => country.prop_map(|country| json!({ "countryCode": country })),
        1 => any::<bool>().prop_map(|exists| json!({ "consent": { "exists": exists } })),
        1 => created.prop_map(|(operator, date)| match operator {
            "in" => json!({ "createdAt": [date] }),
            operator => json!({ "createdAt": { operator: date } }),
        }),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let some = prop::collection::vec(inner.clone(), 1..4);
        prop_oneof![
            some.clone().prop_map(|rules| json!({ "all": rules })),
            some.clone().prop_map(|rules| json!({ "any": rules })),
            inner.prop_map(|rules| json!({ "not": rules })),
            some.prop_map(|rules| {
                let parts = rules.into_iter().filter_map(|rules| rules.as_object().cloned());
                Value::Object(parts.flatten().collect::<Map<_, _>>())
            }),
        ]
    })
}

#[tokio::test]
async fn the_database_and_the_domain_match_the_same_contacts() {
    let world = World::new().await;
    let (own, other) = (world.organization().await.id, world.organization().await.id);
    let mut runner = TestRunner::default();
    let mut contacts = Vec::new();
    for organization in [own, other] {
        let mut made = distinct_contacts(organization).new_tree(&mut runner).unwrap().current();
        made.sort_by_key(|contact| contact.id);
        for contact in &made {
            world.keep(contact).await;
        }
        contacts.push(made);
    }
    let segments = world.segments();
    let walk: &dyn AudienceRepository = &world.store;
    let (mut read, mut some) = (0, 0);
    while read < RULES {
        let source = rule().new_tree(&mut runner).unwrap().current();
        let Ok(rules) = Rules::parse(source.clone()) else { continue };
        read += 1;
        let fitting: Vec<_> = contacts[0].iter().filter(|it| rules.matches(it)).collect();
        some += usize::from(!fitting.is_empty() && fitting.len() < CONTACTS);

        let preview = segments.preview(own, &rules).await.unwrap();
        assert_eq!(preview.count, fitting.len() as u64, "{source} of {:#?}", contacts[0]);
        let newest: Vec<_> = fitting.iter().rev().take(10).copied().cloned().collect();
        assert_eq!(preview.sample, newest, "{source}");
        let audience = Audience::Rules(&rules);
        let walked = walk.members_after(own, audience, None, 100).await.unwrap();
        assert!(walked.iter().eq(fitting), "{source}");
    }
    assert!(some > RULES / 4, "only {some} of the rules tell contacts apart");
}

#[tokio::test]
async fn counting_segments_together_equals_counting_each() {
    let world = World::new().await;
    let own = world.organization().await.id;
    let mut runner = TestRunner::default();
    let made = distinct_contacts(own).new_tree(&mut runner).unwrap().current();
    for contact in &made {
        world.keep(contact).await;
    }
    let segments = world.segments();
    let mut expected = Vec::new();
    while expected.len() < 30 {
        let source = rule().new_tree(&mut runner).unwrap().current();
        let Ok(rules) = Rules::parse(source.clone()) else { continue };
        let is_dynamic = expected.len() % 3 > 0;
        let counted = super::insert(&segments, &super::segment(own, source, is_dynamic)).await;
        let fitting = made.iter().filter(|contact| rules.matches(contact)).count() as u64;
        assert_eq!(counted.contacts, fitting);
        expected.push(fitting);
    }
    let mut counts = super::counts(&segments, own).await;
    counts.sort_unstable();
    expected.sort_unstable();
    assert_eq!(counts, expected);
}
