//! Recommendations.
//!
//! ```
//! use domain::{identity::organization::Organization, shared::id::Id};
//! use ports::{
//!     platform::recommendations::{KeptRecommendations, RecommendationRepository},
//!     shared::store::StoreError,
//! };
//!
//! async fn kept(
//!     recommendations: &dyn RecommendationRepository,
//!     shop: Id<Organization>,
//! ) -> Result<KeptRecommendations, StoreError> {
//!     recommendations.find(shop).await
//! }
//! ```

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    identity::organization::Organization,
    platform::recommendation::{NewMessage, Recommendation},
    shared::id::Id,
};

use crate::shared::store::StoreError;

/// Stored result of the last evaluation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KeptRecommendations {
    /// Recommendations, most valuable first.
    pub items: Vec<Recommendation>,
    /// Time of the last evaluation; `None` if there was none.
    pub evaluated_at: Option<DateTime<Utc>>,
    /// Time at which the next evaluation is due; `None` if it is due now.
    pub due_at: Option<DateTime<Utc>>,
}

/// Stores the recommendations of organizations, and reads their newest messages.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait RecommendationRepository: Send + Sync {
    /// Returns the stored recommendations.
    async fn find(&self, organization: Id<Organization>)
    -> Result<KeptRecommendations, StoreError>;

    /// Claims the evaluation, if it is due at `now`. No other caller gets it until `until`. Returns false
    /// if it was not claimed.
    async fn claim(
        &self,
        organization: Id<Organization>,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// Stores the result of an evaluation.
    async fn keep(
        &self,
        organization: Id<Organization>,
        made: &KeptRecommendations,
    ) -> Result<(), StoreError>;

    /// Returns the live messages among the newest `most` messages that were accepted since `since`, newest
    /// first.
    async fn newest_messages(
        &self,
        organization: Id<Organization>,
        since: DateTime<Utc>,
        most: usize,
    ) -> Result<Vec<NewMessage>, StoreError>;
}
