//! Marks in pages, between which text is generated.

const BEGINNING: &str = "<!-- generated: ";
const END_OF_MARK: &str = " -->";
/// Maximum length of a line in a report, in characters.
const SHOWN: usize = 100;

/// Page that is cut at the marks of a part.
pub(super) struct Marked<'p> {
    /// Text up to the part, with its first mark.
    before: &'p str,
    part: &'p str,
    /// Text from the second mark on.
    after: &'p str,
}

impl<'p> Marked<'p> {
    /// Returns the page that is cut at the first mark of a part and the mark of its end; `None` unless each is
    /// a line of its own.
    pub(super) fn find(page: &'p str, name: &str) -> Option<Self> {
        let begin = format!("{BEGINNING}{name}{END_OF_MARK}\n");
        let end = format!("<!-- end of {name}{END_OF_MARK}\n");
        let start = page.find(&begin)?;
        let (before, rest) = page.split_at_checked(start + begin.len())?;
        let (part, after) = rest.split_at_checked(rest.find(&end)?)?;
        let is_line = |text: &str| text.is_empty() || text.ends_with('\n');
        let opened = before.strip_suffix(begin.as_str())?;
        (is_line(opened) && is_line(part)).then_some(Self { before, part, after })
    }

    /// Returns the page with this text as the part.
    pub(super) fn with(&self, text: &str) -> String {
        format!("{}{}{}", self.before, framed(text), self.after)
    }

    /// Returns the first line in which the part is not this text, with its number in the page; `None` if
    /// there is none.
    pub(super) fn difference(&self, text: &str) -> Option<String> {
        let wanted = framed(text);
        if self.part == wanted {
            return None;
        }
        let present: Vec<_> = self.part.lines().collect();
        let wanted: Vec<_> = wanted.lines().collect();
        let differs = |at: &usize| present.get(*at) != wanted.get(*at);
        let different: Vec<_> = (0..present.len().max(wanted.len())).filter(differs).collect();
        let first = different.first().copied().unwrap_or_default();
        let line = self.before.lines().count() + 1 + first;
        let (has, says) = (shown(present.get(first)), shown(wanted.get(first)));
        let count = different.len();
        Some(format!("{line}: the page has {has}, the code says {says} ({count} lines differ)"))
    }
}

/// Returns the names of all marks in a page.
pub(super) fn names_of_marks(page: &str) -> Vec<&str> {
    let marks = page.lines().filter_map(|line| line.strip_prefix(BEGINNING));
    marks.map(|rest| rest.strip_suffix(END_OF_MARK).unwrap_or(rest)).collect()
}

/// Returns a text with an empty line before and after it.
fn framed(text: &str) -> String {
    format!("\n{}\n\n", text.trim())
}

fn shown(line: Option<&&str>) -> String {
    let Some(line) = line else { return "nothing".to_owned() };
    let cut: String = line.chars().take(SHOWN).collect();
    format!("{cut:?}")
}

#[test]
fn a_part_is_replaced_between_its_marks_only() {
    let page = "# A\n\n<!-- generated: b -->\n<!-- end of b -->\nc\n";
    let marked = Marked::find(page, "b");
    let written = marked.map(|marked| marked.with("x\ny\n")).unwrap_or_default();
    assert_eq!(written, "# A\n\n<!-- generated: b -->\n\nx\ny\n\n<!-- end of b -->\nc\n");
    assert_eq!(names_of_marks(&written), ["b"]);

    let marked = Marked::find(&written, "b");
    let difference = |text| marked.as_ref().and_then(|marked| marked.difference(text));
    assert_eq!(difference("x\ny"), None);
    let expected = "6: the page has \"y\", the code says \"z\" (1 lines differ)";
    assert_eq!(difference("x\nz").as_deref(), Some(expected));
}

#[test]
fn marks_that_are_no_lines_or_lack_their_end_are_none() {
    for page in ["a <!-- generated: b -->\n<!-- end of b -->\n", "<!-- generated: b -->\n", ""] {
        assert!(Marked::find(page, "b").is_none(), "{page}");
    }
}
