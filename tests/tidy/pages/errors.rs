//! Codes of refused requests and of failed messages, from the document of the API.

use serde_json::Value;

use super::markdown::{code, table};

/// Endings of the sentences about codes, each with what the table says instead.
const RETRIES: [(&str, &str); 2] = [
    (" Try again after `Retry-After`.", "after `Retry-After`"),
    (" Try again later.", "later, with the same `Idempotency-Key`"),
];
const NEVER: &str = "never";

/// Code of a refused request.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ErrorCode<'d> {
    status: &'d str,
    code: &'d str,
    sentence: &'d str,
    retry: &'static str,
}

impl<'d> ErrorCode<'d> {
    /// Reads a line such as "- `CODE` (400): Sentence.".
    fn read(line: &'d str) -> Option<Self> {
        let (code, rest) = line.strip_prefix("- `")?.split_once("` (")?;
        let (status, text) = rest.split_once("): ")?;
        let retry = RETRIES.iter().find_map(|(ending, retry)| {
            text.strip_suffix(*ending).map(|sentence| (sentence, *retry))
        });
        let (sentence, retry) = retry.unwrap_or((text, NEVER));
        Some(Self { status, code, sentence, retry })
    }
}

/// Returns all codes by their statuses.
pub(super) fn error_codes(api: &Value) -> String {
    let mut codes: Vec<_> =
        description(api, "ErrorCode").lines().filter_map(ErrorCode::read).collect();
    codes.sort_unstable();
    let rows = codes.into_iter().map(|it| {
        vec![it.status.to_owned(), code(it.code), it.sentence.to_owned(), it.retry.to_owned()]
    });
    table(&["status", "code", "sentence", "repeat it"], rows)
}

/// Returns the reasons of failures by what follows from them.
pub(super) fn failure_codes(api: &Value) -> String {
    // A list follows its introduction after an empty line.
    description(api, "FailureCode").replace(":\n- ", ":\n\n- ")
}

fn description<'d>(api: &'d Value, schema: &str) -> &'d str {
    api["components"]["schemas"][schema]["description"].as_str().unwrap_or_default()
}

#[test]
fn every_code_of_the_document_is_in_the_table_once() {
    let api = adapters_http::openapi();
    let codes = api["components"]["schemas"]["ErrorCode"]["enum"].as_array();
    let codes: Vec<_> = codes.into_iter().flatten().filter_map(Value::as_str).collect();
    assert!(codes.len() > 80, "{codes:?}");

    let table = error_codes(api);

    let missing =
        codes.iter().filter(|name| table.matches(&format!(" | `{name}` | ")).count() != 1);
    assert_eq!(missing.collect::<Vec<_>>(), [&""; 0]);
    assert_eq!(table.lines().count(), codes.len() + 2);
    assert!(failure_codes(api).contains("\n- `NO_ROUTE`: "));
}

#[test]
fn the_ending_of_a_sentence_says_when_to_repeat_the_request() {
    let read = |line| ErrorCode::read(line).map(|it| (it.status, it.code, it.sentence, it.retry));
    let never = read("- `A_B` (400): It is `c`: d.");
    assert_eq!(never, Some(("400", "A_B", "It is `c`: d.", NEVER)));
    let again = read("- `A` (429): Too many. Try again after `Retry-After`.");
    assert_eq!(again, Some(("429", "A", "Too many.", "after `Retry-After`")));
    assert_eq!(read("A stable name"), None);
}
