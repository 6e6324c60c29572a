//! Mapping of the headers of files to fields.

use std::collections::{BTreeMap, BTreeSet};

use super::columns::{ATTRIBUTES, NAME, field_named, fields_of, folded, trimmed};
use crate::{audience::import::ImportKind, shared::fault::Faults};

/// Fields that the client assigns to columns, by their headers; `None` ignores the column. The header
/// decides for all other columns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mapping(pub BTreeMap<String, Option<String>>);

/// Words of spreadsheets, address books, phones and shops for a field, without case, spaces and
/// punctuation. Among several columns the one whose word comes first wins.
const WORDS: [(&str, &str); 8] = [
    ("phone", PHONE),
    ("email", EMAIL),
    ("firstName", FIRST_NAME),
    ("lastName", LAST_NAME),
    (NAME, FULL_NAME),
    ("countryCode", "countrycode countryiso countryisocode isocountrycode"),
    ("tags", "tags tag labels"),
    ("fcmToken", "fcmtoken pushtoken devicetoken"),
];
const PHONE: &str = "\
    phone mobile mobilephone mobilenumber mobileno mobilephonenumber phonemobile cell cellphone \
    cellnumber cellphonenumber phonenumber phoneno phone1 phone1value primaryphone msisdn gsm gsmnumber \
    telephone telephonenumber telephoneno téléphone tel telno telnumber contactnumber contactno \
    contactphone customerphone billingphone shippingphone defaultaddressphone whatsapp whatsappnumber \
    whatsappno whatsappphone homephone phonehome workphone phonework businessphone momonumber momono \
    momo cellno cellularphone tel1 telephone1 mobile1 otherphone contact contacts";
const EMAIL: &str = "\
    email emailaddress emailid mail mailaddress email1 email1value emailaddress1 primaryemail \
    contactemail customeremail billingemail useremail personalemail homeemail workemail businessemail \
    emails";
const FIRST_NAME: &str = "\
    firstname givenname forename forenames fname first billingfirstname shippingfirstname \
    customerfirstname othernames othername";
const LAST_NAME: &str = "\
    lastname surname familyname lname last billinglastname shippinglastname customerlastname";
const FULL_NAME: &str = "\
    fullname name names customername clientname contactname membername recipientname displayname \
    billingname shippingname";

/// Field that a column matches.
struct Claim {
    field: &'static str,
    /// Position of its word in the table; a mapping comes before all words.
    rank: usize,
}

const MAPPED_RANK: usize = 0;

/// Meaning that a mapping assigns to a column.
enum Mapped {
    Nothing,
    LeaveOut,
    Field(String),
}

/// Returns the fields of columns with these headers, one text for each, as
/// [`Columns`](super::columns::Columns) reads them: `attributes.…` for an attribute, and an empty text for
/// an ignored column. If several columns match a field, one wins; the others are attributes of contacts, or
/// a fault.
pub(super) fn understood(
    kind: ImportKind,
    labels: &[String],
    mapping: &Mapping,
) -> Result<Vec<String>, Faults> {
    let labels: Vec<&str> = labels.iter().map(|label| trimmed(label)).collect();
    let mut faults = Faults::default();
    let mapped = mapped(kind, &labels, mapping, &mut faults);
    let mut claims: Vec<Option<Claim>> = Vec::with_capacity(labels.len());
    for (label, mapped) in labels.iter().zip(&mapped) {
        claims.push(match mapped {
            Mapped::Field(text) => {
                field_named(kind, text).map(|field| Claim { field, rank: MAPPED_RANK })
            }
            Mapped::LeaveOut => None,
            Mapped::Nothing => claim(kind, label),
        });
    }
    let winners = winners(&claims);
    let is_there = |field| winners.contains_key(field);
    let mut header = Vec::with_capacity(labels.len());
    for (at, label) in labels.iter().enumerate() {
        let text = match (&mapped[at], &claims[at]) {
            (Mapped::LeaveOut, _) => String::new(),
            (Mapped::Field(text), None) => text.clone(),
            (Mapped::Nothing, None) => (*label).to_owned(),
            (_, Some(Claim { field, rank })) => {
                let is_first = winners.get(field) == Some(&(*rank, at));
                let is_twin = winners.get(field).is_some_and(|(first, _)| first == rank);
                let is_own = is_own_name(field, label);
                match *field {
                    NAME if is_first && is_there("firstName") => attribute(label),
                    NAME if is_first && is_there("lastName") => "firstName".to_owned(),
                    field if is_first || is_twin || is_own => field.to_owned(),
                    _ if kind == ImportKind::Contacts => attribute(label),
                    field => field.to_owned(),
                }
            }
        };
        header.push(text);
    }
    faults.or(header)
}

/// Returns the meanings that a mapping assigns to columns.
fn mapped(
    kind: ImportKind,
    labels: &[&str],
    mapping: &Mapping,
    faults: &mut Faults,
) -> Vec<Mapped> {
    let known: BTreeSet<&str> = labels.iter().copied().collect();
    let mut by_label: BTreeMap<&str, &Option<String>> = BTreeMap::new();
    for (label, field) in &mapping.0 {
        let label = trimmed(label);
        let path = format!("mapping.{label}");
        if !known.contains(label) {
            faults.add(path, "is no column of the file");
            continue;
        }
        if let Some(text) = field
            && field_named(kind, text).is_none()
            && !(kind == ImportKind::Contacts && text.starts_with(ATTRIBUTES))
        {
            let fields = fields_of(kind).join(", ");
            let other = match kind {
                ImportKind::Contacts => ", `attributes.` and a name,",
                ImportKind::Suppressions => "",
            };
            faults.add(path, format!("must be one of {fields}{other} or null"));
        }
        by_label.insert(label, field);
    }
    let mapped = |label: &&str| match by_label.get(label) {
        None => Mapped::Nothing,
        Some(None) => Mapped::LeaveOut,
        Some(Some(field)) => Mapped::Field(field.clone()),
    };
    labels.iter().map(mapped).collect()
}

/// Returns the field that a header means without a mapping.
fn claim(kind: ImportKind, label: &str) -> Option<Claim> {
    let word = folded(label);
    let fields = fields_of(kind);
    if let Some(field) = fields.iter().find(|field| field.eq_ignore_ascii_case(&word)) {
        return Some(Claim { field, rank: MAPPED_RANK + 1 });
    }
    let mut known = WORDS.iter().filter(|(field, _)| fields.contains(field));
    known.find_map(|(field, words)| {
        let place = words.split_ascii_whitespace().position(|known| known == word)?;
        Some(Claim { field, rank: MAPPED_RANK + 1 + place })
    })
}

/// Returns the winning column of each field, with its rank.
fn winners(claims: &[Option<Claim>]) -> BTreeMap<&'static str, (usize, usize)> {
    let mut winners = BTreeMap::new();
    for (at, claim) in claims.iter().enumerate() {
        if let Some(Claim { field, rank }) = claim {
            let first = winners.entry(*field).or_insert((*rank, at));
            *first = (*first).min((*rank, at));
        }
    }
    winners
}

/// True if a header is the name of the field itself, so that nothing else can be meant.
fn is_own_name(field: &str, label: &str) -> bool {
    field != NAME && field.eq_ignore_ascii_case(&folded(label))
}

fn attribute(label: &str) -> String {
    format!("{ATTRIBUTES}{label}")
}

#[cfg(test)]
mod tests;
