//! Previews of short, long and faulty files.

use std::{collections::BTreeMap, fmt::Write};

use super::*;

const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;

/// Reads a file in pieces as far as it is needed, and returns its preview and the number of bytes read.
fn preview_of(file: &[u8], mapping: Mapping) -> (Result<Preview, Refused>, usize) {
    let mut reader = PreviewReader::new(mapping);
    let mut read = 0;
    for piece in file.chunks(1_001) {
        if reader.is_full() {
            break;
        }
        read += piece.len();
        if let Err(refused) = reader.write(piece) {
            return (Err(refused), read);
        }
    }
    (reader.finish(Id::new(NOW), NOW), read)
}

fn preview(file: &str) -> Preview {
    preview_of(file.as_bytes(), Mapping::default()).0.unwrap()
}

#[test]
fn shows_the_meaning_of_each_column() {
    let entries = [("Branch", Some("attributes.Town")), ("Notes", None)];
    let entries = entries.map(|(header, field)| (header.to_owned(), field.map(str::to_owned)));
    let mapping = Mapping(BTreeMap::from(entries));
    let file = b"Full Name; Mobile No. ;Branch;Notes;;Shoe size\nAma;0241234567;Ho;n;;41\n";

    let preview = preview_of(file, mapping).0.unwrap();

    let columns = preview.columns.iter();
    let columns: Vec<_> =
        columns.map(|column| (column.header.as_str(), column.field.as_deref())).collect();
    let expected = [
        ("Full Name", Some("name")),
        ("Mobile No.", Some("phone")),
        ("Branch", Some("attributes.Town")),
        ("Notes", None),
        ("", None),
        ("Shoe size", Some("attributes.Shoe size")),
    ];
    assert_eq!(columns, expected);
    assert_eq!(preview.rows[0].contact.phone.as_ref().unwrap().as_str(), "+233241234567");
}

#[test]
fn shows_the_first_ten_rows_that_would_be_imported_and_all_faults() {
    let mut file = "phone,email\nn/a,\n0241234567,nobody\n,\n".to_owned();
    for number in 0..20 {
        writeln!(file, "02412345{number:02},").unwrap();
    }
    file.push_str("\"0241234");

    let preview = preview(&file);

    let shown: Vec<_> = preview.rows.iter().map(|row| row.row).collect();
    assert_eq!(shown, [3, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
    let faulty: Vec<_> = preview.errors.iter().map(|error| error.row).collect();
    assert_eq!(faulty, [2, 3, 25]);
}

#[test]
fn reads_no_more_than_a_thousand_rows() {
    let mut file = "phone,Town\n".to_owned();
    for number in 0..1_200 {
        let town = if number % 500 == 0 { "x".repeat(501) } else { "Tɛkyiman".to_owned() };
        writeln!(file, "024{number:07},{town}").unwrap();
    }
    let beginning = file.len();
    file.push_str(&"0241234567,\"\n".repeat(90_000));

    let (preview, read) = preview_of(file.as_bytes(), Mapping::default());

    let preview = preview.unwrap();
    assert!(read < beginning, "{read} of {}", file.len());
    assert_eq!(preview.rows[1].contact.attributes["Town"], "Tɛkyiman");
    let faulty: Vec<_> = preview.errors.iter().map(|error| error.row).collect();
    assert_eq!(faulty, [2, 502], "those after the first thousand rows are not looked at");
}

#[test]
fn reads_no_more_than_some_megabytes_of_long_rows() {
    let row = format!("0241234567{}\n", format!(",{}", "x".repeat(400)).repeat(50));
    let header = (0..50).fold("phone".to_owned(), |header, column| header + &format!(",c{column}"));
    let file = format!("{header}\n{}", row.repeat(900));

    let (preview, read) = preview_of(file.as_bytes(), Mapping::default());

    assert!(read < READ_BYTES + 10_000, "{read} of {}", file.len());
    let preview = preview.unwrap();
    assert_eq!((preview.rows.len(), preview.errors.len()), (10, 0));
}

#[test]
fn refuses_what_an_import_refuses() {
    for (file, fault) in [
        (&b""[..], "is empty"),
        (b"phone\n", "no rows"),
        (b"Town\nHo\n", "`phone` or `email`"),
        (b"PK\x03\x04", "workbook"),
    ] {
        let (refused, _) = preview_of(file, Mapping::default());
        let Err(Refused::Invalid(faults)) = refused else { panic!("{refused:?}") };
        assert!(faults.fields["file"][0].contains(fault), "{faults}");
    }
}
