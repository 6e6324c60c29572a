//! The key of a request, as its program sees it.

use domain::identity::organization::{Organization, OwnLimits};
use serde::Serialize;
use usecases::{identity::api_keys::CurrentKey, shared::limits::OrganizationRateLimits};
use utoipa::ToSchema;
use uuid::Uuid;

use super::ApiKeyView;
use crate::inbound::shared::rate_view::RateView;

/// API key of the request.
#[derive(Serialize, ToSchema)]
#[schema(as = CurrentApiKey)]
pub(super) struct CurrentApiKeyView {
    #[serde(flatten)]
    about: ApiKeyView,
    organization: KeyOwnerView,
    limits: KeyLimitsView,
}

/// Organization that owns an API key.
#[derive(Serialize, ToSchema)]
#[schema(as = ApiKeyOwner)]
struct KeyOwnerView {
    id: Uuid,
    #[schema(example = "Kente Ltd")]
    name: String,
}

/// Rate limits of an API key, which all keys of the organization with the same mode share.
#[derive(Serialize, ToSchema)]
#[schema(as = ApiKeyLimits)]
struct KeyLimitsView {
    /// Messages; a message counts one for every started 16 kB. Null: not limited.
    messages: Option<RateView>,
    /// Requests that send no message. Null: not limited.
    requests: Option<RateView>,
}

impl CurrentApiKeyView {
    /// Shows a key with the state of its organization's limits, some of which may be its own.
    pub(super) fn of(
        current: CurrentKey,
        rate_limits: Option<OrganizationRateLimits>,
        own: OwnLimits,
    ) -> Self {
        let CurrentKey { key, organization } = current;
        let messages = rate_limits.map(|it| {
            if key.is_sandbox {
                RateView::of(it.sandbox_messages, own.sandbox)
            } else {
                RateView::of(it.live_messages, own.live)
            }
        });
        let requests = rate_limits.map(|it| RateView::of(it.requests, own.requests));
        Self {
            about: key.into(),
            organization: organization.into(),
            limits: KeyLimitsView { messages, requests },
        }
    }
}

impl From<Organization> for KeyOwnerView {
    fn from(organization: Organization) -> Self {
        Self { id: organization.id.uuid(), name: organization.name }
    }
}
