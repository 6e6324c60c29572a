//! `/app/templates/{id}/versions`

use actix_web::web::Path;
use askama::Template;
use domain::content::template::TemplateVersion;

use super::changes::{Change, change};
use super::{address, written};
use crate::formats::{Formats, Moment, beginning};
use crate::frame::{Frame, Place, Shown, Visit, id_of};
use crate::words::{InWords, Words};

/// Maximum number of characters that are shown of the oldest text.
const MAX_TEXT: usize = 2_000;

#[derive(Template)]
#[template(path = "templates/versions.html")]
struct VersionsPage {
    frame: Frame,
    name: String,
    href: String,
    versions: Vec<Version>,
}

/// Version of a template, as the page shows it.
struct Version {
    number: String,
    status: Words,
    written: Moment,
    /// Text of the oldest version that is kept.
    text: Option<String>,
    /// Difference from the version before.
    change: Option<Change>,
}

pub(super) async fn show(visit: Visit, path: Path<String>) -> Shown {
    let id = id_of(&path)?;
    let (template, versions) = visit.api().templates.get(&visit.caller, id).await?;
    let formats = visit.formats();
    let older = versions.iter().skip(1).map(Some).chain([None]);
    let shown = versions.iter().zip(older);
    visit.show(&VersionsPage {
        frame: visit.frame(Place::Templates),
        name: template.name,
        href: address(id, ""),
        versions: shown.map(|(version, older)| Version::of(version, older, formats)).collect(),
    })
}

impl Version {
    fn of(version: &TemplateVersion, older: Option<&TemplateVersion>, formats: Formats) -> Self {
        let text = text_of(version);
        Self {
            number: version.version.to_string(),
            status: version.status.words(),
            written: formats.time(version.created_at),
            change: older.and_then(|older| change(&text_of(older), &text)),
            text: older.is_none().then(|| beginning(&text, MAX_TEXT)),
        }
    }
}

fn text_of(version: &TemplateVersion) -> String {
    written(version.subject.as_deref(), &version.body)
}
