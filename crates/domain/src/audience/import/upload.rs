//! Upload of a file: checked piece by piece, and cut into chunks of whole records.

use super::{
    columns::Columns,
    headers::{self, Mapping},
    layout::{Delimiter, Encoding, Layout},
    records::{MAX_RECORD, RecordReader, Step},
    row::RowError,
};
use crate::{audience::import::ImportKind, shared::fault::Faults};

/// Maximum size of a file, in bytes.
pub const MAX_BYTES: usize = 20 << 20;
/// Maximum number of rows of a file, without its header.
pub const MAX_ROWS: u32 = 100_000;

/// Maximum number of records of a chunk, and size in bytes at which it ends: a chunk is processed in one
/// transaction.
const CHUNK_ROWS: u32 = 1_000;
const CHUNK_BYTES: usize = 256 * 1_024;

/// Mark with which some programs begin files in UTF-8.
pub(super) const BOM: &[u8] = b"\xef\xbb\xbf";
/// First bytes of files that are not CSV, with the fault to report.
const OTHERS: [(&[u8], &str); 4] = [
    (b"\xff\xfe", "is UTF-16; save it as CSV in UTF-8"),
    (b"\xfe\xff", "is UTF-16; save it as CSV in UTF-8"),
    (b"PK\x03\x04", "is a workbook, not CSV; save it as CSV in UTF-8"),
    (b"\xd0\xcf\x11\xe0", "is a workbook, not CSV; save it as CSV in UTF-8"),
];

/// File that is being uploaded.
pub struct Upload {
    kind: ImportKind,
    mapping: Mapping,
    bytes: usize,
    encoding: EncodingSoFar,
    /// Bytes received before the header was complete.
    head: Vec<u8>,
    body: Option<Body>,
}

/// File with a known delimiter.
struct Body {
    delimiter: Delimiter,
    reader: RecordReader,
    /// Header; `None` until it is complete.
    header: Option<Vec<Vec<u8>>>,
    rows: u32,
    chunk: Chunk,
    chunks: u32,
    /// Position in the chunk at which the current record begins.
    record: usize,
    /// True if the next record begins another chunk.
    is_cut: bool,
    unreadable: Vec<RowError>,
}

/// Part of a file: consecutive whole records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chunk {
    /// Number of the chunk, from 0.
    pub number: u32,
    /// Row number of the first record.
    pub first_row: u32,
    /// Number of records.
    pub rows: u32,
    /// Bytes of the records, unchanged.
    pub bytes: Vec<u8>,
}

/// Completely received file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// Layout of the file.
    pub layout: Layout,
    /// Number of rows, including unreadable ones.
    pub total_rows: u32,
    /// Last chunk; `None` if all were returned before.
    pub last: Option<Chunk>,
    /// Rows that cannot be read.
    pub unreadable: Vec<RowError>,
}

/// Reason for which a file is rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// The file is too large.
    TooLarge(&'static str),
    /// The file cannot be imported.
    Invalid(Faults),
}

impl Refused {
    fn file(fault: &str) -> Self {
        Self::Invalid(Faults::field("file", fault))
    }
}

impl Upload {
    /// Starts the upload of a file of that kind. `mapping` assigns fields to its columns.
    pub fn new(kind: ImportKind, mapping: Mapping) -> Self {
        let encoding = EncodingSoFar::default();
        Self { kind, mapping, bytes: 0, encoding, head: Vec::new(), body: None }
    }

    /// Takes the next bytes, and returns the chunks that are complete. Fails if the file is rejected.
    pub fn write(&mut self, bytes: &[u8]) -> Result<Vec<Chunk>, Refused> {
        self.bytes += bytes.len();
        if self.bytes > MAX_BYTES {
            return Err(Refused::TooLarge("the file must have at most 20 MiB"));
        }
        if let Some(body) = &mut self.body {
            let chunks = body.write(bytes, (self.kind, &self.mapping))?;
            return self.check(bytes).map(|()| chunks);
        }
        self.head.extend_from_slice(bytes);
        for (beginning, fault) in OTHERS {
            if self.head.starts_with(beginning) {
                return Err(Refused::file(fault));
            }
        }
        self.check(bytes)?;
        let text = self.head.strip_prefix(BOM).unwrap_or(&self.head);
        // Small pieces must not make each call scan the header again.
        let may_be_whole = bytes.iter().any(|byte| matches!(byte, b'\r' | b'\n'));
        if !may_be_whole && text.len() <= MAX_RECORD {
            return Ok(Vec::new());
        }
        match Delimiter::of_header(text) {
            None if text.len() > MAX_RECORD => {
                Err(Refused::file("has no header: its first row is too long"))
            }
            None => Ok(Vec::new()),
            Some(delimiter) => self.begin(delimiter),
        }
    }

    /// Ends the file. Fails if it is rejected.
    pub fn finish(mut self) -> Result<Received, Refused> {
        if self.body.is_none() {
            let text = self.head.strip_prefix(BOM).unwrap_or(&self.head);
            if text.iter().all(u8::is_ascii_whitespace) {
                return Err(Refused::file("is empty"));
            }
            // A file with only a header may lack the line end.
            self.head.push(b'\n');
            let text = self.head.strip_prefix(BOM).unwrap_or(&self.head);
            let unclosed =
                || Refused::file("has no header: a quote in its first row is not closed");
            let delimiter = Delimiter::of_header(text).ok_or_else(unclosed)?;
            self.begin(delimiter)?;
        }
        let encoding = self.encoding.finish();
        match self.body {
            Some(body) => body.finish(encoding, (self.kind, &self.mapping)),
            None => Err(Refused::file("is empty")),
        }
    }

    /// Ends the file although only a part of it has arrived. Its last record may be incomplete.
    pub(super) fn cut_off(mut self) -> Result<Received, Refused> {
        // An incomplete character at the end says nothing about the encoding.
        self.encoding.begun.clear();
        self.finish()
    }

    fn begin(&mut self, delimiter: Delimiter) -> Result<Vec<Chunk>, Refused> {
        let head = std::mem::take(&mut self.head);
        let mut body = Body {
            delimiter,
            reader: RecordReader::new(delimiter, 0),
            header: None,
            rows: 0,
            chunk: Chunk::default(),
            chunks: 0,
            record: 0,
            is_cut: true,
            unreadable: Vec::new(),
        };
        let chunks =
            body.write(head.strip_prefix(BOM).unwrap_or(&head), (self.kind, &self.mapping))?;
        self.body = Some(body);
        Ok(chunks)
    }

    fn check(&mut self, bytes: &[u8]) -> Result<(), Refused> {
        if bytes.contains(&0) {
            return Err(Refused::file(
                "contains the character NUL, as UTF-16 does; save it as CSV in UTF-8",
            ));
        }
        self.encoding.write(bytes);
        Ok(())
    }
}

impl Body {
    fn write(&mut self, bytes: &[u8], expected: Expected<'_>) -> Result<Vec<Chunk>, Refused> {
        let mut whole = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            let (used, step) = self.reader.step(rest);
            let (taken, left) = rest.split_at(used);
            rest = left;
            let is_between = step == Step::Began || !self.reader.is_inside() && step != Step::Ended;
            if is_between && self.chunk.bytes.len() >= CHUNK_BYTES {
                // Any number of blank lines may follow.
                self.is_cut = true;
            } else if self.header.is_some() && !self.reader.is_too_long() {
                self.chunk.bytes.extend_from_slice(taken);
            }
            match step {
                Step::Began => whole.extend(self.begin_record()?),
                Step::Ended => self.end_record(expected)?,
                Step::Exhausted => {}
            }
        }
        Ok(whole)
    }

    /// Counts a new record. Returns the previous chunk if the record does not belong to it.
    fn begin_record(&mut self) -> Result<Option<Chunk>, Refused> {
        if self.header.is_none() {
            return Ok(None);
        }
        self.rows += 1;
        if self.rows > MAX_ROWS {
            return Err(Refused::TooLarge("the file must have at most 100,000 rows"));
        }
        let is_full = self.chunk.rows >= CHUNK_ROWS || self.chunk.bytes.len() >= CHUNK_BYTES;
        let whole = if self.is_cut || is_full { self.cut() } else { None };
        self.record = self.chunk.bytes.len();
        Ok(whole)
    }

    fn end_record(&mut self, expected: Expected<'_>) -> Result<(), Refused> {
        if self.header.is_some() {
            if self.reader.is_too_long() {
                self.drop_record(format!("has more than {MAX_RECORD} bytes; is a quote missing?"));
            } else if self.reader.is_blank() {
                // It stays in the chunk, whose rows are counted from the first.
                self.rows -= 1;
            } else {
                self.chunk.rows += 1;
            }
            return Ok(());
        }
        if self.reader.is_too_long() {
            return Err(Refused::file("has no header: its first row is too long"));
        }
        let header: Vec<_> = self.reader.cells().map(<[u8]>::to_vec).collect();
        // Reports faults of the header before the rest is received. The encoding is certain only at the
        // end, but names of fields are ASCII.
        let is_utf8 = header.iter().all(|cell| std::str::from_utf8(cell).is_ok());
        let encoding = if is_utf8 { Encoding::Utf8 } else { Encoding::Windows1252 };
        meanings(expected, &decoded(&header, encoding))?;
        self.header = Some(header);
        Ok(())
    }

    /// Removes the current record from its chunk. The chunk ends there, since its rows are counted from the
    /// first.
    fn drop_record(&mut self, reason: String) {
        self.chunk.bytes.truncate(self.record);
        self.unreadable.push(RowError::whole(self.reader.row(), reason));
        self.is_cut = true;
    }

    /// Begins another chunk at the current record. Returns the previous one, unless it is empty.
    fn cut(&mut self) -> Option<Chunk> {
        let next = Chunk { number: 0, first_row: self.reader.row(), rows: 0, bytes: Vec::new() };
        let mut whole = std::mem::replace(&mut self.chunk, next);
        self.is_cut = false;
        if whole.rows == 0 {
            return None;
        }
        whole.number = self.chunks;
        self.chunks += 1;
        Some(whole)
    }

    fn finish(mut self, encoding: Encoding, expected: Expected<'_>) -> Result<Received, Refused> {
        if self.reader.is_inside() {
            if self.reader.end() {
                self.end_record(expected)?;
            } else {
                self.drop_record(
                    "has a quote that is not closed before the end of the file".into(),
                );
            }
        }
        let Some(header) = &self.header else {
            return Err(Refused::file("has no header"));
        };
        let labels = decoded(header, encoding);
        let header = meanings(expected, &labels)?;
        if self.rows == 0 {
            return Err(Refused::file("has a header and no rows"));
        }
        Ok(Received {
            layout: Layout { delimiter: self.delimiter, encoding, header, labels },
            total_rows: self.rows,
            last: self.cut(),
            unreadable: self.unreadable,
        })
    }
}

/// Kind of the rows of a file, and mapping of its columns.
type Expected<'e> = (ImportKind, &'e Mapping);

/// Returns the meanings of columns with these headers.
fn meanings((kind, mapping): Expected<'_>, labels: &[String]) -> Result<Vec<String>, Refused> {
    let header = headers::understood(kind, labels, mapping).map_err(Refused::Invalid)?;
    Columns::read(kind, &header, labels).map_err(Refused::Invalid)?;
    Ok(header)
}

fn decoded(header: &[Vec<u8>], encoding: Encoding) -> Vec<String> {
    header.iter().map(|cell| encoding.decode(cell).into_owned()).collect()
}

/// Encoding as far as known from the bytes so far.
#[derive(Default)]
struct EncodingSoFar {
    is_other: bool,
    /// First bytes of a character that is incomplete.
    begun: Vec<u8>,
}

impl EncodingSoFar {
    fn write(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !self.is_other && !self.begun.is_empty() && !rest.is_empty() {
            self.begun.push(rest[0]);
            rest = &rest[1..];
            match std::str::from_utf8(&self.begun) {
                Ok(_) => self.begun.clear(),
                Err(error) => self.is_other = error.error_len().is_some(),
            }
        }
        if self.is_other {
            return;
        }
        if let Err(error) = std::str::from_utf8(rest) {
            match error.error_len() {
                Some(_) => self.is_other = true,
                None => self.begun = rest[error.valid_up_to()..].to_vec(),
            }
        }
    }

    fn finish(&self) -> Encoding {
        if self.is_other || !self.begun.is_empty() { Encoding::Windows1252 } else { Encoding::Utf8 }
    }
}

#[cfg(test)]
mod tests;
