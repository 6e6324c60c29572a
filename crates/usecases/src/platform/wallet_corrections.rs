//! Corrections of wallets by platform administrators.

use std::sync::Arc;

use derive_more::Constructor;
use domain::{
    identity::{
        caller::Administrator,
        organization::{Organization, PLATFORM},
    },
    money::wallet::InsufficientBalance,
    platform::{
        audit::AuditEntry,
        wallet_correction::{Direction, WalletCorrection, WalletCorrectionRequest},
    },
    shared::{fault::Faults, id::Id, money::Money},
};
use ports::{
    identity::organizations::OrganizationRepository,
    platform::wallet_corrections::{CorrectionOutcome, WalletCorrectionRepository},
    shared::clock::Clock,
};

use crate::{
    Error,
    messaging::messages::{IDEMPOTENCY_KEY_REUSED, checked_key},
    shared::refusals::wallet_not_open,
};

/// Operations that correct wallets.
#[derive(Clone, Constructor)]
pub struct WalletCorrections {
    repository: Arc<dyn WalletCorrectionRepository>,
    organizations: Arc<dyn OrganizationRepository>,
    clock: Arc<dyn Clock>,
}

/// Correction that the ledger has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeCorrection {
    /// The correction.
    pub correction: WalletCorrection,
    /// Balance of the wallet.
    pub balance: Money,
    /// True if an earlier call with the same idempotency key made it.
    pub is_replay: bool,
}

impl WalletCorrections {
    /// Credits or debits the wallet of an organization: once for each idempotency key. `faults` holds
    /// the faults found so far. The audit log has exactly the corrections that were made.
    pub async fn make(
        &self,
        admin: &Administrator,
        (organization, direction): (Id<Organization>, Direction),
        (request, key): (WalletCorrectionRequest, Option<String>),
        mut faults: Faults,
    ) -> Result<MadeCorrection, Error> {
        let key = key.and_then(|key| faults.take("idempotencyKey", checked_key(key)));
        let requested = request.correction((organization, direction), admin, self.clock.now());
        let correction = faults.check(requested)?;
        let found = self.organizations.find(organization).await?;
        found.filter(|it| it.id != PLATFORM).ok_or(Error::NotFound("organization"))?;
        let entry = AuditEntry::of_correction(&correction, admin.actor());
        match self.repository.make(&correction, key, &entry).await? {
            CorrectionOutcome::Made { correction, balance, is_new } => {
                let (amount, is_replay) = (correction.amount, !is_new);
                tracing::info!(%organization, %amount, is_replay, "corrected a wallet");
                Ok(MadeCorrection { correction, balance, is_replay })
            }
            CorrectionOutcome::KeyReused => Err(Error::Contradiction(IDEMPOTENCY_KEY_REUSED)),
            CorrectionOutcome::Insufficient(balance) => {
                let required = -correction.amount;
                Err(Error::InsufficientBalance(InsufficientBalance { required, balance }))
            }
            CorrectionOutcome::NoWallet => Err(wallet_not_open()),
        }
    }
}
