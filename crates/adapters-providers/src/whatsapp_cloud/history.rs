//! What Meta keeps of a message, for those who ask: `message_history` of its OpenAPI document,
//! <https://github.com/facebook/openapi>.

use chrono::{DateTime, Utc};
use domain::{delivery::FailureCode, provider::LookUp};
use serde::Deserialize;

use crate::{
    answer::Answer,
    progress::{Progress, Words},
};

/// What is asked for.
pub(super) const FIELDS: &str = "message_id,events{delivery_status,timestamp}";

/// The states of a message. One that the recipient deleted had arrived.
const WORDS: Words = Words(&[
    ("sent", Progress::Sent),
    ("delivered", Progress::Delivered),
    ("read", Progress::Delivered),
    ("deleted", Progress::Delivered),
    ("failed", Progress::Failed(FailureCode::Undelivered)),
]);

#[derive(Deserialize)]
struct History {
    data: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    #[serde(default)]
    events: Events,
}

#[derive(Deserialize, Default)]
struct Events {
    #[serde(default)]
    data: Vec<Event>,
}

#[derive(Deserialize)]
struct Event {
    delivery_status: String,
    /// Seconds since 1970.
    timestamp: Option<i64>,
}

/// What the history of a message says. None may mean that it is not kept.
pub(super) fn found(answer: &Answer, now: DateTime<Utc>) -> LookUp {
    let Some(History { data }) = answer.success() else { return LookUp::Unavailable };
    let events: Vec<_> = data.into_iter().flat_map(|entry| entry.events.data).collect();
    if events.is_empty() {
        return LookUp::Unavailable;
    }
    let mut ends = events.iter().map(|event| event.look_up(now));
    ends.find(|it| *it != LookUp::Waiting).unwrap_or(LookUp::Waiting)
}

impl Event {
    fn look_up(&self, now: DateTime<Utc>) -> LookUp {
        let at = self.timestamp.and_then(|seconds| DateTime::from_timestamp(seconds, 0));
        WORDS.look_up(&self.delivery_status, at.unwrap_or(now))
    }
}

#[cfg(test)]
mod tests {
    use domain::delivery::DeliveryEvent;

    use super::*;
    use crate::fixture::{event_kind, now};

    fn history(events: &str) -> LookUp {
        let body = format!(
            r#"{{"data":[{{"id":"1","message_id":"wamid.HBg","events":{{"data":[{events}]}}}}]}}"#
        );
        found(&Answer::of(200, &body), now())
    }

    #[test]
    fn the_end_of_a_message_is_found_among_its_events() {
        let sent = r#"{"id":"2","delivery_status":"SENT","timestamp":1640995200}"#;
        let at = DateTime::from_timestamp(1_640_995_260, 0).unwrap();
        for status in ["DELIVERED", "READ", "DELETED"] {
            let end = format!(r#"{{"delivery_status":"{status}","timestamp":1640995260}}"#);
            let confirmed = LookUp::Found(DeliveryEvent::Confirmed { at });
            assert_eq!(history(&format!("{sent},{end}")), confirmed, "{status}");
        }
        let LookUp::Found(event) = history(r#"{"delivery_status":"FAILED"}"#) else { panic!() };
        assert_eq!(event_kind(&event), ('R', Some(FailureCode::Undelivered)));
        assert_eq!(history(sent), LookUp::Waiting);
        assert_eq!(history(r#"{"delivery_status":"LEVITATING"}"#), LookUp::Waiting);
    }

    #[test]
    fn what_is_not_kept_leaves_it_open() {
        assert_eq!(history(""), LookUp::Unavailable);
        for (status, body) in
            [(200, r#"{"data":[]}"#), (200, "{}"), (200, r#"{"data":[{}]}"#), (403, ""), (500, "")]
        {
            let found = found(&Answer::of(status, body), now());
            assert_eq!(found, LookUp::Unavailable, "{status} {body}");
        }
    }
}
