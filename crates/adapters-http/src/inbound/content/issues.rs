//! What was found in a text, as answers show it.

use domain::content::compliance::{Issue, Severity};
use serde::Serialize;
use utoipa::ToSchema;

use crate::inbound::shared::formats::{Names, Vocabulary};

type SeverityName = Names<Severity>;

impl Vocabulary for Severity {
    const TITLE: &'static str = "IssueSeverity";
    const DESCRIPTION: &'static str =
        "How grave an issue is. `info` adds nothing to the score; `high` needs approval by itself.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

/// Something that was found in a text.
#[derive(Serialize, ToSchema)]
#[schema(as = Issue)]
#[serde(rename_all = "camelCase")]
pub(crate) struct IssueView {
    /// The name of the rule. It does not change.
    #[schema(example = "SECRET_REQUESTED")]
    code: String,
    #[schema(value_type = SeverityName)]
    severity: &'static str,
    /// What was found, in words.
    #[schema(example = "asks for a PIN, a password or a one-time code")]
    message: String,
    /// What to write instead.
    #[schema(example = "Never ask for a secret.")]
    remedy: String,
    /// The passage; null if something is missing.
    #[serde(rename = "match")]
    #[schema(example = "send your PIN")]
    found: Option<String>,
    /// Where it begins, in characters from 0. A subject stands before the text, on a line of its own.
    #[schema(example = 17)]
    position: Option<usize>,
    /// What it adds to the score.
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
