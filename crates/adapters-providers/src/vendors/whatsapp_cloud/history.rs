//! Message history that Meta keeps: `message_history` of its OpenAPI document,
//! <https://github.com/facebook/openapi>.

use chrono::{DateTime, Utc};
use domain::messaging::outcome::LookUp;
use serde::Deserialize;

use crate::{
    answer::Answer,
    status_table::{Progress, StatusTable},
};

/// Fields that a lookup requests.
pub(super) const FIELDS: &str = "message_id,events{delivery_status,timestamp}";

/// A message that the recipient deleted was delivered before.
const STATUSES: StatusTable =
    StatusTable::usual_and(&[("read", Progress::Delivered), ("deleted", Progress::Delivered)]);

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

/// Returns the result of a lookup from the history of a message. A missing history may not have
/// been kept.
pub(super) fn lookup_result(answer: &Answer, now: DateTime<Utc>) -> LookUp {
    let Some(History { data }) = answer.json_of_success() else { return LookUp::Unavailable };
    let mut result = LookUp::Unavailable;
    for event in data.into_iter().flat_map(|entry| entry.events.data) {
        result = event.lookup(now);
        if result != LookUp::Waiting {
            break;
        }
    }
    result
}

impl Event {
    fn lookup(&self, now: DateTime<Utc>) -> LookUp {
        let at = self.timestamp.and_then(|seconds| DateTime::from_timestamp(seconds, 0));
        STATUSES.lookup(&self.delivery_status, at.unwrap_or(now))
    }
}

#[cfg(test)]
mod tests {
    use domain::messaging::delivery::{DeliveryEvent, FailureCode};

    use super::*;
    use crate::fixture::{event_kind, now};

    fn history(events: &str) -> LookUp {
        let body = format!(
            r#"{{"data":[{{"id":"1","message_id":"wamid.HBg","events":{{"data":[{events}]}}}}]}}"#
        );
        lookup_result(&Answer::of(200, &body), now())
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
    fn a_missing_history_is_unavailable() {
        assert_eq!(history(""), LookUp::Unavailable);
        for (status, body) in
            [(200, r#"{"data":[]}"#), (200, "{}"), (200, r#"{"data":[{}]}"#), (403, ""), (500, "")]
        {
            let found = lookup_result(&Answer::of(status, body), now());
            assert_eq!(found, LookUp::Unavailable, "{status} {body}");
        }
    }
}
