//! Items with long texts.

/// Item with a text that may be long. A list shows the beginning of it.
pub(crate) trait LongText {
    /// Cuts the text to the length that lists show, and marks it as cut.
    fn cut_text(&mut self);
}
