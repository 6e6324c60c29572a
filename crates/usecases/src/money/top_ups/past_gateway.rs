//! Top-ups without the gateway: by invoice, and by confirmation of an administrator.

use domain::{
    identity::{caller::Caller, permission::Permission},
    money::top_up::TopUpRequest,
    shared::{fault::Faults, money::Money},
};

use super::{Payer, REFERENCE_NOT_ALLOWED, Receipt, TopUps};
use crate::{Error, identity::auth::NOT_A_MEMBER};

impl TopUps {
    /// Issues an invoice. The wallet is credited on payment, or on issue if the installation is
    /// configured so.
    pub(super) async fn invoice(&self, member: &Caller, amount: Money) -> Result<Receipt, Error> {
        let invoice = self.deps.invoices.issue(member, amount).await?;
        Ok(Receipt {
            reference: invoice.number.to_string(),
            is_credited: invoice.is_credited,
            checkout_url: None,
            amount,
        })
    }

    /// Credits a payment that a platform administrator confirms, once per reference.
    pub(super) async fn credit_by_hand(
        &self,
        payer: &Payer,
        request: TopUpRequest,
        mut faults: Faults,
    ) -> Result<Receipt, Error> {
        let Some(administrator) = &payer.administrator else {
            let member = payer.member.as_ref().ok_or(Error::Forbidden(NOT_A_MEMBER))?;
            member.authorize(Permission::TopUp)?;
            return Err(Error::Forbidden(REFERENCE_NOT_ALLOWED));
        };
        let amount = match request.checked_amount() {
            Ok(amount) => Some(amount),
            Err(found) => {
                faults.merge_new("", found);
                None
            }
        };
        let reference = request.reference.unwrap_or_default();
        let credited = self
            .deps
            .invoices
            .credit_manually(administrator, payer.organization, (&reference, amount), faults)
            .await?;
        Ok(Receipt {
            reference: credited.reference,
            is_credited: true,
            checkout_url: None,
            amount: credited.amount,
        })
    }
}
