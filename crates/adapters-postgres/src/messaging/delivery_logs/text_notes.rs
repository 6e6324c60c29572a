//! Facts about a message that only few messages have, most of them about its text.

use domain::{
    messaging::message::{MaskedTexts, Message},
    shared::{channel::Channel, text_format::TextFormat, trace::TraceContext},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::shared::traces::stored_trace;

/// Column `text_notes`. It is null for most messages, and takes no room then.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TextNotes {
    /// Set for mails: true for HTML, as decided before anything was filled in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    is_html: Option<bool>,
    /// True if the text consists almost entirely of values.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_open: bool,
    /// Texts with masked codes, until they replace the texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) masked: Option<MaskedTexts>,
    /// Trace of a message whose spans are exported, as in the header `traceparent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    trace: Option<String>,
}

impl TextNotes {
    /// Returns the value of the column for a message.
    pub(crate) fn column(message: &Message) -> Option<Value> {
        let draft = &message.draft;
        let is_mail = draft.channel == Channel::Email;
        let is_html = is_mail.then(|| draft.format == TextFormat::Html);
        let (is_open, masked) = (draft.is_open, draft.masked.clone());
        let trace = message.trace.map(|trace| trace.to_string());
        let has_notes = is_mail || is_open || masked.is_some() || trace.is_some();
        has_notes.then(|| json!(Self { is_html, is_open, masked, trace }))
    }

    /// Reads the column; `None` if it is invalid.
    pub(super) fn read(column: Option<Value>) -> Option<Self> {
        column.map_or_else(|| Some(Self::default()), |value| serde_json::from_value(value).ok())
    }

    /// Returns the trace; `None` if there is none, or it cannot be read.
    pub(super) fn trace(&self) -> Option<TraceContext> {
        stored_trace(self.trace.as_deref())
    }

    /// Returns the format of a text. For a message that the version before accepted, it is derived
    /// from the text.
    pub(super) fn format(&self, channel: Channel, body: &str) -> TextFormat {
        let named = self.is_html.map(|it| if it { TextFormat::Html } else { TextFormat::Text });
        TextFormat::of(channel, named, body)
    }
}
