//! A file as it comes in: looked through piece by piece, and cut into chunks of whole records.

use super::{
    columns::Columns,
    headers::{self, Mapping},
    layout::{Delimiter, Encoding, Layout},
    records::{MAX_RECORD, RecordReader, Step},
    row::RowError,
};
use crate::{audience::import::ImportKind, shared::fault::Faults};

/// The most bytes of a file.
pub const MAX_BYTES: usize = 20 << 20;
/// The most rows of a file, without its header.
pub const MAX_ROWS: u32 = 100_000;

/// How many records a chunk has at the most, and after how many bytes it ends: it is worked off in
/// one transaction.
const CHUNK_ROWS: u32 = 1_000;
const CHUNK_BYTES: usize = 256 * 1_024;

const BOM: &[u8] = b"\xef\xbb\xbf";
/// The beginnings of files that are no CSV, and what they are.
const OTHERS: [(&[u8], &str); 4] = [
    (b"\xff\xfe", "is UTF-16; save it as CSV in UTF-8"),
    (b"\xfe\xff", "is UTF-16; save it as CSV in UTF-8"),
    (b"PK\x03\x04", "is a workbook, not CSV; save it as CSV in UTF-8"),
    (b"\xd0\xcf\x11\xe0", "is a workbook, not CSV; save it as CSV in UTF-8"),
];

/// A file that is coming in.
pub struct Upload {
    kind: ImportKind,
    mapping: Mapping,
    bytes: usize,
    encoding: EncodingSoFar,
    /// What came before the header was whole.
    head: Vec<u8>,
    body: Option<Body>,
}

/// A file after its delimiter is known.
struct Body {
    delimiter: Delimiter,
    reader: RecordReader,
    /// The header, once it is whole.
    header: Option<Vec<Vec<u8>>>,
    rows: u32,
    chunk: Chunk,
    chunks: u32,
    /// Where in the chunk the present record begins.
    record: usize,
    /// Whether the next record begins another chunk.
    is_cut: bool,
    unreadable: Vec<RowError>,
}

/// A part of a file: whole records, one after the other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chunk {
    /// Which part, from 0.
    pub number: u32,
    /// The row of the first record.
    pub first_row: u32,
    /// How many records there are.
    pub rows: u32,
    /// The records as they came.
    pub bytes: Vec<u8>,
}

/// A file that has come in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// How it is written.
    pub layout: Layout,
    /// How many rows it has, with those that cannot be read.
    pub total_rows: u32,
    /// The last part, if there is one that was not handed out yet.
    pub last: Option<Chunk>,
    /// The rows that cannot be read.
    pub unreadable: Vec<RowError>,
}

/// Why a file is not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// It is too large.
    TooLarge(&'static str),
    /// It is no file that can be imported.
    Invalid(Faults),
}

impl Refused {
    fn file(fault: &str) -> Self {
        Self::Invalid(Faults::field("file", fault))
    }
}

impl Upload {
    /// A file of that kind of rows, of which nothing has come yet. `mapping` says what its columns are.
    pub fn new(kind: ImportKind, mapping: Mapping) -> Self {
        let encoding = EncodingSoFar::default();
        Self { kind, mapping, bytes: 0, encoding, head: Vec::new(), body: None }
    }

    /// Takes what comes next, and returns the parts that are whole.
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
        // However small the pieces are, the header is not looked through again for each.
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

    /// Ends the file.
    pub fn finish(mut self) -> Result<Received, Refused> {
        if self.body.is_none() {
            let text = self.head.strip_prefix(BOM).unwrap_or(&self.head);
            if text.iter().all(u8::is_ascii_whitespace) {
                return Err(Refused::file("is empty"));
            }
            // A header alone may lack the end of its line.
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

    /// The chunk that is whole, if the record that begins is not a part of it.
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
        // What is wrong with it is told before the rest has come. Only the rest says for certain how
        // it is encoded, and names of fields are ASCII.
        let is_utf8 = header.iter().all(|cell| std::str::from_utf8(cell).is_ok());
        let encoding = if is_utf8 { Encoding::Utf8 } else { Encoding::Windows1252 };
        meanings(expected, &decoded(&header, encoding))?;
        self.header = Some(header);
        Ok(())
    }

    /// Takes the present record out of its chunk. The chunk ends there, for its rows are counted from
    /// the first.
    fn drop_record(&mut self, reason: String) {
        self.chunk.bytes.truncate(self.record);
        self.unreadable.push(RowError::whole(self.reader.row(), reason));
        self.is_cut = true;
    }

    /// Begins another chunk, with the record that begins; returns the one before, if it has any.
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

/// The kind of the rows of a file, and the mapping of its columns.
type Expected<'e> = (ImportKind, &'e Mapping);

/// Returns the meanings of columns with such headers.
fn meanings((kind, mapping): Expected<'_>, labels: &[String]) -> Result<Vec<String>, Refused> {
    let header = headers::understood(kind, labels, mapping).map_err(Refused::Invalid)?;
    Columns::read(kind, &header, labels).map_err(Refused::Invalid)?;
    Ok(header)
}

fn decoded(header: &[Vec<u8>], encoding: Encoding) -> Vec<String> {
    header.iter().map(|cell| encoding.decode(cell).into_owned()).collect()
}

/// What is known of the encoding by now.
#[derive(Default)]
struct EncodingSoFar {
    is_other: bool,
    /// The beginning of a character whose rest has not come.
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
