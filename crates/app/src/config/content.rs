//! Settings of the language model that writes texts.

use std::time::Duration;

use adapters_providers::{ChatModelError, ChatModelSettings, Secret};

use super::{ConfigError, Source, faults::Faults, invalid};

const URL: &str = "ATUMPAN_CONTENT_URL";
const MODEL: &str = "ATUMPAN_CONTENT_MODEL";
const KEY: &str = "ATUMPAN_CONTENT_KEY";
const TIMEOUT: &str = "ATUMPAN_CONTENT_TIMEOUT";
/// Default timeout, in seconds.
const USUAL_TIMEOUT: u64 = 30;
const MAX_TIMEOUT: u64 = 300;

/// Reads the settings of the model; `None` if there is none.
pub(super) fn read(source: &Source, faults: &mut Faults) -> Option<ChatModelSettings> {
    let timeout = faults.take(timeout(source), Duration::from_secs(USUAL_TIMEOUT));
    faults.take(model(source, timeout), None)
}

fn model(source: &Source, timeout: Duration) -> Result<Option<ChatModelSettings>, ConfigError> {
    let key = source.get(KEY).map(Secret::new);
    let (url, model) = match (source.get(URL), source.get(MODEL)) {
        (Some(url), Some(model)) => (url, model),
        (Some(_), None) => return Err(invalid(MODEL, format!("must be set with {URL}"))),
        (None, Some(_)) => return Err(invalid(URL, format!("must be set with {MODEL}"))),
        (None, None) if key.is_some() => {
            return Err(invalid(URL, format!("must be set with {KEY}")));
        }
        (None, None) => return Ok(None),
    };
    let settings = ChatModelSettings { url, model, key, timeout };
    settings.check().map_err(|error| {
        let variable = match error {
            ChatModelError::Url => URL,
            ChatModelError::Key => KEY,
        };
        invalid(variable, error.to_string())
    })?;
    Ok(Some(settings))
}

fn timeout(source: &Source) -> Result<Duration, ConfigError> {
    let Some(text) = source.get(TIMEOUT) else { return Ok(Duration::from_secs(USUAL_TIMEOUT)) };
    let seconds = text.parse().ok().filter(|seconds| (1..=MAX_TIMEOUT).contains(seconds));
    let seconds =
        seconds.ok_or_else(|| invalid(TIMEOUT, format!("must be from 1 to {MAX_TIMEOUT} seconds")));
    seconds.map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(pairs: &[(&str, &str)]) -> Result<Option<ChatModelSettings>, String> {
        let mut faults = Faults::default();
        let read = read(&Source::of(pairs, ""), &mut faults);
        faults.refuse(read).map_err(|faults| faults.to_string())
    }

    #[test]
    fn a_model_has_an_address_and_a_name_and_needs_no_key() {
        assert!(reading(&[]).unwrap().is_none());
        let given = [(URL, "http://127.0.0.1:11434/v1"), (MODEL, "llama3")];
        let settings = reading(&given).unwrap().unwrap();
        assert_eq!((settings.model.as_str(), settings.key), ("llama3", None));
        assert_eq!(settings.timeout, Duration::from_secs(30));
    }

    #[test]
    fn names_an_invalid_variable_and_hides_the_key() {
        let url = (URL, "https://models.example.com/v1");
        let model = (MODEL, "llama3");
        for (given, named) in [
            (&[url][..], MODEL),
            (&[model], URL),
            (&[(KEY, "s3cr3t")], URL),
            (&[url, model, (KEY, "s3cr3t\n")], KEY),
            (&[model, (URL, "models.example.com")], URL),
            (&[model, (URL, "ftp://models.example.com")], URL),
            (&[model, (URL, "https://me:s3cr3t@models.example.com")], URL),
            (&[url, model, (TIMEOUT, "0")], TIMEOUT),
            (&[(TIMEOUT, "301")], TIMEOUT),
        ] {
            let error = reading(given).unwrap_err();
            assert!(error.starts_with(named) && !error.contains("s3cr3t"), "{error}");
        }
    }
}
