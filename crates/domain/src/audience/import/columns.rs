//! Columns of a file and their meanings.

use std::collections::HashMap;

use super::{records::Record, row::RowError};
use crate::{
    audience::{contact::MAX_ATTRIBUTE_NAME, import::ImportKind},
    shared::{fault::Faults, text},
};

/// Columns of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Columns {
    meanings: Vec<Meaning>,
    /// Fields with their headers in the file.
    pub(super) headers: Vec<(String, String)>,
}

/// Meaning of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A field of the imported rows.
    Field(&'static str),
    /// A contact attribute.
    Attribute(String),
    /// No meaning: the column has no name, so its cells must be empty.
    Nothing,
    /// Ignored by the mapping, with all its cells.
    LeftOut,
}

/// Field for the first and the last name in one cell.
pub(super) const NAME: &str = "name";
/// Prefix of the name of an attribute.
pub(super) const ATTRIBUTES: &str = "attributes.";
const CONTACT_FIELDS: [&str; 8] =
    ["firstName", "lastName", NAME, "phone", "email", "countryCode", "tags", "fcmToken"];
/// Fields that the service assigns. Attributes of these names would be confused with them.
const GIVEN_FIELDS: [&str; 2] = ["id", "createdAt"];
const SUPPRESSION_FIELDS: [&str; 5] = ["phone", "email", "channel", "category", "reason"];

impl Columns {
    /// Reads the columns of a header, in any order and spelling. `labels` are their names in the file.
    pub(super) fn read(
        kind: ImportKind,
        header: &[String],
        labels: &[String],
    ) -> Result<Self, Faults> {
        let mut faults = Faults::default();
        let mut columns = Self { meanings: Vec::new(), headers: Vec::new() };
        let mut known: HashMap<String, String> = HashMap::new();
        for (name, label) in header.iter().zip(labels) {
            let (text, name) = (trimmed(name), trimmed(label));
            // Every faulty row repeats the name.
            let shown: String = name.chars().take(MAX_ATTRIBUTE_NAME).collect();
            let meaning = match meaning(kind, text) {
                Ok(Meaning::Nothing) if !name.is_empty() => Meaning::LeftOut,
                Ok(meaning) => meaning,
                Err(fault) => {
                    faults.add("file", format!("has a column `{shown}` {fault}"));
                    Meaning::Nothing
                }
            };
            if let Some(field) = meaning.path() {
                if let Some(other) = known.get(&field) {
                    let fault =
                        format!("has two columns that mean the same: `{other}` and `{shown}`");
                    faults.add("file", fault);
                } else {
                    known.insert(field.clone(), shown.clone());
                }
                columns.headers.push((field, shown));
            }
            columns.meanings.push(meaning);
        }
        let is_address = |meaning: &Meaning| matches!(meaning, Meaning::Field("phone" | "email"));
        if !columns.meanings.iter().any(is_address) {
            let fault = "must name its columns in the first row, `phone` or `email` among them; \
                         `mapping` may say which they are";
            faults.add("file", fault);
        }
        faults.or(columns)
    }

    /// Returns the path of each column's field; `None` for ignored columns.
    pub(super) fn paths(&self) -> impl Iterator<Item = Option<String>> {
        self.meanings.iter().map(Meaning::path)
    }

    /// Returns the non-empty cells of a record with their meanings. Fails if there is none.
    pub(super) fn cells<'r>(
        &'r self,
        record: &'r Record,
    ) -> Result<Vec<(&'r Meaning, &'r str)>, RowError> {
        let fault = |reason: &str| Err(RowError::whole(record.row, reason));
        let mut cells = Vec::new();
        for (index, cell) in record.cells.iter().enumerate() {
            let cell = without_formula(trimmed(cell));
            match self.meanings.get(index) {
                _ if cell.is_empty() => {}
                None => return fault("has more cells than the header"),
                Some(Meaning::LeftOut) => {}
                Some(Meaning::Nothing) => return fault("has a cell in a column without a name"),
                Some(meaning) => cells.push((meaning, cell)),
            }
        }
        if cells.is_empty() { fault("has nothing in it") } else { Ok(cells) }
    }
}

impl Meaning {
    /// Path for faults of the column's cells; `None` if the column is ignored.
    fn path(&self) -> Option<String> {
        match self {
            Self::Field(field) => Some((*field).to_owned()),
            Self::Attribute(name) => Some(format!("attributes.{name}")),
            Self::Nothing | Self::LeftOut => None,
        }
    }
}

fn meaning(kind: ImportKind, name: &str) -> Result<Meaning, String> {
    if name.is_empty() {
        return Ok(Meaning::Nothing);
    }
    if let (ImportKind::Contacts, Some(name)) = (kind, name.strip_prefix(ATTRIBUTES)) {
        return attribute(name);
    }
    let spelling = folded(name);
    let is_called = |field: &&str| field.eq_ignore_ascii_case(&spelling);
    if let Some(field) = fields_of(kind).iter().find(|field| is_called(field)) {
        return Ok(Meaning::Field(field));
    }
    match kind {
        ImportKind::Suppressions => {
            let fields = fields_of(kind).join(", ");
            Err(format!("that suppressions do not have; they have {fields}"))
        }
        ImportKind::Contacts if GIVEN_FIELDS.iter().any(is_called) => {
            Err("that cannot be imported: the service gives it".to_owned())
        }
        ImportKind::Contacts => attribute(name),
    }
}

fn attribute(name: &str) -> Result<Meaning, String> {
    text::line(name, MAX_ATTRIBUTE_NAME)
        .map(Meaning::Attribute)
        .map_err(|fault| format!("whose name {fault}"))
}

/// Returns the path of the field that a column of that name means; `None` if it means none.
pub(super) fn path_of(kind: ImportKind, name: &str) -> Option<String> {
    meaning(kind, trimmed(name)).ok()?.path()
}

/// Returns the fields that a row may have.
pub(super) fn fields_of(kind: ImportKind) -> &'static [&'static str] {
    match kind {
        ImportKind::Contacts => &CONTACT_FIELDS,
        ImportKind::Suppressions => &SUPPRESSION_FIELDS,
    }
}

/// Returns the field of exactly that name.
pub(super) fn field_named(kind: ImportKind, name: &str) -> Option<&'static str> {
    fields_of(kind).iter().find(|field| **field == name).copied()
}

/// Returns the letters and digits of a name, in lower case.
pub(super) fn folded(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns the text of a formula such as `="0241234567"`, which makes a spreadsheet keep it unchanged.
fn without_formula(cell: &str) -> &str {
    let text = cell.strip_prefix("=\"").and_then(|text| text.strip_suffix('"'));
    text.map_or(cell, trimmed)
}

/// Returns a cell without surrounding whitespace and byte order marks.
pub(super) fn trimmed(cell: &str) -> &str {
    cell.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(kind: ImportKind, header: &[&str]) -> Result<Vec<Meaning>, Vec<String>> {
        let labels: Vec<_> = header.iter().map(|name| (*name).to_owned()).collect();
        let columns = Columns::read(kind, &labels, &labels);
        columns.map(|columns| columns.meanings).map_err(|mut faults| {
            assert_eq!(faults.fields.keys().collect::<Vec<_>>(), ["file"]);
            faults.fields.remove("file").unwrap()
        })
    }

    #[test]
    fn fields_match_in_any_spelling_and_the_rest_are_attributes() {
        let header =
            ["first_name", " Last Name ", "PHONE", "E-Mail", "Country-Code", "Home Town", ""];
        let expected = [
            Meaning::Field("firstName"),
            Meaning::Field("lastName"),
            Meaning::Field("phone"),
            Meaning::Field("email"),
            Meaning::Field("countryCode"),
            Meaning::Attribute("Home Town".into()),
            Meaning::Nothing,
        ];
        assert_eq!(read(ImportKind::Contacts, &header).unwrap(), expected);
    }

    #[test]
    fn reported_column_names_are_shortened() {
        let header = [format!("p{}hone", "_".repeat(30_000)), "phone".to_owned()];
        let columns = Columns::read(ImportKind::Contacts, &header[..1], &header).unwrap();
        let faults = Columns::read(ImportKind::Contacts, &header, &header).unwrap_err();

        assert_eq!(columns.headers[0].1.chars().count(), MAX_ATTRIBUTE_NAME);
        assert!(faults.fields["file"][0].len() < 200);
    }

    #[test]
    fn all_faults_of_a_header_are_reported_together() {
        let long = "x".repeat(65);
        for (kind, header, faults) in [
            (ImportKind::Contacts, vec!["phone", "Phone"], 1),
            (ImportKind::Contacts, vec!["phone", "Town", "Town", "id", "Created At"], 3),
            (ImportKind::Contacts, vec!["phone", &long], 1),
            (ImportKind::Contacts, vec!["0244123456", "Ama"], 1),
            (ImportKind::Suppressions, vec!["reason", "first name", "town"], 3),
        ] {
            let found = read(kind, &header).unwrap_err();
            assert_eq!(found.len(), faults, "{header:?}: {found:?}");
        }
        assert!(read(ImportKind::Suppressions, &["channel", "EMAIL"]).is_ok());
    }
}
