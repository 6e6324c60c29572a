//! Texts of statements with named parameters.

use diesel::{QueryResult, pg::Pg, query_builder::AstPass};

use super::value::Bound;

/// Text of a statement. Its parameters are numbered by their first appearance.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Template {
    pieces: Vec<Piece>,
}

#[derive(Debug, PartialEq, Eq)]
enum Piece {
    /// Text, with the numbers of parameters that appeared before.
    Text(String),
    /// First appearance of a parameter: the position of its value.
    Parameter(usize),
}

impl Template {
    /// Parses a text whose parameters are names in braces.
    pub(crate) fn new(text: &str, names: &[&str]) -> Self {
        let mut template = Self { pieces: Vec::new() };
        let mut numbered: Vec<&str> = Vec::new();
        let mut rest = text;
        while let Some((before, name, after)) = next_parameter(rest) {
            template.text(before);
            match numbered.iter().position(|known| *known == name) {
                Some(position) => template.text(&format!("${}", position + 1)),
                None => {
                    numbered.push(name);
                    let position = names.iter().position(|known| *known == name);
                    template.pieces.extend(position.map(Piece::Parameter));
                }
            }
            rest = after;
        }
        template.text(rest);
        template
    }

    fn text(&mut self, text: &str) {
        match self.pieces.last_mut() {
            Some(Piece::Text(last)) => last.push_str(text),
            _ => self.pieces.push(Piece::Text(text.to_owned())),
        }
    }

    /// Writes the text, and binds the values, which are in the order of the names.
    pub(crate) fn walk<'b>(
        &'b self,
        values: &'b [Box<dyn Bound + '_>],
        mut out: AstPass<'_, 'b, Pg>,
    ) -> QueryResult<()> {
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => out.push_sql(text),
                Piece::Parameter(position) => {
                    if let Some(value) = values.get(*position) {
                        value.bind(&mut out)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Returns the text before the next parameter, its name, and the text after it. Other braces are
/// text.
fn next_parameter(text: &str) -> Option<(&str, &str, &str)> {
    for (start, _) in text.match_indices('{') {
        let (before, from) = text.split_at(start);
        let end = name_end(text.as_bytes(), start);
        if end > start {
            let (name, after) = from.split_at(end - start);
            return Some((before, name.get(1..)?, after.get(1..)?));
        }
    }
    None
}

/// Returns the position of the brace that ends the name which begins after the one at `start`;
/// `start` if there is no name.
#[expect(
    clippy::indexing_slicing,
    reason = "constant functions have no `get`; the loop is bounded"
)]
const fn name_end(text: &[u8], start: usize) -> usize {
    let mut end = start + 1;
    while end < text.len() && (text[end].is_ascii_lowercase() || text[end] == b'_') {
        end += 1;
    }
    if end > start + 1 && end < text.len() && text[end] == b'}' { end } else { start }
}

/// Fails, at compile time, if the parts have a parameter without a name, or lack one of the names.
#[expect(clippy::indexing_slicing, reason = "constant functions have no `get`; loops are bounded")]
pub(crate) const fn check(parts: &[&str], names: &[&str]) {
    let mut found = 0_u128;
    let mut part = 0;
    while part < parts.len() {
        let text = parts[part].as_bytes();
        let mut start = 0;
        while start < text.len() {
            if text[start] == b'{' && name_end(text, start) > start {
                found |= 1 << position(text, start + 1, names);
            }
            start += 1;
        }
        part += 1;
    }
    assert!(
        found.count_ones() as usize == names.len(),
        "a value has no parameter in the statement"
    );
}

/// Returns the position of the name that begins in a text at `start` and ends with a brace.
#[expect(clippy::indexing_slicing, reason = "constant functions have no `get`; loops are bounded")]
const fn position(text: &[u8], start: usize, names: &[&str]) -> usize {
    let mut position = 0;
    while position < names.len() {
        let name = names[position].as_bytes();
        let mut same = 0;
        while same < name.len() && name[same] == text[start + same] {
            same += 1;
        }
        if same == name.len() && text[start + same] == b'}' {
            return position;
        }
        position += 1;
    }
    panic!("a parameter of the statement has no value")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(template: &Template) -> String {
        let pieces = template.pieces.iter().map(|piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Parameter(position) => format!("<{position}>"),
        });
        pieces.collect()
    }

    #[test]
    fn numbers_parameters_by_their_first_appearance() {
        let text = "SELECT {second}, {first}, {second}, '{}', '{\"a\": 1}'";

        let template = Template::new(text, &["first", "second"]);

        assert_eq!(shown(&template), "SELECT <1>, <0>, $1, '{}', '{\"a\": 1}'");
    }

    #[test]
    fn accepts_a_parameter_in_each_part() {
        check(&["SELECT {first}", "{second}, '{}', {first}"], &["second", "first"]);
    }

    #[test]
    #[should_panic(expected = "has no value")]
    fn refuses_a_parameter_without_a_value() {
        check(&["SELECT {first}, {second}"], &["first"]);
    }

    #[test]
    #[should_panic(expected = "has no parameter")]
    fn refuses_a_value_without_a_parameter() {
        check(&["SELECT {first}"], &["first", "second"]);
    }
}
