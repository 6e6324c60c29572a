//! Properties by which live messages are counted in figures.

use domain::messaging::{
    delivery::{FailureCode, Status},
    message::{Message, Source},
};
use uuid::Uuid;

/// Character between the values. Neither names of providers nor slugs of events have it.
const SEPARATOR: char = '|';
/// Usual length of the text, give or take an event.
const USUAL: usize = 48;

/// Returns the properties of a message in a state as one text, which costs a journal line less than
/// a column for each: country, provider, error code, campaign, template and event, without
/// separators at the end. `None` for a message of the sandbox, which does not count.
pub(super) fn packed(message: &Message, status: Status) -> Option<String> {
    if message.is_sandbox {
        return None;
    }
    let country = message.counted_country();
    let campaign = message.source.and_then(Source::campaign).map(Uuid::from);
    let template = message.draft.template.map(Uuid::from);
    let mut text = String::with_capacity(USUAL);
    if let Some(country) = &country {
        text.push_str(country.as_str());
    }
    text.push(SEPARATOR);
    text.push_str(message.counted_provider(status).unwrap_or_default());
    text.push(SEPARATOR);
    text.push_str(message.counted_failure(status).map_or("", FailureCode::as_str));
    for id in [campaign, template] {
        text.push(SEPARATOR);
        if let Some(id) = id {
            text.push_str(id.hyphenated().encode_lower(&mut Uuid::encode_buffer()));
        }
    }
    text.push(SEPARATOR);
    text.push_str(message.event.as_deref().unwrap_or_default());
    let used = text.trim_end_matches(SEPARATOR).len();
    text.truncate(used);
    Some(text)
}
