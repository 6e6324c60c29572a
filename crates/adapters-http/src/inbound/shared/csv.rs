//! Answers in CSV, as spreadsheets read it.

use std::{borrow::Cow, error::Error as StdError};

use ::csv::{Terminator, Writer, WriterBuilder};
use actix_web::web::Bytes;

use crate::inbound::shared::error::ApiError;

/// Returns a header and rows.
pub(crate) fn beginning<const N: usize>(
    header: &[&str; N],
    rows: impl Iterator<Item = [String; N]>,
) -> Result<Bytes, ApiError> {
    let mut writer = writer();
    writer.write_record(header).map_err(|error| write_failed(&error))?;
    fill(writer, rows)
}

/// Returns further rows.
pub(crate) fn rows<const N: usize>(
    rows: impl Iterator<Item = [String; N]>,
) -> Result<Bytes, ApiError> {
    fill(writer(), rows)
}

fn writer() -> Writer<Vec<u8>> {
    WriterBuilder::new().terminator(Terminator::CRLF).from_writer(Vec::new())
}

fn fill<const N: usize>(
    mut writer: Writer<Vec<u8>>,
    rows: impl Iterator<Item = [String; N]>,
) -> Result<Bytes, ApiError> {
    for row in rows {
        writer
            .write_record(row.iter().map(|cell| without_formula(cell).into_owned()))
            .map_err(|error| write_failed(&error))?;
    }
    let bytes = writer.into_inner().map_err(|error| write_failed(error.error()))?;
    Ok(bytes.into())
}

/// Returns the cell in a form that no spreadsheet takes for a formula. Some skip leading white
/// space, and accept the wide forms of the signs, too. A plus and digits are a phone number.
fn without_formula(cell: &str) -> Cow<'_, str> {
    const SIGNS: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

    let is_phone = cell.strip_prefix('+').is_some_and(|it| it.bytes().all(|b| b.is_ascii_digit()));
    let is_formula = cell.trim_start().starts_with(SIGNS) || cell.starts_with(['\t', '\r', '\n']);
    if is_formula && !is_phone { Cow::Owned(format!("'{cell}")) } else { Cow::Borrowed(cell) }
}

fn write_failed(error: &dyn StdError) -> ApiError {
    tracing::error!(%error, "failed to write an answer as CSV");
    ApiError::Broken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_that_looks_like_a_formula_is_made_text() {
        for cell in [
            "=1+1",
            "+1+1",
            "+A1",
            "-1",
            "@SUM(A1)",
            "\t=1",
            "\r=1",
            "\n=1",
            " =1",
            "\u{3000}=1",
            "＝1",
            "＋1",
            "－1",
            "＠A1",
            "\t",
        ] {
            assert_eq!(without_formula(cell), format!("'{cell}"));
        }
        for cell in ["", "Hello =1", "0.035", "'=1", "+233241234567"] {
            assert_eq!(without_formula(cell), cell);
        }
    }
}
