//! Segments: subsets of an organization's contacts, defined by rules.

use std::sync::Arc;

use domain::{
    audience::segment::{
        CountedSegment, MAX_SEGMENTS, Preview, PreviewRequest, Segment, SegmentRequest,
        SegmentUpdate,
    },
    identity::{caller::Caller, permission::Permission},
    shared::{
        fault::Faults,
        id::Id,
        page::{Page, Paged},
    },
};
use ports::{
    audience::segments::{Deleted, EvaluationError, SegmentRepository},
    shared::clock::Clock,
};

use crate::{Error, Reason};

/// A campaign that has not ended uses the segment.
pub const SEGMENT_IN_USE: Reason =
    Reason::new("SEGMENT_IN_USE", "a campaign that has not ended is for this segment");

/// The organization has the maximum number of segments.
pub fn segment_limit_reached() -> Error {
    let message = format!("an organization has at most {MAX_SEGMENTS} segments");
    Error::Conflict(Reason::with_message("SEGMENT_LIMIT_REACHED", message))
}

/// Operations on segments.
#[derive(Clone)]
pub struct Segments {
    repository: Arc<dyn SegmentRepository>,
    clock: Arc<dyn Clock>,
}

impl Segments {
    /// Creates the operations over `repository`.
    pub fn new(repository: Arc<dyn SegmentRepository>, clock: Arc<dyn Clock>) -> Self {
        Self { repository, clock }
    }

    /// Returns a page of the organization's segments, newest first.
    pub async fn page(&self, caller: &Caller, page: Page) -> Result<Paged<CountedSegment>, Error> {
        caller.authorize(Permission::Read)?;
        Ok(self.repository.page(caller.organization, page).await?)
    }

    /// Returns a segment with its size.
    pub async fn get(&self, caller: &Caller, id: Id<Segment>) -> Result<CountedSegment, Error> {
        caller.authorize(Permission::Read)?;
        self.find(caller, id).await
    }

    /// Creates a segment, and returns it with warnings for people. `faults` holds the faults found so
    /// far.
    pub async fn create(
        &self,
        caller: &Caller,
        request: SegmentRequest,
        faults: Faults,
    ) -> Result<(CountedSegment, Vec<String>), Error> {
        caller.authorize(Permission::WriteAudience)?;
        let segment = request.segment(caller.organization, self.clock.now());
        let segment = faults.check(segment)?;
        let warnings = self.warnings(&segment).await?;
        let inserted = self.repository.insert(&segment).await.map_err(refused)?;
        Ok((inserted.ok_or_else(segment_limit_reached)?, warnings))
    }

    /// Changes a segment, and returns it with warnings for people. `faults` holds the faults found so
    /// far.
    pub async fn update(
        &self,
        caller: &Caller,
        id: Id<Segment>,
        update: SegmentUpdate,
        faults: Faults,
    ) -> Result<(CountedSegment, Vec<String>), Error> {
        caller.authorize(Permission::WriteAudience)?;
        let known = self.find(caller, id).await?;
        let segment = faults.check(update.apply(known.segment))?;
        let warnings = self.warnings(&segment).await?;
        let updated = self.repository.update(&segment).await.map_err(refused)?;
        Ok((updated.ok_or(Error::NotFound("segment"))?, warnings))
    }

    /// Deletes a segment unless a campaign that has not ended uses it. Its contacts are kept.
    pub async fn delete(&self, caller: &Caller, id: Id<Segment>) -> Result<(), Error> {
        caller.authorize(Permission::WriteAudience)?;
        match self.repository.delete(caller.organization, id).await? {
            Deleted::Done => Ok(()),
            Deleted::Missing => Err(Error::NotFound("segment")),
            Deleted::InUse => Err(Error::Conflict(SEGMENT_IN_USE)),
        }
    }

    /// Evaluates rules without creating a segment. `faults` holds the faults found so far.
    pub async fn preview(
        &self,
        caller: &Caller,
        request: PreviewRequest,
        faults: Faults,
    ) -> Result<Preview, Error> {
        caller.authorize(Permission::Read)?;
        let rules = faults.check(request.rules())?;
        self.repository.preview(caller.organization, &rules).await.map_err(refused)
    }

    async fn find(&self, caller: &Caller, id: Id<Segment>) -> Result<CountedSegment, Error> {
        let found = self.repository.find(caller.organization, id).await?;
        found.ok_or(Error::NotFound("segment"))
    }

    async fn warnings(&self, segment: &Segment) -> Result<Vec<String>, Error> {
        let names = self.repository.names(segment.organization).await?;
        Ok(segment.warnings(&names))
    }
}

fn refused(error: EvaluationError) -> Error {
    match error {
        EvaluationError::TooSlow => {
            let fault =
                "take too long to evaluate for so many contacts: ask for less, or for a tag";
            Faults::field("rules", fault).into()
        }
        EvaluationError::Store(error) => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use domain::identity::organization::Role;
    use ports::shared::mock::{MockClock, MockSegmentRepository};
    use serde_json::json;

    use super::*;
    use crate::shared::fixtures::{NOW, member};

    fn segments(mut repository: MockSegmentRepository) -> Segments {
        repository.expect_names().returning(|_| Ok(Vec::new()));
        Segments::new(Arc::new(repository), Arc::new(MockClock::at(NOW)))
    }

    fn request() -> SegmentRequest {
        let (name, rules) = (Some("VIPs".to_owned()), Some(json!({"tags": "vip"})));
        SegmentRequest { name, rules, ..SegmentRequest::default() }
    }

    #[tokio::test]
    async fn rules_that_take_too_long_are_a_fault_of_the_field() {
        let mut repository = MockSegmentRepository::new();
        repository.expect_insert().returning(|_| Err(EvaluationError::TooSlow));
        repository.expect_preview().returning(|_, _| Err(EvaluationError::TooSlow));
        let (segments, caller) = (segments(repository), member(Role::Owner));

        let created = segments.create(&caller, request(), Faults::default()).await;
        let preview = PreviewRequest { rules: Some(json!({})) };
        let previewed = segments.preview(&caller, preview, Faults::default()).await;

        for error in [created.unwrap_err(), previewed.unwrap_err()] {
            let Error::Invalid(faults) = error else { panic!("{error}") };
            assert!(faults.fields["rules"][0].starts_with("take too long"));
        }
    }
}
