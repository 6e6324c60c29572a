//! What vendors call us with, and what it is about.

use domain::{
    callback::{About, Callback, CallbackMethod, CallbackRefused, Received, VendorReport},
    delivery::DeliveryEvent,
    id::Id,
    message::Message,
};
use serde_json::{Map, Value};

use crate::wire::word;

/// Refuses what is not posted.
pub(crate) fn must_be_posted(callback: &Callback) -> Result<(), CallbackRefused> {
    match callback.method {
        CallbackMethod::Post => Ok(()),
        CallbackMethod::Get => Err(CallbackRefused::Unsupported),
    }
}

/// Our own identifier of a message, if that is what `text` is.
pub(crate) fn ours(text: &str) -> Option<About> {
    Id::<Message>::parse_either(text).ok().map(About::Ours)
}

/// A callback with one report, or none if the vendor's word for it is not known.
pub(crate) fn reported(about: About, event: Option<DeliveryEvent>) -> Received {
    let reports = event.map(|event| VendorReport { about, event }).into_iter().collect();
    Received { reports, ..Received::default() }
}

/// The fields of a callback, their names in lower case.
pub(crate) struct Fields(Vec<(String, String)>);

impl Fields {
    /// Reads the query and the body, be that a form or a JSON object.
    pub(crate) fn of(callback: &Callback) -> Result<Self, CallbackRefused> {
        let mut fields = callback.query.clone();
        let malformed = |_| CallbackRefused::Malformed;
        let body = std::str::from_utf8(&callback.body).map_err(malformed)?.trim();
        if body.starts_with(['{', '[']) {
            let object = serde_json::from_str::<Map<String, Value>>(body);
            let object = object.map_err(|_| CallbackRefused::Malformed)?;
            fields.extend(object.into_iter().filter_map(|(key, it)| Some((key, word(&it)?))));
        } else if !body.is_empty() {
            fields.extend(form_urlencoded::parse(body.as_bytes()).into_owned());
        }
        Ok(Self(fields.into_iter().map(|(key, text)| (key.to_lowercase(), text)).collect()))
    }

    /// The first of the fields of these names that is not empty.
    pub(crate) fn get(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| {
            let mut found = self.0.iter().filter(|(known, text)| known == name && !text.is_empty());
            found.next().map(|(_, text)| text.as_str())
        })
    }

    /// The same of a field without which the callback says nothing.
    pub(crate) fn required(&self, names: &[&str]) -> Result<&str, CallbackRefused> {
        self.get(names).ok_or(CallbackRefused::Malformed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::callback;

    #[test]
    fn fields_come_from_the_query_a_form_or_an_object() {
        for (query, body) in [
            (&[("MessageId", "7"), ("Status", "Sent")][..], ""),
            (&[("messageId", "7")], "status=Sent&x=%2B1"),
            (&[], r#"{"MessageId":7,"Status":"Sent","Other":{"a":[1]}}"#),
        ] {
            let fields = Fields::of(&callback(query, body)).unwrap();
            assert_eq!(fields.get(&["id", "messageid"]), Some("7"), "{body}");
            assert_eq!(fields.required(&["status"]), Ok("Sent"), "{body}");
            assert_eq!(fields.get(&["other", "none"]), None, "{body}");
            assert_eq!(fields.required(&["none"]), Err(CallbackRefused::Malformed), "{body}");
        }
        for body in ["{", "[1]", r#"{"a":"#] {
            assert!(Fields::of(&callback(&[], body)).is_err(), "{body}");
        }
        let binary = Callback { body: vec![0xff, 0xfe], ..callback(&[], "") };
        assert!(Fields::of(&binary).is_err());
    }
}
