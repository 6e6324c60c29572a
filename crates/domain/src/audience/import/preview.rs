//! Preview of an import: the beginning of a file as the import would understand it.

use chrono::{DateTime, Utc};

use super::{
    ImportKind, SHOWN_ERRORS,
    columns::{Columns, trimmed},
    contact_rows::ContactTable,
    headers::Mapping,
    layout::Layout,
    row::RowError,
    upload::{Chunk, Refused, Upload},
};
use crate::{audience::contact::Contact, identity::organization::Organization, shared::id::Id};

/// Number of rows that are checked.
const CHECKED_ROWS: u32 = 1_000;
/// Number of bytes after which no more rows are read: rows may be long.
const READ_BYTES: usize = 2 << 20;
/// Maximum number of rows that are shown.
const SHOWN_ROWS: usize = 10;

/// Beginning of a file of contacts, as an import would understand it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// Columns of the file, in its order.
    pub columns: Vec<PreviewColumn>,
    /// First rows that would be imported.
    pub rows: Vec<PreviewRow>,
    /// Rows among the checked ones that would fail or lose cells, in their order.
    pub errors: Vec<RowError>,
}

/// Column of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviewColumn {
    /// Header of the column.
    pub header: String,
    /// Field of the column, or `attributes.` and a name; `None` if the column is ignored.
    pub field: Option<String>,
}

/// Row that would be imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviewRow {
    /// Number of the row, as a spreadsheet counts.
    pub row: u32,
    /// Contact that it would create if none matches.
    pub contact: Contact,
}

/// Reader of the beginning of a file of contacts.
pub struct PreviewReader {
    upload: Upload,
    chunks: Vec<Chunk>,
    rows: u32,
    bytes: usize,
}

impl PreviewReader {
    /// Starts with no bytes. `mapping` assigns fields to columns.
    pub fn new(mapping: Mapping) -> Self {
        let upload = Upload::new(ImportKind::Contacts, mapping);
        Self { upload, chunks: Vec::new(), rows: 0, bytes: 0 }
    }

    /// Takes the next bytes. Fails if the file is rejected.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Refused> {
        self.bytes += bytes.len();
        for chunk in self.upload.write(bytes)? {
            self.rows += chunk.rows;
            self.chunks.push(chunk);
        }
        Ok(())
    }

    /// True if no more bytes are needed.
    pub fn is_full(&self) -> bool {
        self.rows >= CHECKED_ROWS || self.bytes >= READ_BYTES && !self.chunks.is_empty()
    }

    /// Returns the preview of the bytes so far. Fails if the file is rejected.
    pub fn finish(
        self,
        organization: Id<Organization>,
        now: DateTime<Utc>,
    ) -> Result<Preview, Refused> {
        let is_full = self.is_full();
        let received = if is_full { self.upload.cut_off() } else { self.upload.finish() }?;
        let mut chunks = self.chunks;
        if !is_full {
            chunks.extend(received.last);
        }
        let Checked { rows, mut errors, last_row, is_cut } =
            Checked::of(&received.layout, &chunks, organization, now)?;
        let is_whole = !is_full && !is_cut;
        for error in received.unreadable {
            if is_whole || error.row <= last_row {
                errors.push(error);
            }
        }
        errors.sort_by_key(|error| error.row);
        errors.truncate(SHOWN_ERRORS);
        Ok(Preview { columns: columns(&received.layout)?, rows, errors })
    }
}

/// Results of the checked rows.
struct Checked {
    rows: Vec<PreviewRow>,
    errors: Vec<RowError>,
    /// Number of the last row.
    last_row: u32,
    /// True if more rows were there.
    is_cut: bool,
}

impl Checked {
    fn of(
        layout: &Layout,
        chunks: &[Chunk],
        organization: Id<Organization>,
        now: DateTime<Utc>,
    ) -> Result<Self, Refused> {
        let table = ContactTable::new(layout.clone()).map_err(Refused::Invalid)?;
        let mut checked = Self { rows: Vec::new(), errors: Vec::new(), last_row: 0, is_cut: false };
        let rows = chunks.iter().flat_map(|chunk| table.rows(chunk, organization, now));
        for (index, row) in (0..).zip(rows) {
            if index == CHECKED_ROWS {
                checked.is_cut = true;
                break;
            }
            checked.last_row = row.number;
            checked.errors.extend(row.remark);
            match row.content {
                Ok(content) if checked.rows.len() < SHOWN_ROWS => {
                    checked.rows.push(PreviewRow { row: row.number, contact: content.contact });
                }
                Ok(_) => {}
                Err(error) => checked.errors.push(error),
            }
        }
        Ok(checked)
    }
}

fn columns(layout: &Layout) -> Result<Vec<PreviewColumn>, Refused> {
    let columns = Columns::read(ImportKind::Contacts, &layout.header, &layout.labels);
    let columns = columns.map_err(Refused::Invalid)?;
    let named = layout.labels.iter().zip(columns.paths());
    Ok(named
        .map(|(header, field)| PreviewColumn { header: trimmed(header).to_owned(), field })
        .collect())
}

#[cfg(test)]
mod tests;
