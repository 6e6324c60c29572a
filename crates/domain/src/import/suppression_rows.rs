//! Rows of suppression lists: what each says, and which of them say the same.

use std::{collections::HashMap, fmt, str::FromStr};

use chrono::{DateTime, Utc};

use super::{
    columns::{Columns, Meaning},
    contact_rows::phone_as_typed,
    layout::Layout,
    records::{Record, records},
    row::{Row, RowError},
    upload::Chunk,
};
use crate::{
    category::Category,
    channel::Channel,
    fault::Faults,
    id::Id,
    import::ImportKind,
    organization::Organization,
    suppression::{Suppression, SuppressionRequest},
};

/// How a file of suppressions is read.
#[derive(Debug, Clone)]
pub struct SuppressionTable {
    layout: Layout,
    columns: Columns,
}

/// What rows come to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SuppressionPlan {
    /// The entries that the list has from then on. No two are for the same.
    pub entries: Vec<Suppression>,
    /// How many rows say what an entry here says already.
    pub repeated: u32,
    /// Why the others cannot be taken.
    pub errors: Vec<RowError>,
}

impl SuppressionTable {
    /// How a file with that layout is read.
    pub fn new(layout: Layout) -> Result<Self, Faults> {
        let columns = Columns::read(ImportKind::Suppressions, &layout.header)?;
        Ok(Self { layout, columns })
    }

    /// The rows of a part of the file.
    pub fn rows(
        &self,
        chunk: &Chunk,
        organization: Id<Organization>,
        now: DateTime<Utc>,
    ) -> Vec<Row<Suppression>> {
        let records = records(&self.layout, chunk.first_row, &chunk.bytes);
        let row = |record: Record| Row {
            number: record.row,
            content: self.row(&record, organization, now),
        };
        records.into_iter().map(row).collect()
    }

    fn row(
        &self,
        record: &Record,
        organization: Id<Organization>,
        now: DateTime<Utc>,
    ) -> Result<Suppression, RowError> {
        let cells = self.columns.cells(record)?;
        let (mut request, mut faults) = (SuppressionRequest::default(), Faults::default());
        for (meaning, cell) in cells {
            match meaning {
                Meaning::Field("phone") => {
                    request.phone = faults.take("phone", phone_as_typed(cell)).map(str::to_owned);
                }
                Meaning::Field("email") => request.email = Some(cell.to_owned()),
                Meaning::Field("channel") => {
                    request.channel = named::<Channel>(&mut faults, "channel", cell);
                }
                Meaning::Field("category") => {
                    request.category = named::<Category>(&mut faults, "category", cell);
                }
                Meaning::Field("reason") => request.reason = Some(cell.to_owned()),
                Meaning::Field(_) | Meaning::Attribute(_) | Meaning::Nothing => {}
            }
        }
        match request.entry(organization, now) {
            Ok(entry) if faults.is_empty() => Ok(entry),
            Ok(_) => Err(RowError::of_faults(record.row, &faults, &self.columns.headers)),
            Err(mut found) => {
                // A number that is wrong is not missing as well.
                if !faults.is_empty() {
                    found.form.clear();
                }
                faults.merge_new("", found);
                Err(RowError::of_faults(record.row, &faults, &self.columns.headers))
            }
        }
    }
}

/// A name in any case.
fn named<T: FromStr<Err: fmt::Display>>(faults: &mut Faults, path: &str, cell: &str) -> Option<T> {
    faults.take(path, cell.to_ascii_uppercase().parse())
}

impl SuppressionPlan {
    /// What rows come to, in their order. The last reason that is given for the same holds.
    pub fn of(rows: Vec<Row<Suppression>>) -> Self {
        let mut plan = Self::default();
        let mut known = HashMap::new();
        for Row { content, .. } in rows {
            let entry = match content {
                Ok(entry) => entry,
                Err(error) => {
                    plan.errors.push(error);
                    continue;
                }
            };
            let email = entry.email.as_ref().map(|it| it.as_str().to_lowercase());
            let key = (entry.phone.clone(), email, entry.channel, entry.category);
            match known.get(&key) {
                None => {
                    known.insert(key, plan.entries.len());
                    plan.entries.push(entry);
                }
                Some(index) => {
                    let same: &mut Suppression = &mut plan.entries[*index];
                    same.reason = entry.reason.or(same.reason.take());
                    plan.repeated += 1;
                }
            }
        }
        plan
    }
}

#[cfg(test)]
mod tests;
