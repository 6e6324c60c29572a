//! Progress of single top-ups, for their payers.

use domain::{
    identity::{caller::Caller, permission::Permission},
    money::top_up::{TopUp, TopUpReference, TopUpStatus},
};
use ports::money::payments::GatewayError;

use super::{Settled, TopUps};
use crate::Error;

/// A top-up with the page where it is paid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// The top-up.
    pub top_up: TopUp,
    /// Payment page; `None` if it is paid, was refused, or has none.
    pub checkout_url: Option<String>,
}

impl TopUps {
    /// Returns the top-up of the caller's organization with that reference.
    pub async fn find(&self, caller: &Caller, reference: &str) -> Result<Progress, Error> {
        caller.authorize(Permission::Read)?;
        let top_up = self.own(caller, reference).await?;
        let checkout_url = match top_up.status {
            TopUpStatus::Pending | TopUpStatus::Abandoned => {
                self.deps.top_ups.checkout(&top_up).await?
            }
            TopUpStatus::Credited | TopUpStatus::Failed => None,
        };
        Ok(Progress { top_up, checkout_url })
    }

    /// Asks the gateway about the payment of a top-up, and credits the wallet if it was made.
    pub async fn check(&self, caller: &Caller, reference: &str) -> Result<Settled, Error> {
        caller.authorize(Permission::TopUp)?;
        let top_up = self.own(caller, reference).await?;
        if top_up.status == TopUpStatus::Credited {
            return Ok(Settled::Credited(self.credit(&top_up).await?));
        }
        match self.gateway()?.verify(&top_up.reference).await {
            Ok(payment) => self.settle(payment, Some(&top_up)).await,
            Err(GatewayError::UnknownPayment) => Ok(Settled::NotPaid),
            Err(error) => Err(self.gateway_failed(&error, &top_up.reference)),
        }
    }

    async fn own(&self, caller: &Caller, reference: &str) -> Result<TopUp, Error> {
        let unknown = || Error::NotFound("top-up");
        let reference: TopUpReference = reference.parse().map_err(|_| unknown())?;
        let top_up = self.deps.top_ups.find(&reference).await?;
        top_up.filter(|it| it.organization == caller.organization).ok_or_else(unknown)
    }
}
