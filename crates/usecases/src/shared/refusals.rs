//! Refusals that several subjects give.

use ports::shared::store::StoreError;

use crate::{Error, Reason};

/// The approval was decided before.
pub const ALREADY_DECIDED: Reason = Reason::new("ALREADY_DECIDED", "this has been decided already");

/// The callback does not prove that it comes from the vendor.
pub const INVALID_SIGNATURE: Reason =
    Reason::new("INVALID_SIGNATURE", "the signature is missing or wrong");

/// Refusal while a new organization is not provisioned yet.
pub(crate) fn wallet_not_open() -> Error {
    StoreError::Unavailable("the wallet is not open yet".into()).into()
}
