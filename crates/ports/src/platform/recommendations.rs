//! Recommendations.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    identity::organization::Organization,
    platform::recommendation::{NewMessage, Recommendation},
    shared::id::Id,
};

use crate::shared::store::StoreError;

/// Recommendations as they were made last.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KeptRecommendations {
    /// The recommendations, the most valuable one first.
    pub items: Vec<Recommendation>,
    /// When they were made. None if they never were.
    pub evaluated_at: Option<DateTime<Utc>>,
    /// When they are to be made anew. None if somebody is to make them now.
    pub due_at: Option<DateTime<Utc>>,
}

/// Keeps the recommendations of organizations, and reads their newest messages.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait RecommendationRepository: Send + Sync {
    /// Those that are kept.
    async fn find(&self, organization: Id<Organization>)
    -> Result<KeptRecommendations, StoreError>;

    /// Takes on to make them anew, if that is due at `now`. Nobody else does until `until`.
    async fn claim(
        &self,
        organization: Id<Organization>,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// Keeps what was made.
    async fn keep(
        &self,
        organization: Id<Organization>,
        made: &KeptRecommendations,
    ) -> Result<(), StoreError>;

    /// The live ones of the newest `most` messages, as far as they were accepted since then; newest
    /// first.
    async fn newest_messages(
        &self,
        organization: Id<Organization>,
        since: DateTime<Utc>,
        most: usize,
    ) -> Result<Vec<NewMessage>, StoreError>;
}
