//! Issues found in a text, as answers show them.

use domain::content::compliance::{Issue, Severity};
use serde::Serialize;
use utoipa::ToSchema;

use crate::inbound::shared::formats::{Names, Vocabulary};

type SeverityName = Names<Severity>;

impl Vocabulary for Severity {
    const TITLE: &'static str = "IssueSeverity";
    const DESCRIPTION: &'static str = "The severity of an issue. `info` adds nothing to the score; \
         a single `high` issue requires approval.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

/// Issue found in a text.
#[derive(Serialize, ToSchema)]
#[schema(as = Issue)]
#[serde(rename_all = "camelCase")]
pub(crate) struct IssueView {
    /// Name of the rule. It does not change.
    #[schema(example = "SECRET_REQUESTED")]
    code: String,
    #[schema(value_type = SeverityName)]
    severity: &'static str,
    /// Description of the issue.
    #[schema(example = "asks for a PIN, a password or a one-time code")]
    message: String,
    /// Suggested correction.
    #[schema(example = "Never ask for a secret.")]
    remedy: String,
    /// Passage of the text; null if something is missing.
    #[serde(rename = "match")]
    #[schema(example = "send your PIN")]
    found: Option<String>,
    /// Start of the passage, in characters from 0. A subject precedes the text, on a line of its own.
    #[schema(example = 17)]
    position: Option<usize>,
    /// Points that it adds to the score.
    #[schema(example = 40)]
    weight: u8,
}

impl From<Issue> for IssueView {
    fn from(issue: Issue) -> Self {
        Self {
            code: issue.code.into_owned(),
            severity: issue.severity.as_str(),
            message: issue.message.into_owned(),
            remedy: issue.remedy.into_owned(),
            found: issue.found,
            position: issue.position,
            weight: issue.weight,
        }
    }
}
