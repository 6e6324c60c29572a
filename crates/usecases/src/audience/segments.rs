//! Segments: subsets of an organization's contacts, defined by rules.

use std::sync::Arc;

use derive_more::Constructor;
use domain::{
    audience::segment::{
        CountedSegment, MAX_SEGMENTS, Preview, PreviewRequest, Rules, Segment, SegmentName,
        SegmentRequest, SegmentUpdate,
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
#[derive(Clone, Constructor)]
pub struct Segments {
    repository: Arc<dyn SegmentRepository>,
    clock: Arc<dyn Clock>,
}

impl Segments {
    /// Returns a page of the organization's segments, newest first.
    pub async fn page(&self, caller: &Caller, page: Page) -> Result<Paged<CountedSegment>, Error> {
        caller.authorize(Permission::Read)?;
        Ok(self.repository.page(caller.organization, page).await?)
    }

    /// Returns the names of the organization's segments, oldest first, without counting contacts.
    pub async fn names(&self, caller: &Caller) -> Result<Vec<SegmentName>, Error> {
        caller.authorize(Permission::Read)?;
        Ok(self.repository.names(caller.organization).await?)
    }

    /// Returns the names of the attributes that the newest contacts have.
    pub async fn attribute_names(&self, caller: &Caller) -> Result<Vec<String>, Error> {
        caller.authorize(Permission::Read)?;
        Ok(self.repository.attribute_names(caller.organization).await?)
    }

    /// Returns a segment with its size, and with warnings about its rules for people.
    pub async fn get(
        &self,
        caller: &Caller,
        id: Id<Segment>,
    ) -> Result<(CountedSegment, Vec<String>), Error> {
        caller.authorize(Permission::Read)?;
        let found = self.find(caller, id).await?;
        let mut warnings = found.segment.rules.warnings();
        warnings.extend(self.case_warnings(caller, &found.segment.rules).await?);
        Ok((found, warnings))
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
        self.check_campaigns(caller, &segment.rules).await?;
        let warnings = self.warnings(caller, &segment).await?;
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
        let has_new_rules = update.rules.is_some();
        let segment = faults.check(update.apply(known.segment))?;
        if has_new_rules {
            self.check_campaigns(caller, &segment.rules).await?;
        }
        let warnings = self.warnings(caller, &segment).await?;
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
        self.check_campaigns(caller, &rules).await?;
        let preview = self.repository.preview(caller.organization, &rules).await;
        let mut preview = preview.map_err(refused)?;
        preview.warnings.extend(self.case_warnings(caller, &rules).await?);
        Ok(preview)
    }

    async fn find(&self, caller: &Caller, id: Id<Segment>) -> Result<CountedSegment, Error> {
        let found = self.repository.find(caller.organization, id).await?;
        found.ok_or(Error::NotFound("segment"))
    }

    /// Fails unless the organization has the campaigns that rules name.
    async fn check_campaigns(&self, caller: &Caller, rules: &Rules) -> Result<(), Error> {
        if rules.campaigns().is_empty() {
            return Ok(());
        }
        let named: Vec<_> = rules.campaigns().iter().map(|named| named.campaign).collect();
        let unknown = self.repository.unknown_campaigns(caller.organization, &named).await?;
        let mut faults = Faults::default();
        for named in rules.campaigns() {
            if unknown.contains(&named.campaign) {
                faults.add(named.path.as_str(), "is not a campaign of the organization");
            }
        }
        Ok(faults.or(())?)
    }

    async fn warnings(&self, caller: &Caller, segment: &Segment) -> Result<Vec<String>, Error> {
        let names = self.repository.names(caller.organization).await?;
        let mut warnings = segment.warnings(&names);
        warnings.extend(self.case_warnings(caller, &segment.rules).await?);
        Ok(warnings)
    }

    async fn case_warnings(&self, caller: &Caller, rules: &Rules) -> Result<Vec<String>, Error> {
        if rules.attributes().is_empty() {
            return Ok(Vec::new());
        }
        let known = self.repository.attribute_names(caller.organization).await?;
        Ok(rules.case_warnings(&known))
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
    use crate::shared::fixtures::{NOW, member, tenant};

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

    #[tokio::test]
    async fn a_campaign_of_nobody_is_a_fault_of_its_place_in_the_rules() {
        let mut repository = MockSegmentRepository::new();
        repository.expect_unknown_campaigns().returning(|_, named| Ok(named.to_vec()));
        let campaign = Id::<Segment>::new_in(NOW, tenant()).to_string();
        let rules = json!({"not": {"campaign": {"id": campaign, "outcome": "SENT"}}});
        let preview = PreviewRequest { rules: Some(rules) };

        let refused = segments(repository)
            .preview(&member(Role::Owner), preview, Faults::default())
            .await
            .unwrap_err();

        let Error::Invalid(faults) = refused else { panic!("{refused}") };
        assert_eq!(faults.fields.keys().collect::<Vec<_>>(), ["rules.not.campaign.id"]);
    }
}
