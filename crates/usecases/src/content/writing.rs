//! Texts that are written for those who send.

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
    platform::{bounds::Bounds, limits::Limits},
};

/// It takes a language model, and there is none.
pub const CONTENT_WRITER_NOT_CONFIGURED: Reason = Reason::new(
    "CONTENT_WRITER_NOT_CONFIGURED",
    "this takes a language model, and none is configured: without one English texts are written and \
     rewritten, and nothing is translated",
);

/// How often a model is asked for a text.
const TRIES: usize = 2;
/// When to try again if a model does not say.
const AFTER_OUTAGE: TimeDelta = TimeDelta::seconds(5);
/// When to try again if a model writes nothing that can be used.
const AFTER_FAILURE: TimeDelta = TimeDelta::seconds(1);

/// Operations on texts. Nothing of them is kept.
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
    /// Texts that are written by rules.
    pub fn by_rules() -> Self {
        Self::default()
    }

    /// Texts that a model writes, and rules where it fails.
    pub fn by_model(writer: Arc<dyn ContentWriter>) -> Self {
        let (places, bounds) = (Places::default(), Bounds::default());
        Self { model: Some(Model { writer, places, bounds, limits: Limits::off() }) }
    }

    /// The same texts, of which the model writes as many a day as `limits` count. `bounds` tell who has
    /// paid.
    #[must_use]
    pub fn within(self, bounds: Bounds, limits: Limits) -> Self {
        Self { model: self.model.map(|model| Model { bounds, limits, ..model }) }
    }

    /// Writes a new text. `faults` is what is already known to be wrong.
    pub async fn generate(
        &self,
        caller: &Caller,
        request: GenerateRequest,
        faults: Faults,
    ) -> Result<Written, Error> {
        caller.authorize(Permission::Read)?;
        self.write(caller, faults.check(request.request())?).await
    }

    /// Writes a text in other words. `faults` is what is already known to be wrong.
    pub async fn rewrite(
        &self,
        caller: &Caller,
        request: RewriteRequest,
        faults: Faults,
    ) -> Result<Written, Error> {
        caller.authorize(Permission::Read)?;
        self.write(caller, faults.check(request.request())?).await
    }

    /// Writes a text in another language. `faults` is what is already known to be wrong.
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
        // Each text costs the operator.
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
    /// What the model writes; `None` if none of its texts can be handed out.
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
        // Flaws quote the text, which nobody is to find in a log.
        tracing::warn!(violations = violations.len(), "the language model gave no usable text");
        Ok(None)
    }
}

#[cfg(test)]
mod tests;
