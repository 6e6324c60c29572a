//! Questions before acts that cannot be taken back.

use askama::Template;

use crate::frame::Frame;

/// Page that asks once before an act.
#[derive(Template)]
#[template(path = "frame/question.html")]
pub(crate) struct Question {
    pub(crate) frame: Frame,
    pub(crate) title: &'static str,
    /// Name of the item, as a person wrote it.
    pub(crate) name: String,
    /// Consequences of the act.
    pub(crate) text: &'static str,
    pub(crate) button: &'static str,
    pub(crate) action: String,
    pub(crate) back: String,
}
