//! Callbacks of vendors, and the messages that they refer to.

use domain::{
    messaging::{
        callback::{
            Callback, CallbackMethod, CallbackRefused, Inbound, MessageRef, Received, VendorReport,
        },
        delivery::DeliveryEvent,
        message::Message,
    },
    shared::id::Id,
};
use serde_json::{Map, Value};

use crate::loose_json;

/// Refuses a callback whose method is not POST.
pub(crate) fn must_be_posted(callback: &Callback) -> Result<(), CallbackRefused> {
    match callback.method {
        CallbackMethod::Post => Ok(()),
        CallbackMethod::Get => Err(CallbackRefused::Unsupported),
    }
}

/// Returns the message with the identifier `text`; `None` if it is not an identifier of this
/// service.
pub(crate) fn our_message(text: &str) -> Option<MessageRef> {
    Id::<Message>::parse_either(text).ok().map(MessageRef::Ours)
}

/// Builds a callback with one report, or with none if `event` is `None`.
pub(crate) fn one_report(about: MessageRef, event: Option<DeliveryEvent>) -> Received {
    let mut received = Received::default();
    received.reports.extend(event.map(|event| VendorReport { about, event }));
    received
}

/// Builds a callback with one inbound message, or with none.
pub(crate) fn one_inbound(inbound: Option<Inbound>) -> Received {
    Received { inbound: inbound.into_iter().collect(), ..Received::default() }
}

/// Fields of a callback. Names are compared without case.
pub(crate) struct Fields(Vec<(String, String)>);

impl Fields {
    /// Reads a body of the type `application/x-www-form-urlencoded`. A body of another type yields
    /// meaningless fields that no caller reads.
    pub(crate) fn of_form(callback: &Callback) -> Self {
        Self(form_urlencoded::parse(&callback.body).into_owned().collect())
    }

    /// Reads the query and the body, which may be a form or a JSON object.
    pub(crate) fn of_query_and_body(callback: &Callback) -> Result<Self, CallbackRefused> {
        let mut fields = callback.query.clone();
        let Ok(body) = std::str::from_utf8(&callback.body) else {
            return Err(CallbackRefused::Malformed);
        };
        if body.trim_start().starts_with(['{', '[']) {
            let Ok(object) = serde_json::from_str::<Map<String, Value>>(body) else {
                return Err(CallbackRefused::Malformed);
            };
            for (name, value) in object {
                fields.extend(loose_json::text(&value).map(|text| (name, text)));
            }
        } else {
            fields.extend(form_urlencoded::parse(body.trim().as_bytes()).into_owned());
        }
        Ok(Self(fields))
    }

    /// Returns all names and values in their order.
    pub(crate) fn all(&self) -> &[(String, String)] {
        &self.0
    }

    /// Returns the value of the first field of that name, which may be empty.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.values(name).next()
    }

    /// Returns the first value of that name that is not empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.values(name).find(|value| !value.is_empty())
    }

    /// Returns the first value that is not empty under the first of these names that has one.
    pub(crate) fn first_of(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.get(name))
    }

    /// Returns the value under the first of these names that has one. Fails if there is none.
    pub(crate) fn required(&self, names: &[&str]) -> Result<&str, CallbackRefused> {
        self.first_of(names).ok_or(CallbackRefused::Malformed)
    }

    fn values(&self, name: &str) -> impl Iterator<Item = &str> {
        let fields = self.0.iter().filter(move |(known, _)| known.eq_ignore_ascii_case(name));
        fields.map(|(_, value)| value.as_str())
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
            let fields = Fields::of_query_and_body(&callback(query, body)).unwrap();
            assert_eq!(fields.first_of(&["id", "messageid"]), Some("7"), "{body}");
            assert_eq!(fields.required(&["status"]), Ok("Sent"), "{body}");
            assert_eq!(fields.first_of(&["other", "none"]), None, "{body}");
            assert_eq!(fields.required(&["none"]), Err(CallbackRefused::Malformed), "{body}");
        }
        for body in ["{", "[1]", r#"{"a":"#] {
            assert!(Fields::of_query_and_body(&callback(&[], body)).is_err(), "{body}");
        }
        let binary = Callback { body: vec![0xff, 0xfe], ..callback(&[], "") };
        assert!(Fields::of_query_and_body(&binary).is_err());
    }
}
