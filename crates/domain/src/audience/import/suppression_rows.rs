//! Suppression rows, and the merging of equal ones.

use std::{collections::HashMap, fmt, str::FromStr};

use chrono::{DateTime, Utc};

use super::{
    columns::{Columns, Meaning},
    layout::Layout,
    records::{Record, records},
    row::{Row, RowError},
    typed_phone::phone_as_typed,
    upload::Chunk,
};
use crate::{
    audience::{
        import::ImportKind,
        suppression::{Suppression, SuppressionRequest},
    },
    identity::organization::Organization,
    shared::{category::Category, channel::Channel, fault::Faults, id::Id},
};

/// Reader for the rows of a file of suppressions.
#[derive(Debug, Clone)]
pub struct SuppressionTable {
    layout: Layout,
    columns: Columns,
}

/// Entries that a set of rows makes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SuppressionPlan {
    /// New entries of the list, all distinct.
    pub entries: Vec<Suppression>,
    /// Number of rows that repeat one of these entries.
    pub repeated: u32,
    /// Reasons for which the other rows are not imported.
    pub errors: Vec<RowError>,
    /// Skipped cells of imported rows, with reasons.
    pub remarks: Vec<RowError>,
}

impl SuppressionTable {
    /// Returns the reader for files with that layout. Fails if the header is invalid.
    pub fn new(layout: Layout) -> Result<Self, Faults> {
        let columns = Columns::read(ImportKind::Suppressions, &layout.header, &layout.labels)?;
        Ok(Self { layout, columns })
    }

    /// Returns the rows of a chunk, without blank ones.
    pub fn rows(
        &self,
        chunk: &Chunk,
        organization: Id<Organization>,
        now: DateTime<Utc>,
    ) -> Vec<Row<Suppression>> {
        let records = records(&self.layout, chunk.first_row, &chunk.bytes);
        let records = records.into_iter().filter(|record| !record.is_blank());
        records.map(|record| self.row(&record, organization, now)).collect()
    }

    /// Reads a row. Skips an invalid phone, email or reason if another address remains. Fails if the
    /// channel or the category is invalid: without it the entry would cover more.
    fn row(
        &self,
        record: &Record,
        organization: Id<Organization>,
        now: DateTime<Utc>,
    ) -> Row<Suppression> {
        let headers = &self.columns.headers;
        let (request, mut faults) = match self.request(record) {
            Ok(read) => read,
            Err(error) => return Row::whole(record.row, Err(error)),
        };
        let entry = request.entry(organization, now).or_else(|mut found| {
            let mut rest = self.request(record).map(|(request, _)| request).unwrap_or_default();
            for path in found.fields.keys() {
                match path.as_str() {
                    "phone" => rest.phone = None,
                    "email" => rest.email = None,
                    "reason" => rest.reason = None,
                    _ => {}
                }
            }
            // The second attempt reports missing addresses again.
            found.form.clear();
            faults.merge_new("", found);
            rest.entry(organization, now)
        });
        let is_narrow = |faults: &Faults| {
            !faults.fields.contains_key("channel") && !faults.fields.contains_key("category")
        };
        match entry {
            Ok(entry) if is_narrow(&faults) => {
                let remark = (!faults.is_empty())
                    .then(|| RowError::of_left_out(record.row, &faults, headers));
                Row { number: record.row, content: Ok(entry), remark }
            }
            none => {
                let mut found = none.err().unwrap_or_default();
                if !faults.is_empty() {
                    // An invalid address is not missing as well.
                    found.form.clear();
                }
                faults.merge_new("", found);
                Row::whole(record.row, Err(RowError::of_faults(record.row, &faults, headers)))
            }
        }
    }

    /// Reads a record, and collects the faults that its cells have by themselves.
    fn request(&self, record: &Record) -> Result<(SuppressionRequest, Faults), RowError> {
        let (mut request, mut faults) = (SuppressionRequest::default(), Faults::default());
        for (meaning, cell) in self.columns.cells(record)? {
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
                Meaning::Field(_) | Meaning::Attribute(_) | Meaning::Nothing | Meaning::LeftOut => {
                }
            }
        }
        Ok((request, faults))
    }
}

/// Parses a name in any case.
fn named<T: FromStr<Err: fmt::Display>>(faults: &mut Faults, path: &str, cell: &str) -> Option<T> {
    faults.take(path, cell.to_ascii_uppercase().parse())
}

impl SuppressionPlan {
    /// Returns the plan for the rows, in their order. Among equal entries the last reason holds.
    pub fn of(rows: Vec<Row<Suppression>>) -> Self {
        let mut plan = Self::default();
        let mut known = HashMap::new();
        for Row { content, remark, .. } in rows {
            let entry = match content {
                Ok(entry) => entry,
                Err(error) => {
                    plan.errors.push(error);
                    continue;
                }
            };
            plan.remarks.extend(remark);
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
