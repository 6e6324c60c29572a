//! Headers of common exports.

use super::*;

fn header(kind: ImportKind, labels: &[&str], mapping: &[(&str, Option<&str>)]) -> Vec<String> {
    understood(kind, &texts(labels), &mapping_of(mapping)).unwrap()
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn mapping_of(mapping: &[(&str, Option<&str>)]) -> Mapping {
    let entries = mapping.iter();
    Mapping(entries.map(|(label, it)| ((*label).to_owned(), it.map(str::to_owned))).collect())
}

#[test]
fn a_field_matches_the_words_of_common_exports() {
    for (field, labels) in [
        (
            "phone",
            &[
                "phone",
                "Phone Number",
                "Mobile",
                "Mobile No.",
                "Tel",
                "TEL:",
                "Telephone",
                "MSISDN",
                "Phone No.",
                "phone_number",
                "Contact",
                "Cell",
                "WhatsApp",
                "WhatsApp phone",
                "Cell No.",
                "MoMo",
                "Phone 1 - Value",
            ][..],
        ),
        ("email", &["E-Mail", "Email Address", "Mail", "E-mail 1 - Value", "EMAIL ID"]),
        ("firstName", &["first_name", "Given Name", "Forename"]),
        ("lastName", &["Last Name", "SURNAME", "family-name"]),
        ("name", &["Name", "Full Name", "Customer name"]),
    ] {
        for label in labels {
            assert_eq!(header(ImportKind::Contacts, &[label], &[]), [field], "{label}");
        }
    }
    let file = ["Customer Name", "Mobile No.", "Home Town", "", "Phone model"];
    let expected = ["name", "phone", "Home Town", "", "Phone model"];
    assert_eq!(header(ImportKind::Contacts, &file, &[]), expected);
}

#[test]
fn one_of_several_matching_columns_wins_a_field() {
    for (labels, expected) in [
        (&["Home Phone", "Mobile Phone"][..], &["attributes.Home Phone", "phone"][..]),
        (&["WhatsApp", "phone"], &["attributes.WhatsApp", "phone"]),
        (&["phone", "Phone"], &["phone", "phone"]),
        (&["Name", "Surname"], &["firstName", "lastName"]),
        (&["Name", "Given Name", "Family Name"], &["attributes.Name", "firstName", "lastName"]),
        (&["Full Name", "Display Name"], &["name", "attributes.Display Name"]),
    ] {
        assert_eq!(header(ImportKind::Contacts, labels, &[]), expected, "{labels:?}");
    }
    let twice = ["Tel", "Mobile", "Note"];
    let expected = ["phone", "phone", "Note"];
    assert_eq!(header(ImportKind::Suppressions, &twice, &[]), expected);
}

#[test]
fn a_mapping_takes_precedence_over_headers() {
    let labels = ["Mobile", "WhatsApp", "ID", "Town"];
    let mapping = [
        ("WhatsApp", Some("phone")),
        ("ID", None),
        ("Mobile", Some("attributes.Second number")),
        ("Town", Some("lastName")),
    ];
    let expected = ["attributes.Second number", "phone", "", "lastName"];
    assert_eq!(header(ImportKind::Contacts, &labels, &mapping), expected);
    let mapping = [("WhatsApp", Some("phone"))];
    let expected = ["attributes.Mobile", "phone", "ID", "Town"];
    assert_eq!(header(ImportKind::Contacts, &labels, &mapping), expected);

    let wrong = mapping_of(&[("Tel", Some("phone")), ("Town", Some("Phone number")), ("ID", None)]);
    let faults = understood(ImportKind::Contacts, &texts(&labels), &wrong).unwrap_err();
    assert_eq!(faults.fields.keys().collect::<Vec<_>>(), ["mapping.Tel", "mapping.Town"]);
}
