//! `GET /billing/top-ups`

use actix_web::web::Data;
use domain::{
    money::top_up::{PaymentMethod, TopUp, TopUpStatus},
    shared::{money::CURRENCY, page::Page},
};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::inbound::{
    Api,
    shared::{
        answers::Paginated,
        caller::Member,
        endpoint::{Endpoint, get},
        error::ApiError,
        formats::{Names, Timestamp, Vocabulary},
        query::{FromQuery, Parameters, Query},
    },
};

pub(super) fn endpoint() -> Endpoint {
    get("/billing/top-ups", "listTopUps", list)
        .extension()
        .summary("List top-ups.")
        .description(
            "Payments through the gateway, newest first. Those by invoice are in `GET \
             /billing/invoices`. Unsuccessful ones are listed for 25 months.",
        )
        .answers("The top-ups.")
}

type TopUpStatusName = Names<TopUpStatus>;
type PaymentMethodName = Names<PaymentMethod>;

impl Vocabulary for TopUpStatus {
    const TITLE: &'static str = "TopUpStatus";
    const DESCRIPTION: &'static str = "The state of a top-up. `ABANDONED` was not paid within three \
         days; a later payment is still credited.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

/// Filter of the list.
struct Listing {
    status: Option<TopUpStatus>,
    page: Page,
}

impl FromQuery for Listing {
    fn from_query(parameters: &mut Parameters) -> Option<Self> {
        let status = parameters.optional("status", "Only top-ups in this state.");
        parameters.short_page().map(|page| Self { status, page })
    }
}

/// A payment through the gateway. `top_up.completed` reports the same ([`TopUp::to_json`]).
#[derive(Serialize, ToSchema)]
#[schema(as = ListedTopUp)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListedTopUpView {
    id: Uuid,
    /// Reference of the payment.
    #[schema(example = "topup-0f8c2f7d10a4c3e5f708192a3b6c2f7da3b")]
    reference: String,
    #[schema(value_type = TopUpStatusName)]
    status: &'static str,
    #[schema(value_type = PaymentMethodName)]
    payment_method: &'static str,
    #[schema(example = 50.0)]
    amount: f64,
    #[schema(example = "GHS")]
    currency: &'static str,
    created_at: Timestamp,
    /// Time at which the money was in the wallet; null before.
    credited_at: Option<Timestamp>,
}

impl From<TopUp> for ListedTopUpView {
    fn from(top_up: TopUp) -> Self {
        Self {
            id: top_up.id.uuid(),
            reference: top_up.reference.to_string(),
            status: top_up.status.as_str(),
            payment_method: top_up.method.as_str(),
            amount: top_up.amount.to_number(),
            currency: CURRENCY,
            created_at: top_up.created_at.into(),
            credited_at: top_up.credited_at.map(Timestamp::from),
        }
    }
}

async fn list(
    Member(caller): Member,
    api: Data<Api>,
    query: Query<Listing>,
) -> Result<Paginated<ListedTopUpView>, ApiError> {
    let Listing { status, page } = query.read()?;
    Ok(Paginated::new(api.top_ups.page(&caller, status, page).await?))
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use domain::{
        identity::organization::PLATFORM,
        money::top_up::TopUpReference,
        shared::{id::Id, money::Money},
    };

    use super::*;

    #[test]
    fn the_event_of_a_top_up_shows_the_same_as_the_api() {
        let now = DateTime::from_timestamp_nanos(1_700_000_000_120_456_789);
        let top_up = TopUp {
            id: Id::new_in(now, PLATFORM),
            organization: PLATFORM,
            reference: TopUpReference::new_in(PLATFORM, [7; 32]),
            amount: Money::from_micros(50_250_000),
            method: PaymentMethod::Card,
            status: TopUpStatus::Pending,
            requested_by: Id::new(now),
            created_at: now,
            credited_at: None,
        };
        let credited = top_up.credited(&top_up.credit(now));
        for shown in [top_up, credited] {
            let published = shown.to_json();
            assert_eq!(serde_json::to_value(ListedTopUpView::from(shown)).unwrap(), published);
        }
    }
}
