//! Files in every dialect, in pieces of any size, and invalid files.

use proptest::{collection::vec, prelude::*, sample::select};

use super::*;
use crate::audience::import::records::records;

/// Result of reading a file: its layout, and each row with its cells.
#[derive(Debug, PartialEq, Eq)]
struct Read {
    layout: Layout,
    total_rows: u32,
    rows: Vec<(u32, Vec<String>)>,
    unreadable: Vec<RowError>,
}

fn read_in_pieces_of(size: usize, file: &[u8]) -> Result<Read, Refused> {
    let mut upload = Upload::new(ImportKind::Contacts, Mapping::default());
    let mut chunks = Vec::new();
    for piece in file.chunks(size) {
        chunks.extend(upload.write(piece)?);
    }
    let Received { layout, total_rows, last, unreadable } = upload.finish()?;
    chunks.extend(last);
    let mut rows = Vec::new();
    for (number, chunk) in chunks.iter().enumerate() {
        let mut records = records(&layout, chunk.first_row, &chunk.bytes);
        records.retain(|record| !record.is_blank());
        assert_eq!(usize::try_from(chunk.number).unwrap(), number);
        assert_eq!(usize::try_from(chunk.rows).unwrap(), records.len());
        assert!(chunk.bytes.len() <= CHUNK_BYTES + 2 * MAX_RECORD + size, "it is held in memory");
        rows.extend(records.into_iter().map(|record| (record.row, record.cells)));
    }
    Ok(Read { layout, total_rows, rows, unreadable })
}

fn read(file: impl AsRef<[u8]>) -> Read {
    read_in_pieces_of(4_096, file.as_ref()).unwrap()
}

fn refused(file: &[u8]) -> String {
    match read_in_pieces_of(7, file).unwrap_err() {
        Refused::TooLarge(fault) => fault.to_owned(),
        Refused::Invalid(faults) => faults.fields["file"].join("; "),
    }
}

/// Table with the dialect in which it is written as CSV.
#[derive(Debug, Clone)]
struct Written {
    delimiter: Delimiter,
    encoding: Encoding,
    line_end: &'static str,
    ends_with_line_end: bool,
    has_bom: bool,
    quotes_everything: bool,
    rows: Vec<Vec<String>>,
    /// Number of blank lines before each row.
    blank_lines: Vec<u8>,
}

impl Written {
    fn header(&self) -> Vec<String> {
        let columns = self.rows.first().map_or(1, Vec::len);
        let names = (1..columns).map(|number| format!("Column {number}"));
        std::iter::once("phone".to_owned()).chain(names).collect()
    }

    fn file(&self) -> Vec<u8> {
        let delimiter = char::from(self.delimiter.byte()).to_string();
        let line = |cells: &[String]| {
            let cells: Vec<_> = cells.iter().map(|cell| self.cell(cell)).collect();
            cells.join(&delimiter)
        };
        let mut text = line(&self.header());
        for (row, blank) in self.rows.iter().zip(&self.blank_lines) {
            text.push_str(&self.line_end.repeat(usize::from(*blank) + 1));
            text.push_str(&line(row));
        }
        if self.ends_with_line_end {
            text.push_str(self.line_end);
        }
        let bytes = match self.encoding {
            Encoding::Utf8 => text.into_bytes(),
            // The generated tables for this encoding are Latin-1.
            Encoding::Windows1252 => text.chars().map(|c| u8::try_from(c).unwrap()).collect(),
        };
        if self.has_bom { [BOM, &bytes].concat() } else { bytes }
    }

    fn cell(&self, cell: &str) -> String {
        // An empty cell alone in its row would be a blank line.
        let is_special = cell.is_empty() || cell.contains(['"', ',', ';', '\t', '\r', '\n']);
        if self.quotes_everything || is_special {
            format!("\"{}\"", cell.replace('"', "\"\""))
        } else {
            cell.to_owned()
        }
    }

    fn expected(&self) -> Vec<(u32, Vec<String>)> {
        let mut number = 1;
        let rows = self.rows.iter().zip(&self.blank_lines).map(|(row, blank)| {
            number += u32::from(*blank) + 1;
            (number, row.clone())
        });
        let is_blank = |cell: &String| cell.bytes().all(|byte| byte.is_ascii_whitespace());
        rows.filter(|(_, cells)| !cells.iter().all(is_blank)).collect()
    }
}

fn written() -> impl Strategy<Value = Written> {
    let cells = prop_oneof![
        "[a-z0-9 ,;\"\t\r\n]{0,12}",
        "[^\u{0}\u{feff}]{0,12}",
        "[a-z]{0,3}\"[\r\n]{0,2}",
    ];
    let latin = "[ -~\u{a0}-\u{ff}\r\n]{0,12}";
    let dialect = (
        select(Delimiter::ALL.to_vec()),
        select(vec!["\n", "\r\n", "\r"]),
        any::<[bool; 3]>(),
        (1..6_usize, 1..20_usize),
        vec(0..3_u8, 20),
    );
    let table = |dialect: &(_, _, _, (usize, usize), _), cell: BoxedStrategy<String>| {
        let (columns, rows) = dialect.3;
        vec(vec(cell, columns), rows)
    };
    (dialect, any::<bool>()).prop_flat_map(move |(dialect, is_latin)| {
        let cell = if is_latin { latin.boxed() } else { cells.clone().boxed() };
        table(&dialect, cell).prop_map(move |mut rows| {
            let (delimiter, line_end, [ends_with_line_end, has_bom, quotes_everything], ..) =
                dialect;
            if is_latin {
                // Makes the file invalid UTF-8.
                rows[0][0] = "\u{e9}t\u{e9}".to_owned();
            }
            let encoding = if is_latin { Encoding::Windows1252 } else { Encoding::Utf8 };
            let has_bom = has_bom && !is_latin;
            let blank_lines = dialect.4.clone();
            Written {
                delimiter,
                encoding,
                line_end,
                ends_with_line_end,
                has_bom,
                quotes_everything,
                rows,
                blank_lines,
            }
        })
    })
}

proptest! {
    #[test]
    fn any_table_in_any_dialect_is_read_as_it_was_written(table in written(), piece in 1..50_usize) {
        let expected = table.expected();
        prop_assume!(!expected.is_empty());
        let read = read_in_pieces_of(piece, &table.file()).unwrap();

        prop_assert_eq!(&read.rows, &expected);
        prop_assert_eq!(usize::try_from(read.total_rows).unwrap(), expected.len());
        // A single column does not show the delimiter.
        if table.rows[0].len() > 1 {
            prop_assert_eq!(read.layout.delimiter, table.delimiter);
        }
        prop_assert_eq!(read.layout.encoding, table.encoding);
        prop_assert_eq!(read.layout.header, table.header());
        prop_assert_eq!(read.unreadable, vec![]);
    }

    #[test]
    fn arbitrary_bytes_never_cause_a_panic(bytes: Vec<u8>, piece in 1..20_usize) {
        let file = [b"phone\n".as_slice(), &bytes].concat();
        if let Ok(read) = read_in_pieces_of(piece, &file) {
            let rows = read.rows.len() + read.unreadable.len();
            prop_assert_eq!(usize::try_from(read.total_rows).unwrap(), rows);
        }
        let _ = read_in_pieces_of(piece, &bytes);
    }
}

#[test]
fn rows_are_counted_as_a_spreadsheet_does() {
    let file = "phone,note\r\n1,a\r\n\r\n2,\"b\r\nc\r\n\r\nd\"\r\n\r\n\r\n3,e";
    let rows: Vec<_> =
        read(file).rows.into_iter().map(|(row, cells)| (row, cells[0].clone())).collect();
    assert_eq!(rows, [(2, "1".to_owned()), (4, "2".to_owned()), (7, "3".to_owned())]);
}

#[test]
fn many_blank_lines_are_counted_and_not_stored() {
    let blank = "\n".repeat(600_000);
    let read = read(format!("phone\n1\n{blank}2\n{blank}{blank}"));
    let rows: Vec<_> = read.rows.iter().map(|(row, cells)| (*row, cells[0].as_str())).collect();
    assert_eq!(rows, [(2, "1"), (600_003, "2")]);
}

#[test]
fn one_invalid_utf_8_character_makes_the_file_windows_1252() {
    let mut file = b"phone,Ville\n1,Kpalim\xc3\xa9\n".to_vec();
    assert_eq!(read(&file).rows[0].1[1], "Kpalimé");

    file.extend(b"2,Lom\xe9\n");
    let read = read(&file);
    assert_eq!(read.layout.encoding, Encoding::Windows1252);
    assert_eq!((read.rows[0].1[1].as_str(), read.rows[1].1[1].as_str()), ("KpalimÃ©", "Lomé"));
    // A character cut off at the end is invalid UTF-8.
    assert_eq!(self::read(b"phone\n1\xc3").layout.encoding, Encoding::Windows1252);
}

#[test]
fn an_unclosed_quote_loses_the_rows_after_it_and_is_reported() {
    let read = read("phone,note\n1,a\n\n2,\"b\n3,c\n");
    assert_eq!(read.rows, [(2, vec!["1".to_owned(), "a".to_owned()])]);
    assert_eq!(read.total_rows, 2);
    let [error] = read.unreadable.try_into().unwrap();
    assert_eq!((error.row, error.column), (4, None));
    assert!(error.reason.contains("not closed"), "{}", error.reason);
}

#[test]
fn skips_an_oversized_record_and_keeps_later_row_numbers() {
    let long = "x\n".repeat(MAX_RECORD);
    let read = read(format!("phone,note\n1,a\n2,\"{long}\"\n\n3,c\n"));
    let rows: Vec<_> = read.rows.iter().map(|(row, cells)| (*row, cells[0].as_str())).collect();
    assert_eq!((rows, read.total_rows), (vec![(2, "1"), (5, "3")], 3));
    assert_eq!((read.unreadable.len(), read.unreadable[0].row), (1, 3));
}

#[test]
fn rejects_other_files_with_a_remedy() {
    let utf16: Vec<_> = "phone\n1\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (file, fault) in [
        (b"".to_vec(), "is empty"),
        (b"\xef\xbb\xbf\r\n\n".to_vec(), "is empty"),
        (b"phone,email\r\n\r\n".to_vec(), "no rows"),
        (b"phone".to_vec(), "no rows"),
        (b"\"phone\n1\n".to_vec(), "not closed"),
        (b"0244123456\n0244123457\n".to_vec(), "`phone` or `email`"),
        (b"name,town\nAma,Ho\n".to_vec(), "`phone` or `email`"),
        ([b"\xff\xfe".to_vec(), utf16.clone()].concat(), "UTF-16"),
        (utf16, "UTF-16"),
        (b"PK\x03\x04 and so on".to_vec(), "workbook"),
        (b"phone\n02441\x0023456\n".to_vec(), "NUL"),
        ([b"phone,".to_vec(), vec![b'x'; 2 * MAX_RECORD]].concat(), "too long"),
    ] {
        let refusal = refused(&file);
        assert!(refusal.contains(fault), "{:?}: {refusal}", String::from_utf8_lossy(&file));
    }
}

#[test]
fn limits_a_file_to_100_000_rows_and_20_mebibytes() {
    let rows = |rows: usize| format!("phone\n{}", "1\n".repeat(rows)).into_bytes();
    let most = read_in_pieces_of(65_536, &rows(100_000)).unwrap();
    assert_eq!((most.total_rows, most.rows.len()), (100_000, 100_000));
    let refused =
        |file: &[u8]| matches!(read_in_pieces_of(65_536, file), Err(Refused::TooLarge(_)));
    assert!(refused(&rows(100_001)));

    let row = format!("1,{}\n", "x".repeat(60_000));
    let mut file = format!("phone,note\n{}", row.repeat(MAX_BYTES / row.len())).into_bytes();
    file.resize(MAX_BYTES, b'\n');
    assert!(!refused(&file));
    file.push(b'\n');
    assert!(refused(&file));
}

#[test]
fn rows_of_separators_are_not_counted() {
    let file = "phone,Town\r\n,\r\n0244123456,Ho\r\n , \r\n\"\",\r\n0244123457,\r\n,,,\r\n";
    for size in [1, 7, 4_096] {
        let mut upload = Upload::new(ImportKind::Contacts, Mapping::default());
        let mut rows = 0;
        for piece in file.as_bytes().chunks(size) {
            rows += upload.write(piece).unwrap().iter().map(|chunk| chunk.rows).sum::<u32>();
        }
        let received = upload.finish().unwrap();
        rows += received.last.map_or(0, |chunk| chunk.rows);
        assert_eq!((received.total_rows, rows), (2, 2), "in pieces of {size}");
    }
    assert_eq!(refused(b"phone,Town\n,\n,,\n"), "has a header and no rows");
}
