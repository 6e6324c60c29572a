//! Items with long texts.

/// An item whose text may be long. A list shows the beginning of it.
pub(crate) trait LongText {
    /// Cuts the text to what a list shows, and says that it is cut.
    fn cut_text(&mut self);
}
