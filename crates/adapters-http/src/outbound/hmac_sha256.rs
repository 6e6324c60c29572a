//! HMAC-SHA-256, which signs what leaves the service.

use hmac::{Hmac, KeyInit};
use sha2::Sha256;

/// Creates an HMAC with `key`.
#[expect(clippy::expect_used, reason = "a key of HMAC may have any length")]
pub(super) fn keyed(key: &[u8]) -> Hmac<Sha256> {
    Hmac::new_from_slice(key).expect("HMAC takes keys of any length")
}
