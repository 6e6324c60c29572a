//! `/app/contacts/import/check/{id}`: a file as it is understood, before it is imported.

use std::collections::{BTreeMap, HashSet};

use actix_web::web::Path;
use askama::Template;
use domain::{
    audience::import::{Import, ImportKind, Mapping, Preview, PreviewColumn, PreviewRow},
    shared::{address::Address, fault::Faults, id::Id},
};
use usecases::Error;
use usecases::audience::imports::{FileRequest, HeldPreview};

use super::{IMPORT, name_of};
use crate::formats::Formats;
use crate::frame::{
    Choice, Failure, Form, Frame, Labels, Notice, Place, Posted, Shown, Visit, id_of, once,
};
use crate::words::row_fault;

const LABELS: Labels = &[("file", "File"), ("mapping", "Column"), ("consentSource", "Consent")];
/// Values of the lists of fields that are no field: a field of the organization, and none.
const OWN: &str = "own";
const NOTHING: &str = "nothing";
/// Beginning of the names of attributes.
const ATTRIBUTES: &str = "attributes.";
/// Fields that a column may be, with their labels.
const FIELDS: [(&str, &str); 10] = [
    ("phone", "Phone"),
    ("email", "Email"),
    ("firstName", "First name"),
    ("lastName", "Last name"),
    ("name", "Full name"),
    ("tags", "Tags"),
    ("countryCode", "Country of the number"),
    ("fcmToken", "Device for notifications"),
    (OWN, "A field of your own"),
    (NOTHING, "Leave out"),
];
/// Maximum number of rows, and of faults, on the page.
const SHOWN: usize = 8;
/// Maximum number of columns that are offered: each has a list of fields.
const MAX_COLUMNS: usize = 250;

#[derive(Template)]
#[template(path = "contacts/check.html")]
struct CheckPage {
    frame: Frame,
    form: Form,
    id: String,
    name: Option<String>,
    columns: Vec<Column>,
    choices: Vec<Choice>,
    /// First rows; `None` if the file cannot be imported so.
    beginning: Option<Beginning>,
    /// Import of the same file within a day.
    former: Option<String>,
}

/// Column of the file, with the name of the list of fields for it.
struct Column {
    header: String,
    header_field: String,
    field: String,
}

/// Beginning of the file as it would be imported.
struct Beginning {
    rows: Vec<Row>,
    faults: Vec<Fault>,
    fault_count: usize,
}

struct Row {
    number: u32,
    name: String,
    phone: String,
    email: String,
    tags: String,
    others: Vec<(String, String)>,
}

/// Row that would fail, or lose cells.
struct Fault {
    number: u32,
    text: String,
}

impl Row {
    fn new(PreviewRow { row, contact }: PreviewRow, f: &Formats) -> Self {
        let text = |address: &Option<Address>| {
            address.as_ref().map(|it| f.phone(it.as_str())).unwrap_or_default()
        };
        Self {
            number: row,
            name: name_of(&contact).unwrap_or_default(),
            phone: text(&contact.phone),
            email: text(&contact.email),
            tags: contact.tags.join(", "),
            others: contact.attributes.into_iter().collect(),
        }
    }
}

impl Beginning {
    fn new(Preview { rows, errors, .. }: Preview, f: &Formats) -> Self {
        let faults = errors.iter().take(SHOWN);
        let faults = faults.map(|error| Fault { number: error.row, text: row_fault(error) });
        Self {
            rows: rows.into_iter().take(SHOWN).map(|row| Row::new(row, f)).collect(),
            faults: faults.collect(),
            fault_count: errors.len(),
        }
    }
}

pub(super) async fn show(visit: Visit, id: Path<String>) -> Shown {
    let id = id_of(&id)?;
    let found = held(&visit, id, FileRequest::default()).await?;
    let Some(found) = found else { return Ok(gone(&visit)) };
    let form = Form::filled(LABELS, chosen(&found.columns));
    answer(&visit, id, found, form, None)
}

pub(super) async fn preview(visit: Visit, id: Path<String>, posted: Posted) -> Shown {
    let id = id_of(&id)?;
    let found = held(&visit, id, request(&posted)).await?;
    let Some(found) = found else { return Ok(gone(&visit)) };
    // Browsers report the status of a refusal as an error of the page that shows the answer.
    visit.show(&page_of(&visit, id, found, posted.form(LABELS), None))
}

pub(super) async fn import(visit: Visit, id: Path<String>, posted: Posted) -> Shown {
    let id = id_of(&id)?;
    let imports = &visit.api().imports;
    let imported = once(&visit, &posted, async {
        let (kind, request) = (ImportKind::Contacts, request(&posted));
        let import = imports.import_held(&visit.caller, kind, id, request).await?;
        Ok(format!("{IMPORT}/{}", import.id))
    });
    let refusal = match imported.await {
        Ok(address) => return Ok(visit.go(&address, None)),
        Err(refusal) => refusal,
    };
    let found = held(&visit, id, request(&posted)).await?;
    let Some(found) = found else { return Ok(gone(&visit)) };
    let former = former(&refusal);
    let form = posted.form(LABELS);
    let form = match (&former, &found.rows) {
        (Some(_), _) => form.with_fault("again", "You imported the same file within a day"),
        // The preview has the same faults.
        (None, Err(_)) => form,
        (None, Ok(_)) => form.refused(refusal)?,
    };
    answer(&visit, id, found, form, former)
}

/// Returns the preview of a held file; `None` if it is not held any more.
async fn held(
    visit: &Visit,
    id: Id<Import>,
    request: FileRequest,
) -> Result<Option<HeldPreview>, Failure> {
    match visit.api().imports.preview_held(&visit.caller, id, request).await {
        Ok(found) => Ok(Some(found)),
        Err(Error::NotFound(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn gone(visit: &Visit) -> actix_web::HttpResponse {
    let text =
        "A file is kept for an hour before it is imported. This one is gone: choose it again.";
    visit.go(IMPORT, Some(Notice::bad(text)))
}

fn answer(
    visit: &Visit,
    id: Id<Import>,
    found: HeldPreview,
    form: Form,
    former: Option<String>,
) -> Shown {
    let page = page_of(visit, id, found, form, former);
    visit.answer(&page, page.form.has_faults())
}

fn page_of(
    visit: &Visit,
    id: Id<Import>,
    found: HeldPreview,
    form: Form,
    former: Option<String>,
) -> CheckPage {
    let f = visit.formats();
    let found = without_too_many(found);
    let (beginning, form) = match found.rows {
        Ok(preview) => (Some(Beginning::new(preview, &f)), form),
        Err(faults) => (None, with_faults(form, &found.columns, faults)),
    };
    CheckPage {
        frame: visit.frame(Place::Contacts).refused(form.has_faults()),
        form,
        id: id.to_string(),
        name: found.name,
        columns: columns(found.columns),
        choices: FIELDS.map(|(value, label)| Choice::new(value, label)).into(),
        beginning,
        former: former.map(|import| format!("{IMPORT}/{import}")),
    }
}

/// Returns a preview without its columns, and with the fault, if there are too many to choose from.
fn without_too_many(found: HeldPreview) -> HeldPreview {
    if found.columns.len() <= MAX_COLUMNS {
        return found;
    }
    let fault =
        format!("must have at most {MAX_COLUMNS} columns: delete those that are not needed");
    HeldPreview { columns: Vec::new(), rows: Err(Faults::field("file", fault)), ..found }
}

/// Adds the faults of a file to a form. Those of its header belong to the lists of fields, if it has
/// columns.
fn with_faults(form: Form, columns: &[PreviewColumn], mut faults: Faults) -> Form {
    if columns.is_empty() {
        return form.with_faults(faults);
    }
    let of_header = faults.fields.remove("file").unwrap_or_default();
    let form = form.with_faults(faults);
    let is_address =
        |column: &PreviewColumn| matches!(column.field.as_deref(), Some("phone" | "email"));
    if !columns.iter().any(is_address) {
        return form.with_fault("mapping", "Choose the column with the phone or the email");
    }
    let with_fault =
        |form: Form, fault: String| form.with_fault("mapping", format!("The file {fault}"));
    of_header.into_iter().fold(form, with_fault)
}

/// Returns the import of the same file, if that is why this one was refused.
fn former(refusal: &Error) -> Option<String> {
    let reason = refusal.reason().filter(|reason| reason.code == "FILE_IMPORTED")?;
    let detail = reason.details.iter().find(|(name, _)| *name == "importId");
    detail.map(|(_, import)| import.clone())
}

/// Returns the columns for the form. Columns of one name have one list of fields.
fn columns(columns: Vec<PreviewColumn>) -> Vec<Column> {
    let mut known = HashSet::new();
    let distinct = columns.into_iter().filter(|column| known.insert(column.header.clone()));
    let numbered = distinct.enumerate().map(|(number, column)| Column {
        header: column.header,
        header_field: format!("header-{number}"),
        field: format!("field-{number}"),
    });
    numbered.collect()
}

/// Returns the values of the lists of fields for columns as they were understood.
fn chosen(columns: &[PreviewColumn]) -> Vec<(String, String)> {
    let mut known = HashSet::new();
    let distinct = columns.iter().filter(|column| known.insert(column.header.as_str()));
    let numbered = distinct.enumerate().map(|(number, column)| {
        let value = match column.field.as_deref() {
            None => NOTHING,
            Some(field) if field.starts_with(ATTRIBUTES) => OWN,
            Some(field) => field,
        };
        (format!("field-{number}"), value.to_owned())
    });
    numbered.collect()
}

fn request(posted: &Posted) -> FileRequest {
    let mut mapping = BTreeMap::new();
    let name = |number: &usize| format!("header-{number}");
    for number in (0..).take_while(|number| posted.is_set(&name(number))) {
        let header = posted.raw(&name(&number));
        let field = match posted.raw(&format!("field-{number}")) {
            NOTHING => None,
            OWN => {
                let name = header.strip_prefix(ATTRIBUTES).unwrap_or(header);
                Some(format!("{ATTRIBUTES}{name}"))
            }
            field => Some(field.to_owned()),
        };
        mapping.insert(header.to_owned(), field);
    }
    FileRequest {
        name: None,
        mapping: Mapping(mapping),
        consent_source: posted.text("consentSource"),
        is_dry_run: false,
        is_once: !posted.is_set("again"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(header: &str, field: Option<&str>) -> PreviewColumn {
        PreviewColumn { header: header.to_owned(), field: field.map(str::to_owned) }
    }

    #[test]
    fn the_form_says_of_each_name_of_a_column_what_it_was_understood_as() {
        let understood = [
            column("Mobile", Some("phone")),
            column("Town", Some("attributes.Town")),
            column("", None),
            column("Town", Some("attributes.Town")),
            column("Name", Some("firstName")),
        ];
        let names: Vec<_> = columns(understood.to_vec()).into_iter().map(|it| it.header).collect();
        assert_eq!(names, ["Mobile", "Town", "", "Name"]);
        let expected = [
            ("field-0", "phone"),
            ("field-1", OWN),
            ("field-2", NOTHING),
            ("field-3", "firstName"),
        ];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(chosen(&understood), expected);
    }

    #[test]
    fn a_file_without_an_address_asks_for_its_column_first() {
        let faults = || Faults::field("file", "has two columns that mean the same: `A` and `B`");
        let faults_of = |columns: &[PreviewColumn]| {
            let form = with_faults(Form::new(LABELS), columns, faults());
            let all = form.all_faults().into_iter();
            all.map(|(name, text)| format!("{name}: {text}")).collect::<Vec<_>>()
        };
        let unknown = faults_of(&[column("A", Some("attributes.A")), column("B", None)]);
        assert_eq!(unknown, ["mapping: Choose the column with the phone or the email"]);
        let twice = faults_of(&[column("A", Some("phone")), column("B", Some("phone"))]);
        assert_eq!(twice, ["mapping: The file has two columns that mean the same: `A` and `B`"]);
        let none = faults_of(&[]);
        assert_eq!(none, ["file: File has two columns that mean the same: `A` and `B`"]);
    }

    #[test]
    fn the_form_maps_the_columns_and_asks_for_a_file_once_unless_it_says_otherwise() {
        let fields = [
            ("header-0", "Mobile"),
            ("field-0", "phone"),
            ("header-1", "attributes.Town"),
            ("field-1", OWN),
            ("header-2", ""),
            ("field-2", NOTHING),
        ];
        let mapped = request(&Posted::of_fields(&fields));
        let expected =
            [("", None), ("Mobile", Some("phone")), ("attributes.Town", Some("attributes.Town"))];
        let found = mapped.mapping.0.iter();
        let found: Vec<_> = found.map(|(name, field)| (name.as_str(), field.as_deref())).collect();
        assert_eq!(found, expected);
        assert!(mapped.is_once && !request(&Posted::of_fields(&[("again", "yes")])).is_once);
    }
}
