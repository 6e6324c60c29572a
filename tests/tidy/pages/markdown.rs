//! Parts of pages in Markdown.

/// Returns a table with a line for its head, and one for each row.
pub(super) fn table(
    head: &[impl AsRef<str>],
    rows: impl IntoIterator<Item = Vec<String>>,
) -> String {
    let mut lines = vec![row(head), format!("|{}", "---|".repeat(head.len()))];
    lines.extend(rows.into_iter().map(|cells| row(&cells)));
    lines.join("\n")
}

/// Returns a heading of this depth with a remark, which may be empty, and a text below it.
pub(super) fn section(depth: usize, title: &str, remark: &str, text: &str) -> String {
    let heading = format!("{} {title}", "#".repeat(depth));
    let parts = [heading.as_str(), remark, text];
    let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n\n")
}

/// Returns a name as code.
pub(super) fn code(name: &str) -> String {
    format!("`{name}`")
}

fn row(cells: &[impl AsRef<str>]) -> String {
    let mut row = "|".to_owned();
    for cell in cells.iter().map(AsRef::as_ref) {
        if !cell.is_empty() {
            row.push(' ');
            row.push_str(&cell.replace('|', "\\|"));
        }
        row.push_str(" |");
    }
    row
}

#[test]
fn a_table_has_a_head_and_keeps_empty_cells() {
    let rows = [vec!["x".to_owned(), String::new()], vec!["y".to_owned(), "1|2".to_owned()]];
    assert_eq!(table(&["a", "b"], rows), "| a | b |\n|---|---|\n| x | |\n| y | 1\\|2 |");
    assert_eq!(section(2, "A", "", "b"), "## A\n\nb");
}
