//! Corrections of wallets by platform administrators.
//!
//! ```
//! use domain::platform::{audit::AuditEntry, wallet_correction::WalletCorrection};
//! use ports::{
//!     platform::wallet_corrections::{CorrectionOutcome, WalletCorrectionRepository},
//!     shared::store::StoreError,
//! };
//!
//! async fn correct(
//!     wallets: &dyn WalletCorrectionRepository,
//!     correction: &WalletCorrection,
//!     entry: &AuditEntry,
//! ) -> Result<CorrectionOutcome, StoreError> {
//!     wallets.make(correction, None, entry).await
//! }
//! ```

use async_trait::async_trait;
use domain::{
    platform::{audit::AuditEntry, wallet_correction::WalletCorrection},
    shared::money::Money,
};

use crate::shared::store::StoreError;

/// Stores corrections of wallets.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait WalletCorrectionRepository: Send + Sync {
    /// Makes a correction: its ledger entry, the change of the wallet, and `entry` in the audit log, all
    /// or nothing. Changes nothing if one was made under `key` before, or if the wallet holds too little.
    async fn make(
        &self,
        correction: &WalletCorrection,
        key: Option<String>,
        entry: &AuditEntry,
    ) -> Result<CorrectionOutcome, StoreError>;
}

/// Result of a correction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CorrectionOutcome {
    /// The ledger has it.
    Made {
        /// The correction.
        correction: WalletCorrection,
        /// Balance of the wallet.
        balance: Money,
        /// True if it was made now, false if it was made under the same key before.
        is_new: bool,
    },
    /// The key was used for another correction.
    KeyReused,
    /// The wallet holds only this much.
    Insufficient(Money),
    /// The organization has no wallet.
    NoWallet,
}
