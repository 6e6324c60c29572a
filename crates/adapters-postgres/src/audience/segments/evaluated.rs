//! Evaluation of audiences for requests: in turns, and on separate connections.

use async_trait::async_trait;
use domain::{audience::contact::Contact, identity::organization::Organization, shared::id::Id};
use ports::{
    audience::segments::{Audience, AudienceRepository, EvaluationError},
    shared::store::StoreError,
};

use super::PgSegments;

#[async_trait]
impl AudienceRepository for PgSegments {
    async fn members_after<'a>(
        &self,
        organization: Id<Organization>,
        audience: Audience<'a>,
        after: Option<Id<Contact>>,
        limit: u32,
    ) -> Result<Vec<Contact>, StoreError> {
        let _turn = self.turns.take(organization).await?;
        self.evaluation.members_after(organization, audience, after, limit).await
    }

    async fn count_until<'a>(
        &self,
        organization: Id<Organization>,
        audience: Audience<'a>,
        until: Id<Contact>,
    ) -> Result<u64, EvaluationError> {
        let _turn = self.turns.take(organization).await?;
        self.evaluation.count_until(organization, audience, until).await
    }
}
