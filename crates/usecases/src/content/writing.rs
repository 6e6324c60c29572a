//! Writing of texts for senders, by rules or a language model.

mod places;

use std::sync::Arc;

use chrono::TimeDelta;
use domain::{
    content::writing::{
        GenerateRequest, Note, RewriteRequest, TranslateRequest, Violation, WritingRequest, Written,
    },
    identity::{caller::Caller, permission::Permission},
    shared::fault::Faults,
};
use ports::content::writing::{ContentWriter, WriterError};

use self::places::Places;
use crate::{
    Error, Reason,
    shared::{bounds::Bounds, limits::Limits},
};

/// The request needs a language model, and none is configured.
pub const CONTENT_WRITER_NOT_CONFIGURED: Reason = Reason::new(
    "CONTENT_WRITER_NOT_CONFIGURED",
    "this takes a language model, and none is configured: without one English texts are written and \
     rewritten, and nothing is translated",
);

/// Attempts of the model at one text.
const TRIES: usize = 2;
/// Retry delay if an unavailable model names none.
const AFTER_OUTAGE: TimeDelta = TimeDelta::seconds(5);
/// Retry delay if the model writes no usable text.
const AFTER_FAILURE: TimeDelta = TimeDelta::seconds(1);

/// Operations that write texts. No text is stored.
#[derive(Clone, Default)]
pub struct Content {
    model: Option<Model>,
}

#[derive(Clone)]
struct Model {
    writer: Arc<dyn ContentWriter>,
    places: Places,
    bounds: Bounds,
    limits: Limits,
}

impl Content {
    /// Creates the operations with rules only.
    pub fn by_rules() -> Self {
        Self::default()
    }

    /// Creates the operations with a model, and rules if it fails. `limits` limits the texts that the
    /// model writes per day; `bounds` tells which organizations have paid.
    pub fn by_model(writer: Arc<dyn ContentWriter>, bounds: Bounds, limits: Limits) -> Self {
        Self { model: Some(Model { writer, places: Places::default(), bounds, limits }) }
    }

    /// Writes a new text. `faults` holds the faults found so far.
    pub async fn generate(
        &self,
        caller: &Caller,
        request: GenerateRequest,
        faults: Faults,
    ) -> Result<Written, Error> {
        caller.authorize(Permission::Read)?;
        self.write(caller, faults.check(request.request())?).await
    }

    /// Rewrites a text. `faults` holds the faults found so far.
    pub async fn rewrite(
        &self,
        caller: &Caller,
        request: RewriteRequest,
        faults: Faults,
    ) -> Result<Written, Error> {
        caller.authorize(Permission::Read)?;
        self.write(caller, faults.check(request.request())?).await
    }

    /// Translates a text. `faults` holds the faults found so far.
    pub async fn translate(
        &self,
        caller: &Caller,
        request: TranslateRequest,
        faults: Faults,
    ) -> Result<Written, Error> {
        caller.authorize(Permission::Read)?;
        self.write(caller, faults.check(request.request())?).await
    }

    async fn write(&self, caller: &Caller, wanted: WritingRequest) -> Result<Written, Error> {
        let Some(model) = &self.model else {
            return wanted.by_rules().ok_or(Error::Unavailable(CONTENT_WRITER_NOT_CONFIGURED));
        };
        // Each text has a cost for the operator.
        caller.authorize(Permission::WriteAudience)?;
        let _place = model.places.take(caller.organization)?;
        let has_paid = model.bounds.holdings(caller.organization).await?.has_paid;
        model.limits.content(caller.organization, has_paid).await?;
        if let Some(written) = model.write(&wanted).await? {
            return Ok(written);
        }
        let mut written = wanted.by_rules().ok_or(Error::Away(AFTER_FAILURE))?;
        written.notes.insert(0, Note::ModelFailed);
        Ok(written)
    }
}

impl Model {
    /// Returns the text of the model; `None` if none of its texts is valid.
    async fn write(&self, wanted: &WritingRequest) -> Result<Option<Written>, Error> {
        let mut violations = Vec::new();
        for _ in 0..TRIES {
            violations = match self.writer.write(wanted, &violations).await {
                Ok(text) => match wanted.by_model(text) {
                    Ok(written) => return Ok(Some(written)),
                    Err(violations) => violations,
                },
                Err(WriterError::Unreadable) => vec![Violation::Unreadable],
                Err(WriterError::Unavailable { retry_after }) => {
                    return Err(Error::Away(retry_after.unwrap_or(AFTER_OUTAGE)));
                }
            };
        }
        // Violations quote the text, which must not be logged.
        tracing::warn!(violations = violations.len(), "the language model gave no usable text");
        Ok(None)
    }
}

#[cfg(test)]
mod tests;
