//! Lines of CSV, as spreadsheets read them.
//!
//! ```
//! use domain::shared::csv::push_line;
//!
//! let mut text = String::new();
//! push_line(&mut text, ["Ama", "Accra, Ghana"]);
//! assert_eq!(text, "Ama,\"Accra, Ghana\"\r\n");
//! ```

use std::borrow::Cow;

/// Cell of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell<'c> {
    /// Text that people wrote, which may look like a formula.
    Text(Cow<'c, str>),
    /// Number, or JSON: a minus at its beginning is that of a number.
    Plain(String),
}

/// Appends a line with these texts. A text that a spreadsheet would take for a formula gets a leading
/// apostrophe; one with a separator, a quote or a line break is quoted.
pub fn push_line<'c>(text: &mut String, texts: impl IntoIterator<Item = &'c str>) {
    push_cells(text, texts.into_iter().map(|text| Cell::Text(Cow::Borrowed(text))));
}

/// Appends a line with these cells, of which only texts are kept from being formulas.
pub fn push_cells<'c>(text: &mut String, cells: impl IntoIterator<Item = Cell<'c>>) {
    for (place, cell) in cells.into_iter().enumerate() {
        if place > 0 {
            text.push(',');
        }
        match cell {
            Cell::Text(cell) => push_cell(text, &without_formula(&cell)),
            Cell::Plain(cell) => push_cell(text, &cell),
        }
    }
    text.push_str("\r\n");
}

fn push_cell(text: &mut String, cell: &str) {
    if cell.contains([',', '"', '\r', '\n']) {
        text.push('"');
        text.push_str(&cell.replace('"', "\"\""));
        text.push('"');
    } else {
        text.push_str(cell);
    }
}

/// Returns the cell in a form that no spreadsheet takes for a formula. Some skip leading white
/// space, and accept the wide forms of the signs, too. A plus and digits are a phone number.
fn without_formula(cell: &str) -> Cow<'_, str> {
    const SIGNS: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

    let is_phone = cell.strip_prefix('+').is_some_and(|it| it.bytes().all(|b| b.is_ascii_digit()));
    let is_formula = cell.trim_start().starts_with(SIGNS) || cell.starts_with(['\t', '\r', '\n']);
    if is_formula && !is_phone { Cow::Owned(format!("'{cell}")) } else { Cow::Borrowed(cell) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(cells: &[&str]) -> String {
        let mut text = String::new();
        push_line(&mut text, cells.iter().copied());
        text
    }

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

    #[test]
    fn a_cell_with_a_sign_of_the_format_is_quoted() {
        assert_eq!(line(&["a", "", "b c"]), "a,,b c\r\n");
        assert_eq!(line(&["a,b", "\"c\""]), "\"a,b\",\"\"\"c\"\"\"\r\n");
        assert_eq!(line(&["a\nb", "a\rb"]), "\"a\nb\",\"a\rb\"\r\n");
        assert_eq!(line(&["=1,2"]), "\"'=1,2\"\r\n");
    }

    #[test]
    fn a_number_keeps_its_minus() {
        let mut text = String::new();
        push_cells(&mut text, [Cell::Plain("-0.035".into()), Cell::Text("-1".into())]);
        assert_eq!(text, "-0.035,'-1\r\n");
    }
}
