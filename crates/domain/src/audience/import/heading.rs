//! Header of a file of contacts, also of one that cannot be imported as it is.

use super::{
    columns::{path_of, trimmed},
    headers::{Mapping, understood},
    layout::{Delimiter, Encoding},
    preview::PreviewColumn,
    records::{RecordReader, Step},
    upload::BOM,
};
use crate::audience::import::ImportKind;

/// Returns the columns of a file of contacts by its first bytes, as they would be understood; `None` if
/// these bytes have no whole header, or are no text. Two columns may have the same field, and none need be an address.
pub fn columns_of(beginning: &[u8], mapping: &Mapping) -> Option<Vec<PreviewColumn>> {
    if beginning.contains(&0) {
        return None;
    }
    let labels = labels(beginning.strip_prefix(BOM).unwrap_or(beginning))?;
    let meanings = understood(ImportKind::Contacts, &labels, mapping);
    let meanings = meanings.unwrap_or_else(|_| labels.clone());
    let named = labels.iter().zip(&meanings);
    Some(named.map(|(label, meaning)| column(label, meaning)).collect())
}

fn column(label: &str, meaning: &str) -> PreviewColumn {
    let field = path_of(ImportKind::Contacts, meaning);
    PreviewColumn { header: trimmed(label).to_owned(), field }
}

fn labels(text: &[u8]) -> Option<Vec<String>> {
    let mut reader = RecordReader::new(Delimiter::of_header(text)?, 0);
    let mut rest = text;
    loop {
        let (used, step) = reader.step(rest);
        rest = rest.get(used..)?;
        match step {
            Step::Began => {}
            Step::Ended => break,
            Step::Exhausted => return None,
        }
    }
    if reader.is_too_long() {
        return None;
    }
    let is_utf8 = reader.cells().all(|cell| std::str::from_utf8(cell).is_ok());
    let encoding = if is_utf8 { Encoding::Utf8 } else { Encoding::Windows1252 };
    Some(reader.cells().map(|cell| encoding.decode(cell).into_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(beginning: &[u8], mapping: &Mapping) -> Option<Vec<(String, Option<String>)>> {
        let columns = columns_of(beginning, mapping)?.into_iter();
        Some(columns.map(|column| (column.header, column.field)).collect())
    }

    fn column(header: &str, field: Option<&str>) -> (String, Option<String>) {
        (header.to_owned(), field.map(str::to_owned))
    }

    #[test]
    fn the_columns_of_a_file_are_named_also_if_it_cannot_be_imported() {
        let file = b"T\xe9l.;First name;id;Town;\r\n0241234567;Ama;7;Osu;";
        let expected = [
            column("T\u{e9}l.", Some("attributes.T\u{e9}l.")),
            column("First name", Some("firstName")),
            column("id", None),
            column("Town", Some("attributes.Town")),
            column("", None),
        ];
        assert_eq!(columns(file, &Mapping::default()).unwrap(), expected);
        let marked = columns(b"\xef\xbb\xbfMobile\n", &Mapping::default());
        assert_eq!(marked, Some(vec![column("Mobile", Some("phone"))]));
    }

    #[test]
    fn a_mapping_decides_unless_it_names_other_columns() {
        let mapping = |label: &str| {
            Mapping([(label.to_owned(), Some("phone".to_owned()))].into_iter().collect())
        };
        let file = b"Who\n0241234567\n";
        assert_eq!(columns(file, &mapping("Who")), Some(vec![column("Who", Some("phone"))]));
        let unmapped = Some(vec![column("Who", Some("attributes.Who"))]);
        assert_eq!(columns(file, &mapping("Whose")), unmapped);
    }

    #[test]
    fn a_header_that_is_cut_off_or_no_text_names_no_columns() {
        for text in ["", "phone,email", "\"phone\n0241234567\n", "PK\u{3}\u{4}\0\nphone\n"] {
            assert_eq!(columns(text.as_bytes(), &Mapping::default()), None, "{text}");
        }
    }
}
