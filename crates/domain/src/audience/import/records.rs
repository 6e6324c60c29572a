//! Records of a file, read from bytes in pieces of any size.

use super::layout::{Delimiter, Layout};

/// Maximum number of bytes in a record. A longer one usually lacks a closing quote.
pub(super) const MAX_RECORD: usize = 64 * 1_024;
/// Maximum number of cells in a record.
const MAX_CELLS: usize = 4_096;

/// Record with its row number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) row: u32,
    pub(super) cells: Vec<String>,
}

impl Record {
    /// True if there is nothing between its separators. This concerns ASCII only, so it does not depend on
    /// the encoding, which is unknown until the file is complete.
    pub(super) fn is_blank(&self) -> bool {
        self.cells.iter().all(|cell| is_blank(cell.as_bytes()))
    }
}

fn is_blank(cell: &[u8]) -> bool {
    cell.iter().all(u8::is_ascii_whitespace)
}

/// Finds records in bytes, and counts rows like a spreadsheet.
pub(super) struct RecordReader {
    csv: csv_core::Reader,
    /// Number of the row that began last.
    row: u32,
    place: Place,
    text: Vec<u8>,
    ends: Vec<usize>,
    length: usize,
    cells: usize,
    is_too_long: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Between,
    /// A following line feed belongs to the same line end.
    AfterCarriageReturn,
    Inside,
}

/// Result of reading some bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// A record begins with the next byte.
    Began,
    /// The record ended with its line.
    Ended,
    /// No byte is left.
    Exhausted,
}

impl RecordReader {
    /// Returns a reader that continues after `rows_before` rows.
    pub(super) fn new(delimiter: Delimiter, rows_before: u32) -> Self {
        Self {
            csv: csv_core::ReaderBuilder::new().delimiter(delimiter.byte()).build(),
            row: rows_before,
            place: Place::Between,
            text: vec![0; 4 * 1_024],
            ends: vec![0; 64],
            length: 0,
            cells: 0,
            is_too_long: false,
        }
    }

    /// Returns the row number of the record that began last.
    pub(super) fn row(&self) -> u32 {
        self.row
    }

    /// True if a record began and has not ended.
    pub(super) fn is_inside(&self) -> bool {
        self.place == Place::Inside
    }

    /// True if the record exceeds the maximum size. Its cells are lost.
    pub(super) fn is_too_long(&self) -> bool {
        self.is_too_long
    }

    /// Reads up to the next beginning or end of a record. Also returns the number of bytes read.
    pub(super) fn step(&mut self, bytes: &[u8]) -> (usize, Step) {
        if self.place == Place::Inside {
            return self.read(bytes);
        }
        for (at, byte) in bytes.iter().enumerate() {
            match (self.place, byte) {
                (Place::AfterCarriageReturn, b'\n') => self.place = Place::Between,
                (_, b'\n') => {
                    self.row += 1;
                    self.place = Place::Between;
                }
                (_, b'\r') => {
                    self.row += 1;
                    self.place = Place::AfterCarriageReturn;
                }
                _ => {
                    self.row += 1;
                    self.place = Place::Inside;
                    (self.length, self.cells, self.is_too_long) = (0, 0, false);
                    return (at, Step::Began);
                }
            }
        }
        (bytes.len(), Step::Exhausted)
    }

    /// Ends the last record of a file, which may lack a line end. Returns false if it ends inside quotes.
    pub(super) fn end(&mut self) -> bool {
        // Inside quotes the line feed is part of the text.
        self.read(b"\n").1 == Step::Ended
    }

    /// True if the record that ended has nothing between its separators.
    pub(super) fn is_blank(&self) -> bool {
        self.cells().all(is_blank)
    }

    /// Returns the cells of the record that ended, as bytes.
    pub(super) fn cells(&self) -> impl Iterator<Item = &[u8]> {
        let ends = &self.ends[..self.cells];
        let begins = std::iter::once(0).chain(ends.iter().copied());
        begins.zip(ends).map(|(begin, end)| &self.text[begin..*end])
    }

    fn read(&mut self, bytes: &[u8]) -> (usize, Step) {
        use csv_core::ReadRecordResult as Read;

        let mut used = 0;
        // The parser takes an empty input for the end of the file.
        while used < bytes.len() {
            let (read, taken, length, cells) = self.csv.read_record(
                &bytes[used..],
                &mut self.text[self.length..],
                &mut self.ends[self.cells..],
            );
            used += taken;
            self.length += length;
            self.cells += cells;
            match read {
                Read::Record => {
                    let is_return = bytes[used - 1] == b'\r';
                    self.place =
                        if is_return { Place::AfterCarriageReturn } else { Place::Between };
                    return (used, Step::Ended);
                }
                Read::OutputFull if self.text.len() < MAX_RECORD => {
                    self.text.resize(2 * self.text.len(), 0);
                }
                Read::OutputEndsFull if self.ends.len() < MAX_CELLS => {
                    self.ends.resize(2 * self.ends.len(), 0);
                }
                Read::OutputFull | Read::OutputEndsFull => {
                    self.is_too_long = true;
                    (self.length, self.cells) = (0, 0);
                }
                Read::InputEmpty | Read::End => {}
            }
        }
        (used, Step::Exhausted)
    }
}

/// Returns the records of a part of a file that starts and ends at record boundaries. Its first record is
/// in the row `first_row`.
pub(super) fn records(layout: &Layout, first_row: u32, bytes: &[u8]) -> Vec<Record> {
    let mut reader = RecordReader::new(layout.delimiter, first_row.saturating_sub(1));
    let mut records = Vec::new();
    let mut rest = bytes;
    loop {
        let (used, step) = reader.step(rest);
        rest = &rest[used..];
        match step {
            Step::Began => {}
            Step::Ended => records.push(record(&reader, layout)),
            Step::Exhausted => break,
        }
    }
    if reader.is_inside() && reader.end() {
        records.push(record(&reader, layout));
    }
    records
}

fn record(reader: &RecordReader, layout: &Layout) -> Record {
    let cells = reader.cells().map(|cell| layout.encoding.decode(cell).into_owned()).collect();
    Record { row: reader.row(), cells }
}
