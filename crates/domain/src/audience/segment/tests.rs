//! Matching and rejected rules, and changes of segments.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::{
    audience::contact::Consent,
    shared::{address::Address, country::Country},
};

fn time(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

fn ama() -> Contact {
    let attributes =
        [("city", "Accra"), ("points", "12"), ("vip", "true"), ("born", "1990-05-17 04:00")];
    let attributes = attributes.map(|(key, value)| (key.to_owned(), value.to_owned()));
    Contact {
        id: Id::of(uuid::Uuid::from_u128(1)),
        organization: crate::identity::organization::PLATFORM,
        first_name: Some("Ama".into()),
        last_name: None,
        phone: Some(Address::stored("+233241234567".into())),
        email: Some(Address::stored("ama@example.com".into())),
        fcm_token: None,
        country: Country::GH,
        tags: vec!["VIP".into(), "Ɛdan Kumasi".into()],
        attributes: BTreeMap::from(attributes),
        consent: None,
        created_at: time("2026-01-31T09:30:00.123456Z"),
    }
}

fn nobody() -> Contact {
    Contact {
        first_name: None,
        phone: None,
        email: None,
        tags: Vec::new(),
        attributes: BTreeMap::new(),
        ..ama()
    }
}

fn matches(rules: &Value, contact: &Contact) -> bool {
    Rules::parse(rules.clone())
        .unwrap_or_else(|faults| panic!("{rules}: {faults}"))
        .matches(contact)
}

fn faults(rules: Value) -> Vec<(String, String)> {
    let faults = Rules::parse(rules).unwrap_err();
    let fields = faults.fields.into_iter();
    fields.flat_map(|(path, all)| all.into_iter().map(move |fault| (path.clone(), fault))).collect()
}

fn assert_each_matches(rules: &[Value]) {
    for rules in rules {
        assert!(matches(rules, &ama()), "{rules}");
    }
}

fn assert_none_matches(rules: &[Value]) {
    for rules in rules {
        assert!(!matches(rules, &ama()), "{rules}");
    }
}

#[test]
fn values_match_in_any_case_and_arrays_by_any_item() {
    assert_each_matches(&[
        json!({}),
        json!({"firstName": "AMA"}),
        json!({"firstName": ["Kofi", "ama"]}),
        json!({"tags": "vip"}),
        json!({"tags": ["gold", "ɛDAN kumasi"]}),
        json!({"countryCode": "gh"}),
        json!({"email": "Ama@Example.com"}),
        json!({"email": {"in": ["kofi@example.com", "ama@example.com"]}}),
    ]);
    assert_none_matches(&[
        json!({"firstName": "Am"}),
        json!({"tags": "VI"}),
        json!({"countryCode": ["NG", "TG"]}),
        json!({"lastName": "Mensah"}),
        json!({"firstName": "Ama", "countryCode": "NG"}),
    ]);
}

#[test]
fn numbers_and_booleans_compare_as_json_writes_them() {
    assert_each_matches(&[json!({"points": 12}), json!({"points": [7, 12]}), json!({"vip": true})]);
    assert_none_matches(&[json!({"points": 12.5}), json!({"points": 1}), json!({"vip": false})]);
}

#[test]
fn operators_test_parts_beginnings_and_existence() {
    assert_each_matches(&[
        json!({"email": {"contains": "@EXAMPLE"}}),
        json!({"email": {"startsWith": "ama", "contains": ".com"}}),
        json!({"tags": {"contains": "dan"}}),
        json!({"tags": {"startsWith": "ɛ", "contains": "vi"}}),
        json!({"phone": {"exists": true}, "lastName": {"exists": false}}),
        json!({"tags": {"exists": true}}),
        json!({"createdAt": {"exists": true}}),
        json!({"countryCode": {"startsWith": "g"}}),
    ]);
    assert_none_matches(&[
        json!({"email": {"startsWith": "@example"}}),
        json!({"tags": {"exists": false}}),
        json!({"createdAt": {"exists": false}}),
        json!({"lastName": {"exists": true}}),
        json!({"lastName": {"contains": "a"}}),
    ]);
    assert!(matches(&json!({"tags": {"exists": false}}), &nobody()));
}

#[test]
fn a_missing_field_matches_only_negated_conditions() {
    for condition in [
        json!("Mensah"),
        json!(["Mensah", "Owusu"]),
        json!({"contains": "e"}),
        json!({"startsWith": "M"}),
        json!({"exists": true}),
        json!({"in": ["Mensah"]}),
    ] {
        assert_none_matches(&[json!({"lastName": condition}), json!({"none": condition})]);
        assert_each_matches(&[
            json!({"lastName": {"not": condition}}),
            json!({"not": {"lastName": condition}}),
            json!({"none": {"not": condition}}),
        ]);
    }
    assert_none_matches(&[
        json!({"tags": {"not": "vip"}}),
        json!({"none": {"before": "2026-01-01"}}),
    ]);
    assert_each_matches(&[json!({"tags": {"not": ["gold", "silver"]}})]);
    assert!(matches(&json!({"tags": {"not": "vip"}}), &nobody()));
}

#[test]
fn a_consent_is_recorded_or_not() {
    let consented = Contact {
        consent: Some(Consent { at: time("2026-01-30T08:00:00Z"), source: "Form".into() }),
        ..ama()
    };
    assert!(matches(&json!({"consent": {"exists": true}}), &consented));
    assert!(!matches(&json!({"not": {"consent": {"exists": true}}}), &consented));
    assert_none_matches(&[json!({"consent": {"exists": true}}), json!({"attributes.consent": 1})]);
    assert_each_matches(&[json!({"consent": {"exists": false}})]);
    for wrong in [json!(true), json!(["Form"]), json!({"exists": true, "contains": "Form"})] {
        assert_eq!(faults(json!({ "consent": wrong }))[0].0, "rules.consent");
    }
    assert_eq!(faults(json!({"consent": {"exists": 1}}))[0].0, "rules.consent.exists");
}

#[test]
fn a_number_is_found_as_people_write_it() {
    assert_each_matches(&[
        json!({"phone": "0241234567"}),
        json!({"phone": "+233 24 123 4567"}),
        json!({"phone": ["0201112223", "233241234567"]}),
        json!({"phone": {"startsWith": "024"}}),
        json!({"phone": {"startsWith": "00233"}}),
        json!({"phone": {"startsWith": "+23324"}}),
        json!({"phone": {"contains": "1234"}}),
    ]);
    assert_none_matches(&[json!({"phone": "1234"}), json!({"phone": {"startsWith": "020"}})]);
}

#[test]
fn a_date_covers_its_day_and_a_time_its_millisecond() {
    assert_each_matches(&[
        json!({"createdAt": "2026-01-31"}),
        json!({"createdAt": ["2025-01-01", "2026-01-31"]}),
        json!({"createdAt": "2026-01-31T09:30:00.123Z"}),
        json!({"createdAt": "2026-01-31T10:30:00.123+01:00"}),
        json!({"createdAt": {"before": "2026-02-01"}}),
        json!({"createdAt": {"after": "2026-01-30"}}),
        json!({"createdAt": {"after": "2026-01-01", "before": "2026-02-01T00:00:00Z"}}),
        json!({"createdAt": {"not": {"after": "2026-01-31"}}}),
    ]);
    assert_none_matches(&[
        json!({"createdAt": {"before": "2026-01-31"}}),
        json!({"createdAt": {"after": "2026-01-31"}}),
        json!({"createdAt": {"after": "2026-01-31T09:30:00.123Z"}}),
        json!({"createdAt": {"before": "2026-01-31T09:30:00.123Z"}}),
        json!({"createdAt": "2026-01-31T09:30:00.124Z"}),
    ]);
}

#[test]
fn compares_attributes_that_begin_with_a_date() {
    assert_each_matches(&[
        json!({"born": {"before": "1990-05-18", "after": "1990-05-16"}}),
        json!({"attributes.born": {"after": "1970-01-01"}}),
    ]);
    assert_none_matches(&[
        json!({"born": {"before": "1990-05-17"}}),
        json!({"born": {"after": "1990-05-17"}}),
        json!({"city": {"after": "0000-01-01"}}),
        json!({"none": {"before": "9999-01-01"}}),
    ]);
}

#[test]
fn rules_can_be_nested() {
    assert_each_matches(&[
        json!({"any": [{"city": "Kumasi"}, {"tags": "vip"}]}),
        json!({"all": [{"city": "Accra"}, {"not": {"tags": "gold"}}], "countryCode": "GH"}),
        json!({"not": {"any": [{"city": "Kumasi"}, {"firstName": "Kofi"}]}}),
        json!({"email": {"not": {"not": {"contains": "example"}}}}),
        json!({"attributes.city": "accra"}),
    ]);
    assert_none_matches(&[
        json!({"not": {}}),
        json!({"any": [{"city": "Kumasi"}, {"firstName": "Kofi"}]}),
        json!({"attributes.email": "ama@example.com"}),
        json!({"City": "Accra"}),
    ]);
}

#[test]
fn faults_have_the_path_of_the_rule() {
    for (rules, path, part) in [
        (json!([]), "rules", "must be an object"),
        (json!({"tags": null}), "rules.tags", "must not be null"),
        (json!({"tags": []}), "rules.tags", "must not be empty"),
        (json!({"tags": {}}), "rules.tags", "must have one of the operators"),
        (json!({"tags": {"in": "a"}}), "rules.tags.in", "must be an array"),
        (json!({"tags": ["a", ["b"]]}), "rules.tags.1", "must be a text"),
        (json!({"tags": {"like": "a"}}), "rules.tags.like", "is not an operator"),
        (
            json!({"all": [{}, {"tags": {"contains": {}}}]}),
            "rules.all.1.tags.contains",
            "must be a text",
        ),
        (json!({"all": {}}), "rules.all", "must be an array"),
        (json!({"any": []}), "rules.any", "must not be empty"),
        (json!({"any": ["a"]}), "rules.any.0", "must be an object"),
        (json!({"not": "a"}), "rules.not", "must be an object"),
        (
            json!({"city": {"not": {"contains": ""}}}),
            "rules.city.not.contains",
            "must not be empty",
        ),
        (json!({"email": {"exists": "yes"}}), "rules.email.exists", "must be true or false"),
        (json!({"countryCode": "Ghana"}), "rules.countryCode", "country code"),
        (json!({"countryCode": ["GH", "ZZ"]}), "rules.countryCode.1", "country code"),
        (json!({"createdAt": "yesterday"}), "rules.createdAt", "must be a date"),
        (json!({"createdAt": 2026}), "rules.createdAt", "must be a date"),
        (json!({"createdAt": {"after": "2026-02-30"}}), "rules.createdAt.after", "must be a date"),
        (json!({"createdAt": {"after": "2026-01-31T09:00:00"}}), "rules.createdAt.after", "offset"),
        (
            json!({"createdAt": {"contains": "2026"}}),
            "rules.createdAt.contains",
            "not an operator of",
        ),
        (json!({"born": {"after": 1990}}), "rules.born.after", "must be a date"),
        (json!({"email": {"after": "2026-01-31"}}), "rules.email.after", "of attributes only"),
        (json!({"attributes": {"city": "Accra"}}), "rules.attributes", "must name an attribute"),
        (json!({"attributes.": "Accra"}), "rules.attributes.", "must not be empty"),
        (json!({"city": "a\0b"}), "rules.city", "NUL"),
        (json!({"c\0ity": "a"}), "rules.c\0ity", "control characters"),
        (json!({"city": "a".repeat(501)}), "rules.city", "at most 500 characters"),
    ] {
        let found = faults(rules.clone());
        assert_eq!(found.len(), 1, "{rules}: {found:?}");
        assert_eq!(found[0].0, path, "{rules}");
        assert!(found[0].1.contains(part), "{rules}: {found:?}");
    }
    assert_eq!(faults(json!({"tags": null, "any": [{"email": []}, {}, {"x": {"y": 1}}]})).len(), 3);
}

#[test]
fn rules_are_bounded_in_depth_conditions_values_and_bytes() {
    let nested = |depth: usize| (0..depth).fold(json!({}), |rules, _| json!({"not": rules}));
    assert!(Rules::parse(nested(8)).is_ok());
    assert!(faults(nested(9))[0].1.contains("8 deep"));
    let nested = |depth: usize| (0..depth).fold(json!("a"), |value, _| json!({"not": value}));
    assert!(Rules::parse(json!({"city": nested(8)})).is_ok());
    assert!(faults(json!({"city": nested(9)}))[0].1.contains("8 deep"));

    let many = |count: usize| json!({"any": vec![json!({"city": "a"}); count]});
    assert!(Rules::parse(many(100)).is_ok());
    assert_eq!(faults(many(101)), [("rules".into(), "must have at most 100 conditions".into())]);

    let many = |count: usize| json!({"city": vec!["a"; count]});
    assert!(Rules::parse(many(1_000)).is_ok());
    assert_eq!(faults(many(1_001)), [("rules".into(), "must have at most 1000 values".into())]);

    let long = json!({"city": vec!["a".repeat(500); 131]});
    assert_eq!(faults(long), [("rules".into(), "must have at most 65536 bytes".into())]);
}

#[test]
fn all_faults_of_a_new_segment_are_reported_together() {
    let organization = crate::identity::organization::PLATFORM;
    let now = DateTime::UNIX_EPOCH;
    let faults = SegmentRequest::default().segment(organization, now).unwrap_err();
    assert_eq!(faults.fields.keys().collect::<Vec<_>>(), ["name", "rules"]);

    let request = SegmentRequest {
        name: Some(" ".into()),
        description: Some("a\0".into()),
        rules: Some(json!({"tags": []})),
        is_dynamic: None,
    };
    let faults = request.segment(organization, now).unwrap_err();
    assert_eq!(faults.fields.keys().collect::<Vec<_>>(), ["description", "name", "rules.tags"]);
}

#[test]
fn only_dynamic_segments_may_change_their_rules() {
    let request = SegmentRequest {
        name: Some("VIPs".into()),
        description: Some("who pays".into()),
        rules: Some(json!({"tags": "vip"})),
        is_dynamic: None,
    };
    let segment =
        request.segment(crate::identity::organization::PLATFORM, DateTime::UNIX_EPOCH).unwrap();
    let update = SegmentUpdate {
        name: Some(" Gold ".into()),
        description: Change::Set(None),
        rules: Some(json!({"tags": "gold"})),
    };
    let changed = update.clone().apply(segment.clone()).unwrap();
    assert_eq!((changed.name.as_str(), changed.description), ("Gold", None));
    assert_eq!(changed.rules.source(), &json!({"tags": "gold"}));

    let frozen = Segment { is_dynamic: false, ..segment };
    let faults = update.apply(frozen.clone()).unwrap_err();
    assert_eq!(faults.fields.keys().collect::<Vec<_>>(), ["rules"]);
    let update = SegmentUpdate { name: Some("Gold".into()), ..SegmentUpdate::default() };
    assert_eq!(update.apply(frozen).unwrap().name, "Gold");
}

#[test]
fn a_shared_name_is_reported_after_the_keys() {
    let segment = |name: &str| {
        let (name, rules) = (Some(name.to_owned()), Some(json!({"tag": "vip"})));
        let request = SegmentRequest { name, rules, ..SegmentRequest::default() };
        request.segment(crate::identity::organization::PLATFORM, DateTime::UNIX_EPOCH).unwrap()
    };
    let name = |segment: &Segment| SegmentName { id: segment.id, name: segment.name.clone() };
    let (vips, gold, shouted) = (segment("ƐVIPs"), segment("Gold"), segment("ɛvips"));

    let warnings = vips.warnings(&[name(&vips), name(&gold), name(&shouted)]);

    assert!(warnings[0].starts_with("`tag` is read as an attribute; did you mean `tags`?"));
    assert_eq!(warnings[1..], ["another segment is named `ɛvips`"]);
    assert_eq!(vips.warnings(&[name(&vips), name(&gold)]).len(), 1, "its own name is no other's");
}

/// Any JSON of limited size.
fn json_value() -> impl Strategy<Value = Value> {
    let keys = "tags|email|createdAt|countryCode|city|all|any|not|in|contains|exists|before|[a-z]?";
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-z0-9:T\\-\u{0}%]{0,12}".prop_map(Value::from),
        Just(json!("2026-01-31")),
    ];
    leaf.prop_recursive(6, 60, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(keys, inner, 0..4)
                .prop_map(|entries| entries.into_iter().collect()),
        ]
    })
}

proptest! {
    #[test]
    fn any_json_is_parsed_or_rejected_with_a_path(value in json_value()) {
        match Rules::parse(value) {
            Ok(rules) => {
                // The rule decides for every contact, and `not` decides the opposite.
                for contact in [ama(), nobody()] {
                    let negated = Rules::parse(json!({"not": rules.source()}));
                    prop_assume!(negated.is_ok());
                    prop_assert_ne!(negated.unwrap().matches(&contact), rules.matches(&contact));
                }
            }
            Err(faults) => {
                prop_assert!(faults.form.is_empty() && !faults.fields.is_empty());
                prop_assert!(faults.fields.keys().all(|path| path.starts_with("rules")));
            }
        }
    }
}
