//! Refusals in the documentation of endpoints, and those that several endpoints share.
//!
//! The values in them, such as identifiers and amounts, are those of the examples in the document.

use std::borrow::Cow;

use chrono::{DateTime, TimeDelta};
use domain::{
    identity::{
        caller::Denied,
        organization::{Holding, HoldingFull},
    },
    money::{funds::SpendingLimitReached, wallet::InsufficientBalance},
    outreach::campaign::CampaignStatus,
    shared::{id::Id, money::Money},
};
use ports::audience::contacts::{TakenAddress, UniqueField};
use usecases::{
    Error,
    audience::contacts::contact_exists,
    messaging::messages::{template_not_approved, template_not_found},
    outreach::campaigns::{segment_not_found, unfit_campaign_status},
    shared::bounds::limit_reached,
};
use uuid::{Uuid, uuid};

use super::Endpoint;
use crate::inbound::shared::error::ApiError;

/// Identifier in examples.
pub(crate) const EXAMPLE: Uuid = uuid!("019a5b8e-6c2f-7d10-a4c3-e5f708192a3b");

/// Slug of an event in examples.
pub(crate) const SLUG: &str = "parcel.arrived";

/// Refusal of an endpoint.
pub(crate) struct Refusal {
    /// Gives the status, the code and the example.
    pub(crate) error: ApiError,
    /// Sentence of the document; `None` if the message of the error says enough.
    pub(crate) when: Option<Cow<'static, str>>,
}

impl Endpoint {
    /// Adds a refusal that not every endpoint has. Its class gives the status, and its reason the
    /// code, the sentence and the example.
    pub(crate) fn refuses(self, refusal: impl Into<Error>) -> Self {
        self.add_refusal(refusal.into(), None)
    }

    /// Adds a refusal whose message differs from one answer to the next, or does not tell the cases
    /// of this endpoint. The sentence `when` describes it instead.
    pub(crate) fn refuses_when(self, when: &'static str, refusal: impl Into<Error>) -> Self {
        self.add_refusal(refusal.into(), Some(when.into()))
    }

    /// Adds that messages must be paid.
    pub(crate) fn costs_money(self) -> Self {
        self.refuses_when("The balance is insufficient.", insufficient_balance())
            .refuses_when("The daily limit is reached.", spending_limit_reached())
    }

    /// Adds that a suspended organization sends no messages.
    pub(crate) fn sends_messages(self) -> Self {
        self.refuses(Denied::Suspended)
    }

    /// Adds that an organization keeps at most so much of each of `holdings`.
    pub(crate) fn fills(self, holdings: &[Holding]) -> Self {
        holdings.iter().fold(self, |endpoint, holding| {
            let when = format!("The limit on {holding} is reached.");
            endpoint.add_refusal(holding_full(*holding), Some(when.into()))
        })
    }

    /// Adds that the template that the request names must exist.
    pub(crate) fn names_template(self) -> Self {
        self.refuses_when("There is no such template.", template_not_found(Id::of(EXAMPLE)))
    }

    /// Adds that the template that the request names must exist and be approved.
    pub(crate) fn sends_template(self) -> Self {
        let unapproved = template_not_approved(Id::of(EXAMPLE));
        self.names_template().refuses_when("The template is not approved.", unapproved)
    }

    /// Adds that the segment that the request names must exist.
    pub(crate) fn names_segment(self) -> Self {
        self.refuses_when("There is no such segment.", segment_not_found(Id::of(EXAMPLE)))
    }

    fn add_refusal(mut self, refusal: Error, when: Option<Cow<'static, str>>) -> Self {
        self.refusals.push(Refusal { error: ApiError::Refused(refusal), when });
        self
    }
}

/// The organization has as much of the holding as it may have.
pub(crate) fn holding_full(holding: Holding) -> Error {
    let limit = holding.limit(false);
    limit_reached(HoldingFull { holding, limit, grows: limit < holding.limit(true) })
}

/// Another contact has the address.
pub(crate) fn address_taken() -> Error {
    contact_exists(TakenAddress { field: UniqueField::Phone, contact: Id::of(EXAMPLE) })
}

/// The wallet cannot pay for the messages.
pub(crate) fn insufficient_balance() -> Error {
    Error::InsufficientBalance(InsufficientBalance {
        required: Money::from_micros(35_000),
        balance: Money::from_micros(12_000),
    })
}

/// The messages would exceed the daily limit.
pub(crate) fn spending_limit_reached() -> Error {
    Error::SpendingLimitReached(SpendingLimitReached {
        required: Money::from_micros(35_000),
        limit: Money::from_cedis(20),
        spent: Money::from_micros(19_990_000),
        resets_at: DateTime::UNIX_EPOCH + TimeDelta::days(20_780),
    })
}

/// The campaign has another status than the operation needs.
pub(crate) fn unfit_campaign() -> Error {
    unfit_campaign_status(CampaignStatus::Sending, &[CampaignStatus::Draft], "sent")
}
