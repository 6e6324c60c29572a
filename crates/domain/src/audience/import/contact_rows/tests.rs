//! Rows of contacts as spreadsheets write them, and their changes.

use proptest::{collection::vec, option, prelude::*};

use super::*;
use crate::{
    audience::import::{Delimiter, Encoding, Mapping, headers},
    shared::country::Country,
};

const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;

fn rows(text: &str) -> Vec<Row<ContactRow>> {
    let (header, body) = text.split_once('\n').unwrap();
    let labels: Vec<_> = header.split(',').map(str::to_owned).collect();
    let header = headers::understood(ImportKind::Contacts, &labels, &Mapping::default()).unwrap();
    let layout = Layout { delimiter: Delimiter::Comma, encoding: Encoding::Utf8, header, labels };
    let table = ContactTable::new(layout).unwrap();
    let chunk = Chunk { number: 0, first_row: 2, rows: 0, bytes: body.as_bytes().to_vec() };
    table.rows(&chunk, Id::new(NOW), NOW)
}

fn taken(text: &str) -> Contact {
    let [row] = rows(text).try_into().unwrap();
    row.content.unwrap().contact
}

fn errors(text: &str) -> Vec<(u32, Option<String>, String)> {
    let errors = rows(text).into_iter().filter_map(|row| row.content.err());
    errors.map(|error| (error.row, error.column, error.reason)).collect()
}

fn contact(phone: Option<&str>, email: Option<&str>) -> Contact {
    let text = |text: Option<&str>| text.map(str::to_owned);
    let request =
        ContactRequest { phone: text(phone), email: text(email), ..ContactRequest::default() };
    request.contact(Id::new(NOW), NOW).unwrap()
}

#[test]
fn a_row_is_read_like_a_request_for_a_contact() {
    let text = "First Name,last_name,phone,email,countryCode,tags,Town\n \
                Ama ,Mensah,0803 123 4567,Ama@Example.com,ng, VIP ;Accra|,Ho\n";
    let contact = taken(text);
    let address = |address: &Option<Address>| address.as_ref().unwrap().as_str().to_owned();
    assert_eq!(
        (contact.first_name.as_deref(), contact.last_name.as_deref()),
        (Some("Ama"), Some("Mensah"))
    );
    assert_eq!(address(&contact.phone), "+2348031234567");
    assert_eq!(address(&contact.email), "ama@example.com");
    assert_eq!(
        (contact.country.as_str(), contact.tags),
        ("NG", vec!["VIP".to_owned(), "Accra".to_owned()])
    );
    assert_eq!(contact.attributes, [("Town".to_owned(), "Ho".to_owned())].into());
}

#[test]
fn reverts_the_changes_of_spreadsheets_to_numbers() {
    for typed in [
        "0244123456",
        "244123456",
        "'0244123456",
        "233244123456.0",
        "244123456.00",
        "+233 24 412 3456",
        "00233244123456",
        "=\"0244123456\"",
        "\"=\"\"0244123456\"\"\"",
    ] {
        let phone = taken(&format!("phone\n{typed}\n")).phone.unwrap();
        assert_eq!(phone.as_str(), "+233244123456", "{typed}");
    }
    for typed in ["2.33244E+11", "\"2,33244E+11\"", "2E+11", "2.33e11", "'2.33244E+11"] {
        let reported = errors(&format!("phone\n{typed}\n"));
        assert_eq!(reported[0].1.as_deref(), Some("phone"), "{typed}");
        assert!(reported[0].2.contains("rounded by the spreadsheet"), "{typed}: {}", reported[0].2);
    }
    for typed in ["23324412345.5", "24412345", "0244123456 / 0201234567", "######", "n/a"] {
        assert_eq!(errors(&format!("phone\n{typed}\n"))[0].1.as_deref(), Some("phone"), "{typed}");
    }
}

#[test]
fn reports_faults_with_row_number_and_column() {
    let text = "Tel.,Phone,E-Mail,Country,country code,\n\
                a,12,nobody,,,\n\
                ,,, ,,\n\
                a,,,,GH,\n\
                a,0244123456,,,Ghana,\n\
                ,0244123456,,,,,x\n\
                ,0244123456,,,,x\n\
                ,0244123456,,,,\n";
    let reported = errors(text);
    let places: Vec<_> =
        reported.iter().map(|(row, column, _)| (*row, column.as_deref())).collect();
    let expected =
        [(2, Some("Phone")), (3, None), (4, None), (5, Some("country code")), (6, None), (7, None)];
    assert_eq!(places, expected, "{reported:#?}");
    assert!(reported[0].2.contains("; E-Mail is not a valid email address"), "{}", reported[0].2);
    assert_eq!(reported[1].2, "has nothing in it");
    assert!(reported[2].2.contains("phone or an email"), "{}", reported[2].2);
    assert_eq!(reported[4].2, "has more cells than the header");
}

#[test]
fn skips_and_reports_invalid_cells_if_an_address_remains() {
    let long = "x".repeat(501);
    let text = format!(
        "Phone,E-Mail,First Name,country code,Town\n\
         0244123456,nobody,Ama,,Ho\n\
         n/a,ama@example.com,{long},,{long}\n\
         +233244123457,,Esi,Ghana,\n\
         0244123458,esi@example.com,,Ghana,\n\
         0244123459,,,,Ho\n"
    );
    let rows = rows(&text);
    let remarks: Vec<_> = rows.iter().filter_map(|row| row.remark.clone()).collect();
    let places: Vec<_> = remarks.iter().map(|it| (it.row, it.column.as_deref())).collect();
    let expected = [
        (2, Some("E-Mail")),
        (3, Some("Phone")),
        (4, Some("country code")),
        (5, Some("country code")),
    ];
    assert_eq!(places, expected, "{remarks:#?}");
    assert_eq!(remarks[0].reason, "is not a valid email address; the rest of the row was taken");
    assert!(remarks[1].reason.contains("Town must have at most 500"), "{}", remarks[1].reason);
    assert!(remarks[3].reason.contains("leaves the phone without a country"));
    let taken: Vec<Contact> = rows.iter().map(|row| row.content.clone().unwrap().contact).collect();
    let has = |contact: &Contact| (contact.phone.is_some(), contact.email.is_some());
    let expected = [(true, false), (false, true), (true, false), (false, true), (true, false)];
    assert_eq!(taken.iter().map(has).collect::<Vec<_>>(), expected);
    assert_eq!((&taken[1].first_name, taken[1].attributes.len()), (&None, 0));

    let plan = ContactPlan::of(rows, Vec::new());
    assert_eq!((plan.created, plan.errors.len(), plan.remarks.len()), (5, 0, 4));
}

#[test]
fn ignores_rows_of_separators() {
    let numbers: Vec<_> = rows("phone,Town\n,\n0244123456,\n , \n\"\",\n0244123457,\n")
        .iter()
        .map(|row| row.number)
        .collect();
    assert_eq!(numbers, [3, 6]);
}

#[test]
fn splits_a_full_name_at_its_last_word_or_comma() {
    for (cell, first, last) in [
        ("Ama Serwaa Mensah", Some("Ama Serwaa"), Some("Mensah")),
        ("\"Mensah, Ama Serwaa\"", Some("Ama Serwaa"), Some("Mensah")),
        ("Ama", Some("Ama"), None),
        ("\"Mensah,\"", None, Some("Mensah")),
    ] {
        let contact = taken(&format!("Full Name,Mobile No.\n{cell},0244123456\n"));
        let names = (contact.first_name.as_deref(), contact.last_name.as_deref());
        assert_eq!(names, (first, last), "{cell}");
    }
}

#[test]
fn empty_cells_change_nothing_and_tags_replace() {
    let mut known = contact(Some("0244123456"), Some("ama@example.com"));
    known.first_name = Some("Ama".into());
    known.tags = vec!["old".into()];
    known.country = "NG".parse().unwrap();
    known.attributes = [("Town".to_owned(), "Ho".to_owned()), ("Shoe".into(), "41".into())].into();
    let text =
        "phone,firstName,lastName,tags,Town,Shoe,countryCode\n0244123456,,Mensah,new,Accra,,\n";

    let plan = ContactPlan::of(rows(text), vec![known.clone()]);

    let [ContactStep { changed, new }] = plan.steps.try_into().unwrap();
    let expected = Contact {
        last_name: Some("Mensah".into()),
        tags: vec!["new".into()],
        attributes: [("Town".to_owned(), "Accra".to_owned()), ("Shoe".into(), "41".into())].into(),
        ..known.clone()
    };
    assert_eq!((changed, new.len(), plan.created, plan.updated), (vec![expected], 0, 0, 1));

    let plan = ContactPlan::of(rows("phone,firstName\n0244123456,Ama\n"), vec![known]);
    assert_eq!((plan.steps.len(), plan.updated), (0, 1), "nothing is to be written");
}

#[test]
fn a_consent_of_the_file_is_given_to_contacts_without_one() {
    let of = |source: &str| Some(Consent { at: NOW, source: source.into() });
    let consented = Contact { consent: of("Form"), ..contact(Some("0244123456"), None) };
    let unknown = contact(Some("0201234567"), None);
    let mut rows = rows("phone\n0244123456\n0201234567\n0241234567\n");
    for row in &mut rows {
        row.content.as_mut().unwrap().contact.consent = of("Fair");
    }

    let plan = ContactPlan::of(rows, vec![consented, unknown.clone()]);

    let [ContactStep { changed, new }] = plan.steps.try_into().unwrap();
    assert_eq!(changed, [Contact { consent: of("Fair"), ..unknown }]);
    assert_eq!((new.len(), &new[0].consent), (1, &of("Fair")));
}

#[test]
fn a_row_matches_stored_and_earlier_contacts_by_phone_or_email() {
    let known = vec![contact(Some("0244123456"), None), contact(None, Some("kofi@example.com"))];
    let text = "phone,email\n\
                0244123456,ama@example.com\n\
                ,AMA@example.com\n\
                0201234567,esi@example.com\n\
                0201234567,\n\
                0244123456,kofi@example.com\n\
                0201234567,ama@example.com\n";

    let plan = ContactPlan::of(rows(text), known);

    assert_eq!((plan.created, plan.updated), (1, 3));
    let failed: Vec<_> = plan.errors.iter().map(|error| error.row).collect();
    assert_eq!(failed, [6, 7], "{:?}", plan.errors);
    let [step] = plan.steps.try_into().unwrap();
    assert_eq!((step.changed.len(), step.new.len()), (1, 1));
}

/// Addresses of a contact: few of each kind for many rows, so that contacts exchange them.
fn addresses() -> impl Strategy<Value = (Option<u8>, Option<u8>)> {
    let some = || option::weighted(0.7, 0..5_u8);
    (some(), some()).prop_filter("a row has an address", |(a, b)| a.is_some() || b.is_some())
}

fn line((phone, email): (Option<u8>, Option<u8>)) -> String {
    let phone = phone.map(|digit| format!("024412345{digit}")).unwrap_or_default();
    let email = email.map(|digit| format!("{digit}@example.com")).unwrap_or_default();
    format!("{phone},{email}\n")
}

proptest! {
    #[test]
    fn writing_in_steps_never_gives_an_address_to_two_contacts(
        first in vec(addresses(), 0..8),
        then in vec(addresses(), 1..20),
    ) {
        let file = |rows: &[_]| format!("phone,email\n{}", rows.iter().copied().map(line).collect::<String>());
        let mut store: Vec<Contact> = Vec::new();
        for part in [first, then] {
            let rows = rows(&file(&part));
            let plan = ContactPlan::of(rows.clone(), store.clone());
            let failed = u32::try_from(plan.errors.len()).unwrap();
            let count = u32::try_from(rows.len()).unwrap();
            prop_assert_eq!(plan.created + plan.updated + failed, count);
            for step in plan.steps {
                for after in step.changed {
                    // One after the other, as an index checks them.
                    prop_assert!(is_free(&store, &after), "{:?} {:?}", after, store);
                    let place = store.iter().position(|it| it.id == after.id).unwrap();
                    store[place] = after;
                }
                for new in step.new {
                    prop_assert!(is_free(&store, &new), "{:?} {:?}", new, store);
                    store.push(new);
                }
            }
        }
    }
}

fn is_free(store: &[Contact], contact: &Contact) -> bool {
    let is_same = |a: &Option<Address>, b: &Option<Address>| a.is_some() && a == b;
    let takes_from = |it: &Contact| {
        it.id != contact.id
            && (is_same(&it.phone, &contact.phone) || is_same(&it.email, &contact.email))
    };
    !store.iter().any(takes_from)
}

#[test]
fn a_fixed_line_is_counted_for_each_row_that_is_taken() {
    let text = "phone,email\n0302345678,\n0244123456,b@example.com\n0302345678,\n\
                0302345678,b@example.com\n12,\n";
    let plan = ContactPlan::of(rows(text), Vec::new());
    assert_eq!((plan.created, plan.updated, plan.errors.len()), (2, 1, 2));
    assert_eq!(plan.fixed_lines, 2);
}

#[test]
fn a_number_is_from_ghana_unless_its_row_names_a_country() {
    assert_eq!(taken("phone\n0244123456\n").country, Country::GH);
    assert_eq!(errors("phone\n08031234567\n").len(), 1);
}
