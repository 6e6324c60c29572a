//! Rows of a file, and their faults.

use crate::shared::fault::Faults;

/// Row of a file, as a spreadsheet counts them: the header is row 1, blank lines are rows too, and a cell
/// with line breaks is in one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row<T> {
    /// Number of the row.
    pub number: u32,
    /// Content of the row, or the reason for which it is not imported.
    pub content: Result<T, RowError>,
    /// Skipped cells of an imported row, with the reason; `None` if there are none.
    pub remark: Option<RowError>,
}

impl<T> Row<T> {
    /// Returns a row that is imported without skipping cells, or not at all.
    pub fn whole(number: u32, content: Result<T, RowError>) -> Self {
        Self { number, content, remark: None }
    }
}

/// Reason for which a row, or some of its cells, could not be imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowError {
    /// Number of the row, as a spreadsheet counts.
    pub row: u32,
    /// Header of the invalid cell; `None` if the fault concerns the whole row.
    pub column: Option<String>,
    /// Description of the fault, for people.
    pub reason: String,
}

impl RowError {
    /// Returns a fault of the whole row.
    pub fn whole(row: u32, reason: impl Into<String>) -> Self {
        Self { row, column: None, reason: reason.into() }
    }

    /// Returns all faults of the cells of a row as one: the first with its column, the others after it.
    /// `headers` are the fields with their headers in the file, in the order of the file.
    pub(super) fn of_faults(row: u32, faults: &Faults, headers: &[(String, String)]) -> Self {
        let mut found = Vec::new();
        for (field, header) in headers {
            let of_cell = faults.fields.iter().filter(|(path, _)| is_at(path, field));
            found.extend(
                of_cell.flat_map(|(_, faults)| faults).map(|it| (Some(header.as_str()), it)),
            );
        }
        let is_known = |path: &str| headers.iter().any(|(field, _)| is_at(path, field));
        for (path, faults) in faults.fields.iter().filter(|(path, _)| !is_known(path)) {
            found.extend(faults.iter().map(|fault| (Some(path.as_str()), fault)));
        }
        found.extend(faults.form.iter().map(|fault| (None, fault)));
        let mut found = found.into_iter();
        let (column, mut reason) = match found.next() {
            Some((column, fault)) => (column, fault.clone()),
            None => (None, "cannot be taken".to_owned()),
        };
        for (column, fault) in found {
            reason.push_str("; ");
            if let Some(column) = column {
                reason.push_str(column);
                reason.push(' ');
            }
            reason.push_str(fault);
        }
        Self { row, column: column.map(str::to_owned), reason }
    }

    /// Returns the faults of cells that were skipped in an imported row.
    pub(super) fn of_left_out(row: u32, faults: &Faults, headers: &[(String, String)]) -> Self {
        let mut error = Self::of_faults(row, faults, headers);
        error.reason.push_str("; the rest of the row was taken");
        error
    }
}

/// True if a path is that of a field or of a part of it, as `tags.3` is of `tags`.
fn is_at(path: &str, field: &str) -> bool {
    path.strip_prefix(field).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_first_invalid_cell_and_appends_the_others() {
        let mut faults = Faults::field("email", "is not a valid email address");
        faults.add("phone", "is not a valid phone number");
        faults.add("attributes.City", "is too long");
        faults.add("tags.3", "must not be empty");
        faults.merge("", Faults::form("must have a phone"));
        let headers = [("phone", "Tel."), ("email", "E-Mail"), ("tags", "Tags")];
        let headers = headers.map(|(field, header)| (field.to_owned(), header.to_owned()));

        let error = RowError::of_faults(7, &faults, &headers);

        assert_eq!((error.row, error.column.as_deref()), (7, Some("Tel.")));
        assert_eq!(
            error.reason,
            "is not a valid phone number; E-Mail is not a valid email address; \
             Tags must not be empty; attributes.City is too long; must have a phone"
        );
    }
}
