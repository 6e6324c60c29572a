//! Answers in CSV, as spreadsheets read it.

use actix_web::web::Bytes;
use domain::shared::csv::push_line;

/// Returns a header and rows.
pub(crate) fn beginning<const N: usize>(
    header: &[&str; N],
    rows: impl Iterator<Item = [String; N]>,
) -> Bytes {
    let mut text = String::new();
    push_line(&mut text, *header);
    push_rows(&mut text, rows);
    text.into()
}

/// Returns further rows.
pub(crate) fn rows<const N: usize>(rows: impl Iterator<Item = [String; N]>) -> Bytes {
    let mut text = String::new();
    push_rows(&mut text, rows);
    text.into()
}

fn push_rows<const N: usize>(text: &mut String, rows: impl Iterator<Item = [String; N]>) {
    for row in rows {
        push_line(text, row.iter().map(String::as_str));
    }
}
