//! Text of an export in parts.

/// Maximum size of a part, in bytes. Only a line that is longer by itself makes a larger one.
pub const MAX_PART: usize = 1_000_000;

/// Lines of an export, in parts that end with a line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExportText {
    parts: Vec<String>,
    bytes: usize,
}

impl ExportText {
    /// Appends a line, to the last part if it fits.
    pub fn push(&mut self, line: &str) {
        self.bytes += line.len();
        match self.parts.last_mut() {
            Some(part) if part.len() + line.len() <= MAX_PART => part.push_str(line),
            _ => self.parts.push(line.to_owned()),
        }
    }

    /// Size of all lines, in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the parts in their order.
    pub fn into_parts(self) -> Vec<String> {
        self.parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_ends_with_the_last_line_that_fits() {
        let lines = [MAX_PART / 2, MAX_PART / 2, 1, MAX_PART + 1, 2].map(|size| "a".repeat(size));
        let mut text = ExportText::default();

        for line in &lines {
            text.push(line);
        }

        assert_eq!(text.bytes(), lines.concat().len());
        let parts = text.into_parts();
        assert_eq!(parts.concat(), lines.concat());
        let sizes: Vec<_> = parts.iter().map(String::len).collect();
        assert_eq!(sizes, [MAX_PART, 1, MAX_PART + 1, 2]);
    }
}
