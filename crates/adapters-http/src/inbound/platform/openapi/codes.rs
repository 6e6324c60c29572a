//! The codes of failures: the one list, with the meaning of each.

use actix_web::ResponseError;
use serde_json::{Map, Value, json};

use crate::inbound::shared::{endpoint::schemas::Schemas, error::ApiError};

/// Keyword beside the enumeration of codes, with what programs can know of each.
const MEANINGS: &str = "x-errors";

const ABOUT: &str = "\
A stable name that programs can match on. A refused request has the same result if it is repeated unchanged, \
unless the description of its code names a retry; repeat requests that create something with the same \
`Idempotency-Key`. `x-errors` says the same for programs.";

/// Failure with a code, as the document shows it.
pub(super) struct Sample {
    pub(super) status: u16,
    pub(super) code: &'static str,
    /// Sentence for people.
    pub(super) sentence: String,
    /// Complete answer.
    pub(super) answer: Value,
    /// True if the answer has the header `Retry-After`.
    pub(super) has_retry_after: bool,
    /// True if the answer has the header `WWW-Authenticate`.
    pub(super) asks_for_credentials: bool,
}

impl From<&ApiError> for Sample {
    fn from(error: &ApiError) -> Self {
        let view = error.view();
        Self {
            status: error.status_code().as_u16(),
            code: view.code,
            sentence: sentence(&view.message),
            answer: json!({ "success": false, "error": view }),
            has_retry_after: error.retry_after().is_some(),
            asks_for_credentials: error.asks_for_credentials(),
        }
    }
}

impl Sample {
    /// True if the same request may succeed later.
    fn may_be_retried(&self) -> bool {
        self.has_retry_after || self.status == 500
    }

    /// Returns its line in the list of all codes.
    fn line(&self) -> String {
        let Self { status, code, sentence, .. } = self;
        let again = if self.has_retry_after {
            " Try again after `Retry-After`."
        } else if self.may_be_retried() {
            " Try again later."
        } else {
            ""
        };
        format!("- `{code}` ({status}): {sentence}{again}")
    }

    /// Returns its description in the answers of an operation, with a sentence of the operation if it
    /// has one.
    pub(super) fn description(&self, when: Option<&str>) -> String {
        // Back quotes enclose codes only.
        let sentence = when.unwrap_or(&self.sentence).replace('`', "'");
        format!("`{}`: {sentence}", self.code)
    }
}

/// Adds the schema of all codes, and returns a reference to it.
pub(super) fn add_schema(schemas: &mut Schemas, samples: &[Sample]) -> Value {
    let mut codes = Vec::new();
    let mut lines = Vec::new();
    let mut meanings = Map::new();
    for sample in samples.iter().filter(|sample| is_first(sample, samples)) {
        codes.push(sample.code);
        lines.push(sample.line());
        meanings.insert(
            sample.code.to_owned(),
            json!({ "message": sample.sentence, "retry": sample.may_be_retried() }),
        );
    }
    schemas.add(
        "ErrorCode",
        json!({
            "type": "string", "enum": codes, MEANINGS: meanings,
            "description": format!("{ABOUT}\n\n{}", lines.join("\n")),
        }),
    )
}

/// True if no earlier sample has the same code with another status.
fn is_first(sample: &Sample, samples: &[Sample]) -> bool {
    let first = samples.iter().find(|other| other.code == sample.code);
    first.is_some_and(|first| first.status == sample.status)
}

/// Returns a message as a sentence of its own.
fn sentence(message: &str) -> String {
    let mut characters = message.chars();
    let first = characters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(characters).chain(['.']).collect()
}

#[cfg(test)]
mod tests {
    use usecases::Error;

    use super::*;

    #[test]
    fn a_sample_is_what_the_failure_answers() {
        let sample = Sample::from(&ApiError::Refused(Error::Overloaded));

        assert_eq!((sample.status, sample.code), (503, "SERVICE_UNAVAILABLE"));
        assert!(sample.sentence.starts_with("The service is overloaded"), "{}", sample.sentence);
        assert!(sample.line().ends_with(". Try again after `Retry-After`."), "{}", sample.line());
        assert_eq!(sample.answer["error"]["code"], "SERVICE_UNAVAILABLE");
        let missing = Sample::from(&ApiError::UnknownRoute);
        assert_eq!(missing.description(None), "`NOT_FOUND`: There is nothing at this address.");
        assert_eq!(missing.description(Some("It is gone.")), "`NOT_FOUND`: It is gone.");
        assert!(!missing.may_be_retried());
    }
}
