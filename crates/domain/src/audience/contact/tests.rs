//! Validation, changes and search of contacts.

use super::*;

fn made(request: ContactRequest) -> Result<Contact, Faults> {
    let now = DateTime::UNIX_EPOCH;
    request.contact(Id::new(now), now)
}

fn ama() -> Contact {
    let request = ContactRequest {
        first_name: Some("Ama".into()),
        phone: Some("0241234567".into()),
        ..ContactRequest::default()
    };
    made(request).unwrap()
}

fn set<T>(value: T) -> Change<T> {
    Change::Set(Some(value))
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn paths(faults: &Faults) -> Vec<&str> {
    faults.fields.keys().map(String::as_str).collect()
}

#[test]
fn a_contact_s_addresses_have_one_form() {
    let contact = made(ContactRequest {
        first_name: Some(" Ama ".into()),
        phone: Some(" 024 123 4567".into()),
        email: Some("Ama.Mensah@Example.COM".into()),
        fcm_token: Some("d:Token".into()),
        ..ContactRequest::default()
    })
    .unwrap();

    assert_eq!(contact.first_name.as_deref(), Some("Ama"));
    assert_eq!(contact.phone.unwrap().as_str(), "+233241234567");
    assert_eq!(contact.email.unwrap().as_str(), "ama.mensah@example.com");
    assert_eq!(contact.fcm_token.unwrap().as_str(), "d:Token");
    assert_eq!(contact.country, Country::GH);
}

#[test]
fn a_number_is_read_as_dialled_in_the_contact_s_country() {
    let country = "NG".parse().ok();
    let request =
        ContactRequest { phone: Some("08031234567".into()), country, ..ContactRequest::default() };
    assert_eq!(made(request).unwrap().phone.unwrap().as_str(), "+2348031234567");
}

#[test]
fn a_fixed_line_is_a_phone_too() {
    let phone = Some("0302123456".to_owned());
    let contact = made(ContactRequest { phone, ..ContactRequest::default() }).unwrap();
    assert_eq!(contact.phone.unwrap().as_str(), "+233302123456");
}

#[test]
fn an_empty_contact_is_valid() {
    let nobody = made(ContactRequest::default()).unwrap();
    assert_eq!((nobody.first_name, nobody.phone, nobody.country), (None, None, Country::GH));

    let cleared = ContactUpdate {
        first_name: Change::Set(None),
        phone: Change::Set(None),
        ..ContactUpdate::default()
    };
    let cleared = cleared.apply(ama()).unwrap();
    assert_eq!((cleared.first_name, cleared.phone), (None, None));
}

#[test]
fn all_faults_are_reported_together() {
    let attributes =
        [("", "empty"), (" city", "Accra"), ("note", "\0"), ("long", &"x".repeat(501))];
    let attributes = attributes.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let faults = made(ContactRequest {
        first_name: Some("x".repeat(MAX_NAME + 1)),
        last_name: Some(" ".into()),
        phone: Some("12".into()),
        email: Some("nobody".into()),
        fcm_token: Some("two words".into()),
        tags: texts(&["vip", "", "a\tb"]),
        attributes: attributes.into(),
        country: None,
        consent: Some(ConsentRequest::default()),
    })
    .unwrap_err();

    assert_eq!(
        paths(&faults),
        [
            "attributes.",
            "attributes. city",
            "attributes.long",
            "attributes.note",
            "consent.at",
            "consent.source",
            "email",
            "fcmToken",
            "firstName",
            "lastName",
            "phone",
            "tags.1",
            "tags.2"
        ]
    );
}

#[test]
fn tags_and_attributes_have_a_limit() {
    let tags = |count: usize| (0..count).map(|number| format!("tag {number}")).collect::<Vec<_>>();
    let attributes = |count| tags(count).into_iter().map(|name| (name, String::new())).collect();
    let of = |count| ContactRequest {
        tags: tags(count),
        attributes: attributes(count),
        ..ContactRequest::default()
    };

    assert!(made(of(50)).is_ok());
    assert_eq!(paths(&made(of(51)).unwrap_err()), ["attributes", "tags"]);
}

#[test]
fn tags_that_differ_only_in_case_are_merged() {
    let tags = texts(&["VIP", "Ɛdan", " vip ", "ɛDAN", "vip2"]);
    let contact = made(ContactRequest { tags, ..ContactRequest::default() }).unwrap();
    assert_eq!(contact.tags, ["VIP", "Ɛdan", "vip2"]);
}

#[test]
fn an_update_keeps_unnamed_fields_and_removes_cleared_ones() {
    let mut before = ama();
    before.tags = texts(&["vip"]);
    before.attributes.insert("city".into(), "Accra".into());
    let update = ContactUpdate {
        last_name: set("Mensah".into()),
        phone: Change::Set(None),
        tags: Change::Set(None),
        ..ContactUpdate::default()
    };

    let after = update.apply(before.clone()).unwrap();

    let last_name = Some("Mensah".to_owned());
    assert_eq!(after, Contact { last_name, phone: None, tags: Vec::new(), ..before });
}

#[test]
fn a_new_country_applies_to_new_numbers_only() {
    let country = Change::Set("NG".parse().ok());
    let moved = ContactUpdate { country: country.clone(), ..ContactUpdate::default() };
    let after = moved.apply(ama()).unwrap();
    assert_eq!(after.phone.as_ref().unwrap().as_str(), "+233241234567");
    assert_eq!(after.country.as_str(), "NG");

    let phone = set("08031234567".into());
    let renumbered = ContactUpdate { phone, country, ..ContactUpdate::default() };
    let after = renumbered.apply(ama()).unwrap();
    assert_eq!(after.phone.unwrap().as_str(), "+2348031234567");

    let cleared = ContactUpdate { country: Change::Set(None), ..ContactUpdate::default() };
    assert_eq!(cleared.apply(ama()).unwrap().country, Country::GH);
}

#[test]
fn a_consent_has_a_time_that_has_passed_and_a_source() {
    let now = DateTime::UNIX_EPOCH;
    let given = |at, source: &str| ContactRequest {
        consent: Some(ConsentRequest { at: Some(at), source: Some(source.into()) }),
        ..ContactRequest::default()
    };
    let contact = made(given(now, " Till at Osu ")).unwrap();
    let consent = Some(Consent { at: now, source: "Till at Osu".into() });
    assert_eq!(contact.consent, consent);

    let late = now + chrono::TimeDelta::milliseconds(1);
    assert_eq!(paths(&made(given(late, "Form")).unwrap_err()), ["consent.at"]);
    let long = "x".repeat(MAX_CONSENT_SOURCE + 1);
    assert_eq!(paths(&made(given(late, &long)).unwrap_err()), ["consent.at", "consent.source"]);

    let unnamed = ContactUpdate::default().apply(contact.clone()).unwrap();
    assert_eq!(unnamed.consent, consent);
    let withdrawn = ContactUpdate { consent: Change::Set(None), ..ContactUpdate::default() };
    assert_eq!(withdrawn.apply(contact).unwrap().consent, None);
}
