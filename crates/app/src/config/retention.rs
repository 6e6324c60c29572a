//! Retention of messages.

use domain::shared::retention::{InvalidRetention, RetentionDays};

use super::{ConfigError, Source, invalid};

const VARIABLE: &str = "ATUMPAN_RETENTION_DAYS";

pub(super) fn read(source: &Source) -> Result<Option<RetentionDays>, ConfigError> {
    let Some(given) = source.get(VARIABLE) else { return Ok(None) };
    let days = given.parse().map_err(|_| InvalidRetention).and_then(RetentionDays::new);
    days.map(Some).map_err(|error| invalid(VARIABLE, error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_all_messages_without_a_setting() {
        let days = |value: &str| {
            let read = read(&Source::of(&[(VARIABLE, value)], ""));
            read.map(|days| days.map(RetentionDays::get)).map_err(|error| error.to_string())
        };
        assert_eq!(days(""), Ok(None));
        assert_eq!(days("31"), Ok(Some(31)));
        let error = "ATUMPAN_RETENTION_DAYS must be a number of days from 31 to 36500, \
                     or unset to keep all messages";
        for value in ["0", "30", "-31", "36501", "a year", "99999999999", "31.5"] {
            assert_eq!(days(value), Err(error.to_owned()), "{value}");
        }
    }
}
